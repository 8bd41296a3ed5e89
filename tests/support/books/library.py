"""A library of a few books: the environment, in memory, of trials that ask which books are by whom.

    library = Library()
    library.call("find", {"name": "em*"})                # {"paths": ["/books/emma.txt"], ...}
    library.call("read", {"path": "/books/emma.txt"})    # {"content": "by Austen", ...}

All other operations fail, as there is nothing to write or to run.
"""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from controlplane.sandbox.interface import (
    CallError,
    Plain,
    ToolSchema,
)
from tests.support.books.book_declarations import TOOL_SCHEMA

BOOKS = {
    "/books/dune.txt": "by Herbert",
    "/books/emma.txt": "by Austen",
    "/books/persuasion.txt": "by Austen",
    "/books/notes.txt": "nothing here",
}
"""The files that a search finds."""

UNLISTED = {"/books/blocked.txt": "lent out, blocked until 2031-05-06T10:00:00Z"}
"""Files that can be read by those who know the path, and that no search finds."""


class Library:
    """An environment of files that can only be read. It notes its calls."""

    def __init__(self, tool_schema: ToolSchema = TOOL_SCHEMA) -> None:
        self.tool_schema = tool_schema
        self.asked: list[str] = []
        """The operations of all calls so far: `["find", "read"]`."""
        self.answers: list[str] = []
        """The messages of all answers so far."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        self.asked.append(operation)
        path = str(arguments.get("path", ""))
        if operation == "find":
            return self._find(str(arguments["name"]))
        if operation == "read":
            return self._read(path)
        raise CallError("not_found", f"there is no {path}")

    def _find(self, pattern: str) -> dict[str, Plain]:
        """Return the books whose file names fit a pattern such as `em*`."""
        paths: list[Plain] = []
        for path in BOOKS:
            file_name = path.rsplit("/", 1)[1]
            if fnmatchcase(file_name, pattern):
                paths.append(path)
        return {"paths": paths, "truncated": False}

    def _read(self, path: str) -> dict[str, Plain]:
        text = BOOKS.get(path, UNLISTED.get(path))
        if text is None:
            raise CallError("not_found", f"there is no {path}")
        return {"path": path, "content": text, "truncated": False, "sha256": ""}

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.answers.append(message)

    def now(self) -> None:
        return None
