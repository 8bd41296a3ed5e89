"""How ids of records are written and compared."""

from __future__ import annotations

import re
from typing import Final

_SEPARATORS: Final = re.compile(r"[\s_-]+")


def folded_id(name: str) -> str:
    """Return an id without case, blanks and separators. Zeros in front of a number stay."""
    return _SEPARATORS.sub("", name).casefold()


def is_same_id(left: str, right: str) -> bool:
    """Say whether two ids are one, however they are written."""
    return bool(folded_id(left)) and folded_id(left) == folded_id(right)
