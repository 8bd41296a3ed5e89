"""A case's world as a reader: records are JSON, bare paths are files whose text does not matter."""

import json
import re

from toolkit.records import Identity, WorkspaceRecords


class CaseReader:
    def __init__(self, world: dict) -> None:
        files = world.get("files", {})
        self._files = {path: text if isinstance(text, str) else json.dumps(text) for path, text in files.items()}
        self._paths = [*self._files, *(path for path in world.get("paths", ()) if path not in self._files)]

    def paths(self) -> list[str]:
        return self._paths

    def read_all(self, paths: list[str]) -> list[str]:
        if missing := [path for path in paths if path not in self._files]:
            raise LookupError(*missing)
        return [self._files[path] for path in paths]

    def search(self, pattern: str, root: str) -> list[tuple[str, str]]:
        return [
            (path, line)
            for path, text in self._files.items()
            for line in text.splitlines()
            if path.startswith(root) and re.search(pattern, line)
        ]


def records_of(given: dict) -> WorkspaceRecords:
    return WorkspaceRecords(CaseReader(given.get("world", {})))


def asker_of(given: dict) -> Identity:
    who = given["world"].get("identity", {"user": "", "roles": []})
    return Identity(who["user"], frozenset(role.casefold() for role in who["roles"]))
