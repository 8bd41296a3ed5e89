"""The form that a task lays down for its answer."""

from __future__ import annotations

import re
from typing import Final

TEMPLATE: Final = re.compile(r"""["'`]([^"'`\n]*%d[^"'`\n]*)["'`]|(\S*%d\S*)""")


def in_format(instruction: str, count: int) -> str:
    """Return a count in the template that the task gives, or bare where it gives none."""
    found = TEMPLATE.search(instruction)
    template = (found[1] or found[2].rstrip(".,;")) if found else "%d"
    return template.replace("%d", str(count))
