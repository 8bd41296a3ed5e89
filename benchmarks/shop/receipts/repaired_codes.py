"""Finds the product code that a scanned code was misread from: `VH-TRP-5ND` -> `VH-TRP-SND`.

A scanner confuses `5` and `S`, or drops a dash. The code in the receipt then is in no record,
although it means a product. It is repaired only if a single code of the catalogue is possible.
"""

from __future__ import annotations

import re
from collections.abc import Collection
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
