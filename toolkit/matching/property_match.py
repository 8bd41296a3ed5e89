"""Whether a field of a record fulfils what a request says of it."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Final

from toolkit.matching.property_labels import property_labels, unit_of
from toolkit.matching.units import UNITS, same_amount
from toolkit.text import normal_words

_AMOUNT: Final = re.compile(r"(-?\d+(?:\.\d+)?)(?: ([a-z]+\d?))?")
_FILLERS: Final = ("rated ", "of ", "is ")
_TRUTHS: Final = {"true": True, "yes": True, "false": False, "no": False}


def property_match(constraint: str, key: str, value: str) -> bool | None:
    """Say whether `disc diameter 180 mm` holds for a field and its value; None if it speaks of another field.

    Numbers are compared exactly, converted between units of one quantity; texts as normal words.
    """
    wanted = wanted_value(constraint, key)
    return None if wanted is None else bool(wanted) and values_match(wanted, unit_of(key), value)


def wanted_value(constraint: str, key: str) -> str | None:
    """Return what a constraint wants of a field, in normal words; None if it speaks of another field."""
    said = f"{normal_words(constraint)} "
    for label in property_labels(key):
        for name in (label, label.removeprefix("rated ")):
            if said.startswith(f"{name} "):
                wanted = said[len(name) :].strip()
                for filler in _FILLERS:
                    wanted = wanted.removeprefix(filler)
                return wanted
            if said.endswith(f" {name} "):
                return said[: -len(name) - 1].strip()  # `180 mm disc diameter`
    return None


def values_match(wanted: str, unit: str, value: str) -> bool:
    """Say whether a wanted value, in normal words, is the value of a field that counts in `unit`."""
    held = normal_words(value)
    if wanted == held:
        return True
    if wanted in _TRUTHS and held in _TRUTHS:
        return _TRUTHS[wanted] is _TRUTHS[held]
    asked, have = _AMOUNT.fullmatch(wanted), _AMOUNT.fullmatch(held)
    if asked is None or have is None:
        return False
    try:
        return same_amount(Decimal(asked[1]), _known(asked[2]), Decimal(have[1]), _known(have[2]) or unit)
    except InvalidOperation:
        return False


def _known(unit: str | None) -> str:
    return unit if unit in UNITS else unit or ""
