"""The outcomes of an answer, and messages that begin with the name of one."""

from __future__ import annotations

import re
from typing import Final

OK: Final = "OK"
DENIED: Final = "DENIED"
CLARIFY: Final = "CLARIFY"
UNSUPPORTED: Final = "UNSUPPORTED"
_NAME: Final = re.compile(r"^\s*OUTCOME_[A-Z_]+\s*[:.\u2013\u2014-]*\s*")


def without_outcome_name(message: str) -> str:
    """Return a message without the name of an outcome in front of it."""
    return _NAME.sub("", message, count=1)
