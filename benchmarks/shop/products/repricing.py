"""What the items of a scanned receipt cost today, and the codes that they have in the catalogue."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

_SIMILAR_IN_CODES: Final = str.maketrans("OILZSB", "011258")
"""For codes, which have capitals and digits: one character for those that look alike."""
_SEPARATORS: Final = re.compile(r"[\s_–—-]+")


def repaired_code(scanned_code: str, catalogue: Collection[str]) -> str | None:
    """Return the code of the catalogue that a scanned code equals or was misread from.

    Dashes, blanks and underscores are equal. After the first dash, characters that look
    alike are equal too: `VH TRP-LEA-3X3-5ND` -> `VH-TRP-LEA-3X3-SND`. The letters
    before it are a word of the shop and must be right. The result is None if no code or
    several are possible.
    """
    if scanned_code in catalogue:
        return scanned_code
    folded = _folded_code(scanned_code)
    codes = [code for code in catalogue if _folded_code(code) == folded]
    return codes[0] if len(codes) == 1 else None


def _folded_code(code: str) -> str:
    """Return a code in a form that is the same for all its misread spellings."""
    prefix, dash, suffix = _SEPARATORS.sub("-", code.upper()).partition("-")
    return prefix + dash + suffix.translate(_SIMILAR_IN_CODES)


@dataclass(frozen=True, slots=True)
class Repriced:
    """Today's cost of items, compared with the sum of a receipt."""

    today_cents: int
    difference_cents: int
    """The absolute difference."""


def reprice(
    counts: Iterable[tuple[str, int]],
    subtotal_cents: int,
    prices_cents: Mapping[str, int],
) -> Repriced:
    """Return today's cost of codes with quantities, compared with a receipt's subtotal.

    Raises `KeyError` for a code without a price.
    """
    today_cents = 0
    for code, count in counts:
        today_cents += count * prices_cents[code]
    return Repriced(today_cents, abs(today_cents - subtotal_cents))
