"""A reader of files in memory, with the methods that the functions of a benchmark call.

    reader = FilesReader({"/baskets/b-1.json": {"id": "b-1", "state": "open"}})
    reader.read_all(["/baskets/b-1.json"])  # ['{"id": "b-1", "state": "open"}']

A file that is given as an object is read as its JSON text.
"""

import json
import re
from collections.abc import Mapping, Sequence


class FilesReader:
    """Reads files by path. The content of a file is a text, or a record that becomes JSON."""

    def __init__(self, files: Mapping[str, object]) -> None:
        self._texts: dict[str, str] = {}
        for path, content in files.items():
            if isinstance(content, str):
                self._texts[path] = content
            else:
                self._texts[path] = json.dumps(content)

    def paths(self) -> list[str]:
        return list(self._texts)

    def read_all(self, paths: Sequence[str]) -> list[str]:
        """Return the texts of files. Raises `LookupError` with the paths that do not exist."""
        missing_paths = [path for path in paths if path not in self._texts]
        if missing_paths:
            raise LookupError(*missing_paths)
        return [self._texts[path] for path in paths]

    def search(self, pattern: str, root: str) -> list[tuple[str, str]]:
        """Return the lines below `root` that a pattern finds, each with the path of its file."""
        matches: list[tuple[str, str]] = []
        for path, text in self._texts.items():
            if not path.startswith(root):
                continue
            for line in text.splitlines():
                if re.search(pattern, line):
                    matches.append((path, line))
        return matches
