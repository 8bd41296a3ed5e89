"""Templates that requests give for their answers, with `%d` where a number belongs.

"How many lamps are there? Answer `<COUNT:%d>`." has the template `<COUNT:%d>`. Filled with 7, it
is the answer `<COUNT:7>`.
"""

from __future__ import annotations

import re
from typing import Final

_TEMPLATE: Final = re.compile(
    r"[\"“'`«](?P<quoted>[^\"”'`»\n]*%d[^\"”'`»\n]*)[\"”'`»]"  # "count: %d"
    r"|(?P<bracketed><[^<>\n]*%d[^<>\n]*>|\[[^\[\]\n]*%d[^\[\]\n]*\])"  # <COUNT:%d> or [%d]
)


def asked_template(request: str) -> str:
    """Return the template that a request gives in quotation marks or brackets.

    The result is empty if there is none.
    """
    match = _TEMPLATE.search(request)
    if match is None:
        return ""
    return match["quoted"] or match["bracketed"]


def filled_template(template: str, number: int) -> str:
    """Return a template with a number at its first place: `count: %d`, 7 -> `count: 7`."""
    return template.replace("%d", str(number), 1)
