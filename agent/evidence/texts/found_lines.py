"""Lines of a file, as the result of a search has them.

An answer may cite a file for the lines that a search has found. A result has a list of matches,
each with one line or some lines of a file. Items of other forms have nothing that could be cited:

    FoundLines.of({"path": "/a.md", "line": 3, "text": "fee: 7"})
        -> FoundLines("/a.md", "fee: 7", first_line=3)
    FoundLines.of({"name": "a.md"})   -> None
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.sandbox.interface import bounds


@dataclass(frozen=True, slots=True)
class FoundLines:
    """Adjacent lines of a file."""

    path: str
    text: str
    first_line: int | None
    """The number of the first line, from 1. None if it is not known."""

    @classmethod
    def of(cls, match: object) -> FoundLines | None:
        """Return the lines in an item of a result's list; None if the item is not a match."""
        if not isinstance(match, dict):
            return None
        path = match.get("path")
        text = match.get("text")
        if not isinstance(path, str) or not isinstance(text, str):
            return None
        if not path.startswith("/") or len(path) > bounds.MOST_PATH_CHARS:
            return None
        # If the text begins before the matching line, the field `first` says where.
        first_line = match.get("first", match.get("line"))
        return cls(path, text, first_line if isinstance(first_line, int) else None)

    @property
    def line_numbers(self) -> tuple[int, ...]:
        """The line numbers as `SeenText` has them: `(3,)` stands for line 3 and those after it.

        Empty if they are not known.
        """
        if self.first_line is None or self.first_line <= 0:
            return ()
        return (self.first_line,)

    def follows(self, earlier: FoundLines) -> bool:
        """Return True if this text begins on the line after `earlier`, in the same file."""
        if self.path != earlier.path:
            return False
        if self.first_line is None or earlier.first_line is None:
            return False
        # Some servers end each line with its line break, which begins no further line.
        earlier_lines = earlier.text.removesuffix("\n").count("\n") + 1
        return self.first_line == earlier.first_line + earlier_lines
