"""Says how many characters each part of a trial's first request takes: of the system prompt and of turn one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_TITLE: Final = re.compile(r'<section title="(.*)">\n')
_CUT: Final = re.compile(r"\((\d+) (?:more )?characters\b")
_HEADING_OR_FENCE: Final = re.compile(r"^(?:# (?P<heading>.+)|```.*)$", re.M)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a first request."""

    title: str
    chars: int
    """Characters of the part, with its title and its marks."""
    cut_chars: int = 0
    """Characters of the text that are cut."""


def parts_of_system(system: str, hints: str = "") -> list[Part]:
    """Return the parts of a system prompt, by its headings, `hints` apart; their characters add up to the whole."""
    body = system.removesuffix(hints)
    starts, is_code = [("beginning", 0)], False
    for found in _HEADING_OR_FENCE.finditer(body):
        if found["heading"] is None:
            is_code = not is_code
        elif not is_code:
            starts.append((found["heading"], found.start()))
    ends = [start for _, start in starts[1:]] + [len(body)]
    parts = [Part(title, end - start) for (title, start), end in zip(starts, ends, strict=True) if end > start]
    return parts + ([Part("hints", len(hints))] if len(body) < len(system) else [])


def parts_of_turn_one(pieces: Sequence[str]) -> list[Part]:
    """Return the parts of turn one in order; their characters add up to those of all pieces."""
    parts: list[Part] = []
    left = list(reversed(pieces))
    while left:
        piece = left.pop()
        title = _TITLE.fullmatch(piece)
        if title is None or len(left) < 2:
            parts.append(Part("what is not shown" if piece.startswith("(Not ") else "instruction", len(piece)))
            continue
        text, closing = left.pop(), left.pop()
        cut = _CUT.search(closing)
        parts.append(Part(title[1], len(piece) + len(text) + len(closing), int(cut[1]) if cut else 0))
    return parts
