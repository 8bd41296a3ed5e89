"""The file of a dispatch wave that a request names, and the tables that it names in turn."""

from __future__ import annotations

import re
from typing import Final

_WAVE: Final = re.compile(r"(?<![\w/])/ops/dispatch/[\w./-]*?[\w-]+\.md\b")


def wave_path(text: str) -> str:
    """Return the first document below the dispatch folder that a text names; empty without one."""
    found = _WAVE.search(text)
    return found[0] if found else ""
