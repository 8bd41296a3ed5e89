"""Lines of a file, as the result of a search has them.

An answer may cite a file for the lines that a search has found. A result has a list of matches,
each with one line or some lines of a file. Items of other forms have nothing that could be cited:

    FoundLines.of({"path": "/a.md", "line": 3, "text": "fee: 7"})
        -> FoundLines("/a.md", "fee: 7", line=3)
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
    line: int | None
    """The number of the first line, from 1. None if it is not known."""

    @classmethod
    def of(cls, match: object) -> FoundLines | None:
        """Return the lines in an item of a result's list; None if the item is not a match.

        If the text also has the lines before the match, its field `first` is the number of the
        first one.
        """
        if not isinstance(match, dict):
            return None
        path = match.get("path")
        text = match.get("text")
        if not isinstance(path, str) or not isinstance(text, str):
            return None
        if not path.startswith("/") or len(path) > bounds.MOST_PATH_CHARS:
            return None
        line = match.get("first", match.get("line"))
        return cls(path, text, line if isinstance(line, int) else None)

    @property
    def lines(self) -> tuple[int, ...]:
        """The line numbers as `SeenText` has them: `(3,)` stands for line 3 and those after it.

        Empty if the number is not known.
        """
        if self.line is None or self.line <= 0:
            return ()
        return (self.line,)

    def follows(self, earlier: FoundLines) -> bool:
        """Return True if this text begins on the line after `earlier`, in the same file."""
        if self.path != earlier.path or self.line is None or earlier.line is None:
            return False
        # Some servers end each line with its line break, which begins no further line.
        earlier_lines = earlier.text.removesuffix("\n").count("\n") + 1
        return self.line == earlier.line + earlier_lines
