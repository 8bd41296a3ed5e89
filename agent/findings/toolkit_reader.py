"""The workspace as a function of the toolkit reads it: by declared calls that somebody else makes for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gates.reading import DoesNotApply, Reader, Unread
from toolkit import CannotRead

_EVERY_FILE: Final = "*"
_NOT_FOUND: Final = "not_found"
Outcomes = Mapping[str, Mapping[str, Any] | Unread]


@dataclass(frozen=True, slots=True)
class WorkspaceReader:
    """Reads files, listings and tools. What nobody has answered yet ends the function, which is then called again.

    Every method raises `CannotRead` for what failed or came back cut off.
    """

    reader: Reader

    def paths(self, root: str = "/") -> Sequence[str]:
        """Return every file below a folder."""
        return self.find(_EVERY_FILE, root)

    def find(self, name: str, root: str = "/") -> Sequence[str]:
        """Return the files below a folder whose names fit a glob."""
        try:
            return self.reader.find(name, root)
        except DoesNotApply as error:
            raise CannotRead(str(error)) from None

    def search(self, pattern: str, root: str = "/") -> Sequence[tuple[str, str]]:
        """Return path and text of each line below a folder that a regular expression matches."""
        try:
            return self.reader.search(pattern, root)
        except DoesNotApply as error:
            raise CannotRead(str(error)) from None

    def read(self, path: str) -> str:
        """Return a file's text. Raises `LookupError` if there is none."""
        return self.read_all([path])[0]

    def read_all(self, paths: Sequence[str]) -> list[str]:
        """Return the texts of several files, which are read side by side. Raises `LookupError` if one is missing."""
        try:
            return self.reader.read_all(paths)
        except Unread as error:
            if error.code == _NOT_FOUND:
                raise LookupError(str(error)) from None
            raise CannotRead(str(error)) from None
        except DoesNotApply as error:
            raise CannotRead(str(error)) from None

    def run(self, tool: str, *words: str, stdin: str = "") -> str:
        """Return what a tool prints that only reads."""
        try:
            return self.reader.run(tool, *words, stdin=stdin)
        except DoesNotApply as error:
            raise CannotRead(str(error)) from None
