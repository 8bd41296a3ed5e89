"""Says how many characters of a turn one each of its parts takes, from the pieces that a journal holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_TITLE: Final = re.compile(r'<section title="(.*)">\n')
_CUT: Final = re.compile(r"\((\d+) characters of ")


@dataclass(frozen=True, slots=True)
class Part:
    """One part of turn one."""

    title: str
    chars: int
    """Its title and what surrounds it included."""
    cut_chars: int = 0
    """Characters of the text that are not shown."""


def parts_of(pieces: Sequence[str]) -> list[Part]:
    """Return the parts in their order; their characters sum up to those of all pieces."""
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
