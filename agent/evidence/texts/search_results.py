"""Reads the lines of files in the result of a search.

Lines that follow each other in a file are joined to one text, because a quotation may run over
several lines. For a result with the lines 3 (`fee: 7`), 4 (`due: May`) and 9 (`rent: 40`) of `/a.md`:

    FoundLines("/a.md", "fee: 7\\ndue: May", first_line=3)
    FoundLines("/a.md", "rent: 40", first_line=9)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from controlplane.agent.evidence.texts.found_lines import FoundLines
from controlplane.sandbox.interface import Plain


def found_lines(result: Mapping[str, Plain]) -> Iterator[FoundLines]:
    """Yield the lines in a result. Adjacent lines are joined to one text."""
    adjacent: list[FoundLines] = []
    for match in _matches(result):
        if adjacent and not match.follows(adjacent[-1]):
            yield _joined(adjacent)
            adjacent = []
        adjacent.append(match)
    if adjacent:
        yield _joined(adjacent)


def _matches(result: Mapping[str, Plain]) -> Iterator[FoundLines]:
    """Yield the matches in the lists of a result: `{"matches": [...], "count": 3}`."""
    for items in result.values():
        if not isinstance(items, list):
            continue
        for item in items:
            match = FoundLines.of(item)
            if match is not None:
                yield match


def _joined(adjacent: Sequence[FoundLines]) -> FoundLines:
    """Return adjacent lines as one text."""
    text = "\n".join(match.text for match in adjacent)
    return FoundLines(adjacent[0].path, text, adjacent[0].first_line)
