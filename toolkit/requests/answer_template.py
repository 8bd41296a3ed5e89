"""Requests that give the form of their answer, and answers in that form."""

from __future__ import annotations

import re
from typing import Final

_PLACE: Final = "%d"


def filled_template(template: str, number: int) -> str:
    """Return a form such as `count: %d` with a number at its first place."""
    return template.replace(_PLACE, str(number), 1)


_TEMPLATE: Final = re.compile(r"[\"“'`]([^\"”'`\n]*%d[^\"”'`\n]*)[\"”'`]")


def asked_template(text: str) -> str:
    """Return the quoted form with a place for a number; empty without one."""
    found = _TEMPLATE.search(text)
    return found[1] if found else ""
