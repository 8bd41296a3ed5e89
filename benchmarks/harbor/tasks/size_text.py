"""Sizes of memory and disks as older task files write them: `4G`, `4Gi` or `512 MB`.

Newer files have a number of megabytes. Here the text becomes such a number.
"""

from __future__ import annotations

import math
from typing import Final

import re2

MB_PER_GB: Final = 1024.0
SIZE_UNITS_MB: Final = {"M": 1.0, "G": MB_PER_GB, "T": MB_PER_GB * 1024}
SIZE: Final = re2.compile(r"\s*(\d+(?:\.\d+)?)\s*([MGTmgt])i?[Bb]?\s*")
"""A number and its unit, which are the groups."""


def megabytes(text: str) -> float:
    """Return a size such as `4G` in MB; 0 for an empty text. Raises `ValueError`."""
    if not text:
        return 0.0
    match = SIZE.fullmatch(text)
    if match is None:
        msg = f"{text!r} is not a size such as 512M or 4G"
        raise ValueError(msg)
    size_mb = float(match[1]) * SIZE_UNITS_MB[str(match[2]).upper()]
    if math.isinf(size_mb):  # as for 400 digits
        msg = f"{text[:20]!r}... is too large for a size"
        raise ValueError(msg)
    return size_mb
