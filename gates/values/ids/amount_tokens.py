"""Tells amounts and ordinals from ids, because they also are letters and digits: `90min`, `13th`."""

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
    is_scale = folded_word in locale_names().scales  # `5mio`
    if unit_of(word) or folded_word in _ENDINGS_OF_NUMBERS or is_scale:
        return True

    # `10-day` and `4-person` are amounts; `204-XY` ends in a code of two letters, so it
    # is an id.
    is_longer_than_code = len(word) > 2
    return hyphen != "" and is_longer_than_code and word.isalpha()


def is_length(token: str) -> bool:
    """Return True for a length in metres: `30m`, `2km`, or `30M` and `30MM` for `30m` and `30mm`.

    With a `²` or `³` behind it, it is an area or a volume, and not an id such as `30M`.
    """
    match = _MEASURE.fullmatch(token)
    return match is not None and match[2] in ("m", "km", "cm", "M", "MM")
