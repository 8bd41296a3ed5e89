"""A case's world as a reader: records are JSON, bare paths are files whose text does not matter."""

from tests.support.files_reader import FilesReader
from toolkit.records import Identity, WorkspaceRecords


class CaseReader(FilesReader):
    def __init__(self, world: dict) -> None:
        super().__init__(world.get("files", {}))
        self._bare = [each for each in world.get("paths", ()) if each not in self._files]

    def paths(self) -> list[str]:
        return super().paths() + self._bare


def records_of(given: dict) -> WorkspaceRecords:
    return WorkspaceRecords(CaseReader(given.get("world", {})))


def asker_of(given: dict) -> Identity:
    who = given["world"].get("identity", {"user": "", "roles": []})
    return Identity(who["user"], frozenset(role.casefold() for role in who["roles"]))
