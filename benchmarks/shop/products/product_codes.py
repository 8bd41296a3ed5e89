"""Finds the codes of products in a text by their form, if the codes of the shop are not known.

A code is at least ten capitals, digits and dashes: `VH-TRP-LEA-3X3-GRN`. Other words look like this,
too, and are left out:

| a date, or the form of one | a standard | an emphasis | words |
|---|---|---|---|
| `12-MAR-2027`, `YYYY-MM-DD` | `DIN-EN-12345` | `NUMBER-ONLY` | `READ-CAREFULLY` |
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

_TEN_CHARACTERS_HERE: Final = r"(?=[A-Z0-9-]{10,}(?![\w-]))"
_CODE: Final = re.compile(
    rf"(?<![\w-]){_TEN_CHARACTERS_HERE}[A-Z0-9]+(?:-[A-Z0-9]+)+(?![\w-])"
)
"""Capitals and digits in parts joined by dashes, at least ten characters: `VH-TRP-LEA-3X3-GRN`."""
_MONTH: Final = "JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC"
_DATE_PART: Final = (
    rf"ISO-?8601|MON|MONTH|{_MONTH}|\d{{1,4}}"
    r"|YYYY|YY|M{2,4}|D{2,3}"  # year, month, day
    r"|A{4}|J{2,4}|TT?"  # the same in French and German: AAAA, JJ, TT
    r"|WW?\d*|QQ?\d?|HH|SS"  # week, quarter, hour, second
)
"""A part of a date, or of the form of one."""
_DATE: Final = rf"(?:(?:{_DATE_PART})-?)+"
"""`12-MAR-2027`, `YYYY-MM-DD`"""
_STANDARD: Final = r"(?:OUTCOME|UTF|ISO|DIN|EN|SHA|TLS|RFC|GMT|UTC|EUR|COVID)-.+"
"""`DIN-EN-12345`, and other names that begin with a known word."""
_EMPHASIS: Final = r"(?:.+-)?(?:ONLY|NOT|AND|OR|PER)(?:-.+)?"
"""`NUMBER-ONLY`"""
_WORDS: Final = r"[A-Z]{4,}(?:-[A-Z]+)+"
"""`READ-CAREFULLY`. Codes begin with fewer letters: `VH-TRP`."""
_NOT_A_PRODUCT_CODE: Final = re.compile(f"{_DATE}|{_STANDARD}|{_EMPHASIS}|{_WORDS}")


def product_codes(text: str, codes: Collection[str] = ()) -> list[str]:
    """Return the product codes in a text, in order, each once.

    "Are VH-TRP-LEA-3X3 and VH-TRP-REA-2X2 in stock on 12-MAR-2027?" -> the first two words with
    dashes. If `codes` are given, only these count, whatever their form.
    """
    if codes:
        return _known_codes(text, codes)
    found = []
    for code in _CODE.findall(text):
        if not _NOT_A_PRODUCT_CODE.fullmatch(code):
            found.append(code)
    return list(dict.fromkeys(found))


def _known_codes(text: str, codes: Collection[str]) -> list[str]:
    """Return those of the given codes that occur in a text, in the order of the text."""
    positions = []
    for code in codes:
        for match in re.finditer(rf"(?<![\w-]){re.escape(code)}(?![\w-])", text):
            positions.append((match.start(), code))
    positions.sort()
    return list(dict.fromkeys(code for _, code in positions))
