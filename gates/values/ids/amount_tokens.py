"""Tells amounts and ordinals from ids: `90min` and `13th` from `KR204` and `204-XY`.

All of these are tokens: letters and digits without a blank.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.gates.values.locale_names import locale_names
from controlplane.gates.values.unit_names import unit_of

_ENDINGS_OF_NUMBERS: Final = frozenset(
    {"st", "nd", "rd", "th", "er", "ère", "ème", "e", "o", "a", "x", "s", "fach"}
)
"""Endings of ordinals, decades and multiples: `13th`, `2ème`, `1990s`, `2x`, `3fach`."""
_MEASURE: Final = re2.compile(r"\d[\d.,']*(-?)(\pL+[23²³]?(?:/\pL+)?)")
"""A number, an optional hyphen and a word: `90min`, `10-day`, `30m²`, `80km/h`."""


def is_measure(token: str) -> bool:
    """Return True for an amount, an ordinal or a multiple: `90min`, `10-day`, `13th`, `2x`."""
    match = _MEASURE.fullmatch(token)
    if match is None:
        return False
    hyphen = match[1]
    word = match[2]
    folded_word = word.casefold()
    if unit_of(word):  # `90min`
        return True
    if folded_word in _ENDINGS_OF_NUMBERS:  # `13th`
        return True
    if folded_word in locale_names().scales:  # `5mio`
        return True

    # `10-day` and `4-person` are amounts. `204-XY` is an id: two letters are a code.
    is_longer_than_code = len(word) > 2
    return hyphen != "" and is_longer_than_code and word.isalpha()


def is_length(token: str) -> bool:
    """Return True for a length in meters: `30m`, `2km`, and `30M` or `30MM` in capital letters.

    `30M` alone may be an id, and `is_measure` is false. But in `30M²`, it is a length.
    """
    match = _MEASURE.fullmatch(token)
    return match is not None and match[2] in ("m", "km", "cm", "M", "MM")
