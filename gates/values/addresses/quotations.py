"""Reads text between quotation marks: `"to be paid"`, `„to be paid“`, `` `paid == True` ``."""

from __future__ import annotations

from typing import Final

from controlplane.gates.values.spans import Span
from controlplane.gates.values.value_forms import Form
from controlplane.gates.values.value_kinds import Kind, WrittenValue

MOST_QUOTED_CHARS: Final = 300
"""A text of this length between quotation marks is not a quotation.

Its marks probably belong to two quotations: the first one ends, and the second one begins.
"""
_QUOTATION_SIGNS: Final = (
    ('"', '"'), ("“", "”"), ("„", "“”"), ("«", "»"), ("»", "«"), ("「", "」"), ("『", "』"), ("`", "`"),
)  # fmt: skip
"""Each opening quotation mark, with the marks that may close it: `„` with `“` or `”`."""
UNIT_OF_CODE: Final = "code"
"""The `unit` of a quotation in back quotes. A quotation of prose has none."""


def _quotation_between(opening: str, closing: str) -> str:
    """Return a pattern of quoted text on one line: `„[^\\n“”]+[“”]`."""
    return f"{opening}[^\n{closing}]+[{closing}]"


_QUOTATION: Final = "|".join(
    _quotation_between(opening, closing) for opening, closing in _QUOTATION_SIGNS
)
"""`"to be paid"`, `„to be paid“`, `` `paid == True` ``"""


def read_quotation(span: Span) -> list[WrittenValue]:
    """Return the text between quotation marks: `"to be paid"` -> `to be paid`.

    Text between back quotes gets the unit `code`, because code must match exactly. A
    single character is not a quotation.
    """
    quoted = span.written[1:-1]
    stripped = quoted.strip()
    if len(stripped) < 2 or len(stripped) >= MOST_QUOTED_CHARS:
        return []
    start = span.start + 1 + quoted.index(stripped)
    unit = UNIT_OF_CODE if span.written[0] == "`" else ""
    end = start + len(stripped)
    return [WrittenValue(Kind.QUOTATION, stripped, start, end, stripped, unit)]


QUOTATIONS: Final = Form(Kind.QUOTATION, _QUOTATION, read_quotation)
