"""Reads the lines of files in the result of a search.

The result `{"matches": [{"path": "/a.md", "line": 3, "text": "fee: 7"}]}` has line 3 of
`/a.md`. Lines that follow each other in a file are joined to one text, because a
quotation may run over several lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from controlplane.sandbox.interface import Plain, bounds


@dataclass(frozen=True, slots=True)
class FoundLines:
    """Adjacent lines of a file."""

    path: str
    text: str
    line: int | None
    """The number of the first line, from 1. None if it is not known."""

    @property
    def lines(self) -> tuple[int, ...]:
        """The number of the first line, as `SeenText` has it: `(3,)`. Each further line has the next.

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


def found_lines(result: Mapping[str, Plain]) -> Iterator[FoundLines]:
    """Yield the lines in a result. Adjacent lines are joined to one text.

    For a result with the lines 3 (`fee: 7`), 4 (`due: May`) and 9 (`rent: 40`) of `/a.md`:

        FoundLines("/a.md", "fee: 7\\ndue: May", line=3)
        FoundLines("/a.md", "rent: 40", line=9)
    """
    run: list[FoundLines] = []
    for match in _matches(result):
        if run and not match.follows(run[-1]):
            yield _joined(run)
            run = []
        run.append(match)
    if run:
        yield _joined(run)


def _matches(result: Mapping[str, Plain]) -> Iterator[FoundLines]:
    """Yield the matches in the lists of a result."""
    for items in result.values():
        if not isinstance(items, list):
            continue
        for item in items:
            match = _match_of(item)
            if match is not None:
                yield match


def _match_of(item: object) -> FoundLines | None:
    """Return the match in an item of a list; None if the item is not a match.

    A match looks like `{"path": "/a.md", "line": 3, "text": "fee"}`. If the text also
    has the lines before line 3, the field `first` is the number of the first one.
    """
    if not isinstance(item, dict):
        return None
    path = item.get("path")
    text = item.get("text")
    if not isinstance(path, str) or not isinstance(text, str):
        return None
    if not path.startswith("/") or len(path) > bounds.MOST_PATH_CHARS:
        return None
    line = item.get("first", item.get("line"))
    return FoundLines(path, text, line if isinstance(line, int) else None)


def _joined(run: Sequence[FoundLines]) -> FoundLines:
    """Return adjacent lines as one text."""
    first = run[0]
    return FoundLines(first.path, "\n".join(match.text for match in run), first.line)
