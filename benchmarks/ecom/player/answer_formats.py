"""Puts counts and dates into the form that a task asks for."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

TEMPLATE: Final = re.compile(r"""["'`]([^"'`\n]*%d[^"'`\n]*)["'`]|(\S*%d\S*)""")
DATE: Final = re.compile(r"\b(?:YYYY|MM|DD)([-/.])(?:YYYY|MM|DD)\1(?:YYYY|MM|DD)\b")


def in_format(instruction: str, count: int) -> str:
    """Return a count in the task's template, or the bare number if it has none."""
    found = TEMPLATE.search(instruction)
    template = (found[1] or found[2].rstrip(".,;")) if found else "%d"
    return template.replace("%d", str(count))


def as_date(instruction: str, value: str) -> str:
    """Return an ISO date in the form that the task asks for, and any other value unchanged."""
    asked = DATE.search(instruction)
    if not asked or not re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        return value
    pattern = asked[0].replace("YYYY", "%Y").replace("MM", "%m").replace("DD", "%d")
    return date.fromisoformat(value).strftime(pattern)
