"""A reader of plain files, as functions ask for one:
records are JSON, other texts stand as they are."""

import json
import re


class FilesReader:
    def __init__(self, files: dict) -> None:
        self._files = {
            path: text if isinstance(text, str) else json.dumps(text)
            for path, text in files.items()
        }

    def paths(self) -> list[str]:
        return list(self._files)

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
