"""Reads the lines of files in the result of a search.

Lines that follow each other in a file are joined to one text, because a quotation may run over
several lines. For a result with the lines 3 (`fee: 7`), 4 (`due: May`) and 9 (`rent: 40`) of `/a.md`:

    FoundLines("/a.md", "fee: 7\\ndue: May", line=3)
    FoundLines("/a.md", "rent: 40", line=9)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from controlplane.agent.evidence.texts.found_lines import FoundLines
from controlplane.sandbox.interface import Plain


def found_lines(result: Mapping[str, Plain]) -> Iterator[FoundLines]:
    """Yield the lines in a result. Adjacent lines are joined to one text."""
    run: list[FoundLines] = []
    for match in _matches(result):
        if run and not match.follows(run[-1]):
            yield _joined(run)
            run = []
        run.append(match)
    if run:
        yield _joined(run)


def _matches(result: Mapping[str, Plain]) -> Iterator[FoundLines]:
    """Yield the matches in the lists of a result: `{"matches": [...], "count": 3}`."""
    for items in result.values():
        if not isinstance(items, list):
            continue
        for item in items:
            match = FoundLines.of(item)
            if match is not None:
                yield match


def _joined(run: Sequence[FoundLines]) -> FoundLines:
    """Return adjacent lines as one text."""
    first = run[0]
    return FoundLines(first.path, "\n".join(match.text for match in run), first.line)
