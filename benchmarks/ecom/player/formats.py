"""The form that a task lays down for its answer."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

TEMPLATE: Final = re.compile(r"""["'`]([^"'`\n]*%d[^"'`\n]*)["'`]|(\S*%d\S*)""")
DATE: Final = re.compile(r"\b(?:YYYY|MM|DD)([-/.])(?:YYYY|MM|DD)\1(?:YYYY|MM|DD)\b")


def in_format(instruction: str, count: int) -> str:
    """Return a count in the template that the task gives, or bare where it gives none."""
    found = TEMPLATE.search(instruction)
    template = (found[1] or found[2].rstrip(".,;")) if found else "%d"
    return template.replace("%d", str(count))


def as_date(instruction: str, value: str) -> str:
    """Return an ISO date in the form that the task asks for; any other value as it is."""
    asked = DATE.search(instruction)
    if not asked or not re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        return value
    pattern = asked[0].replace("YYYY", "%Y").replace("MM", "%m").replace("DD", "%d")
    return date.fromisoformat(value).strftime(pattern)
