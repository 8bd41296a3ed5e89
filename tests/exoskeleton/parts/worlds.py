"""The world of a recorded case: the files of a shop, and who asks.

    {"files": {"/proc/baskets/basket_4.json": {"id": "basket_4", "customer_id": "cust_7"}},
     "paths": ["/docs/security.md"],
     "identity": {"user": "cust_7", "roles": ["customer"]}}

Of the files in `paths` only the path is known.
"""

from typing import Any

from controlplane.benchmarks.shop.workspace.identity import Identity
from controlplane.benchmarks.shop.workspace.records import RecordFiles, WorkspaceRecords
from tests.support.files_reader import FilesReader

World = dict[str, Any]


class WorldReader(FilesReader):
    """Reads the files of a world."""

    def __init__(self, world: World) -> None:
        super().__init__(world.get("files", {}))
        self._paths_without_file: list[str] = []
        for path in world.get("paths", ()):
            if path not in self._texts:
                self._paths_without_file.append(path)

    def paths(self) -> list[str]:
        return super().paths() + self._paths_without_file


def workspace_records(world: World) -> WorkspaceRecords:
    """Return the records (staff, baskets, payments, ...) in a world."""
    reader = WorldReader(world)
    return WorkspaceRecords(RecordFiles(reader, tuple(reader.paths())))


def asker(world: World) -> Identity:
    """Return who asks; in a world without an identity somebody without a name."""
    identity = world.get("identity", {"user": "", "roles": []})
    roles = frozenset(role.casefold() for role in identity["roles"])
    return Identity(identity["user"], roles)
