"""Units and scales behind a number, by their names in any of the known languages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import re2

from controlplane.gates.values.locale_names import (
    CURRENCIES,
    SHARED_NAMES,
    UNIT_BY_NAME,
    locale_names,
)
from controlplane.gates.values.value_kinds import LAST_BEFORE_CJK

MOST_UNIT_WORDS: Final = 3
"""Words of a unit, such as `cubic metres` or `US dollars`."""
_CITATION_MARK: Final = re2.compile(r"^[ \x{a0}]?\[\^?\d{1,3}(?:[ ,;-]{1,2}\d{1,3})*\]")
"""`[4]` between a number and its unit."""
_MARKDOWN: Final = "*_`"
_UNIT_WORDS: Final = re2.compile(
    r"^[ \x{a0}-]?([\p{Latin}\p{Greek}\p{Cyrillic}%°\p{Sc}][\pL\pM%°²³23./]*"
    r"(?: [\p{Latin}\p{Greek}\p{Cyrillic}][\pL\pM²³.]*){0,2})"
)
_CJK_UNIT: Final = re2.compile(r"^ ?([\p{Han}\p{Hangul}\p{Katakana}]{1,6})")


@dataclass(frozen=True, slots=True)
class Measure:
    """What stands behind a number: a scale and a unit, or another word."""

    unit: str = ""
    power: int = 0
    follower: str = ""


def measure_behind(behind: str) -> Measure:
    """Return what the words behind a number say of it. Citation marks and Markdown in between do
    not count."""
    mark = _CITATION_MARK.match(behind)
    if mark:
        behind = behind[mark.end() :]
    behind = behind.lstrip(_MARKDOWN)
    cjk = _CJK_UNIT.match(behind)
    if cjk:
        return Measure(_longest_unit(cjk[1]))
    words = _UNIT_WORDS.match(behind)
    if words is None:
        return Measure()
    first, _, rest = words[1].partition(" ")
    bare = first.rstrip(".").casefold()
    power = locale_names().scales.get(bare, 0)
    if first == "M":
        power = 6
    if power and not unit_of(first):
        return Measure(_longest_unit(rest.removeprefix("de ").removeprefix("of ")), power)
    unit = _longest_unit(words[1])
    return Measure(unit, 0, "" if unit else bare)


def _longest_unit(words: str) -> str:
    """Return the unit with which a text begins; in scripts without blanks, of as many signs as
    possible."""
    if words[:1] > LAST_BEFORE_CJK:
        for size in range(len(words), 0, -1):
            unit = unit_of(words[:size])
            if unit:
                return unit
        return ""
    parts = words.split(" ")[:MOST_UNIT_WORDS]
    for count in range(len(parts), 0, -1):
        unit = unit_of(" ".join(parts[:count]))
        if unit:
            return unit
    return currency_of(parts[0].partition("/")[0])  # `39,99 EUR/month`


def unit_of(spelling: str) -> str:
    """Return the name of a unit by one of its spellings; empty for another word."""
    plain = spelling.replace("²", "2").replace("³", "3")
    names = locale_names()
    for form in (plain, plain.rstrip(".,/")):
        unit = names.units.get(form) or ""
        if unit:
            return unit
        if len(form) > 1 or not form.isascii():
            unit = names.folded_units.get(form.casefold(), "")
        if unit:
            return unit
    return ""


def currency_of(spelling: str) -> str:
    unit = unit_of(spelling)
    return unit if is_currency(unit) else ""


def is_currency(unit: str) -> bool:
    """Say whether a unit is a currency, or a name that several share."""
    return unit in CURRENCIES or (unit in SHARED_NAMES and unit != "pound")


def quantity_of(unit: str) -> str:
    """Return what a unit measures; empty for an unknown one."""
    if unit in UNIT_BY_NAME:
        return UNIT_BY_NAME[unit].quantity
    return unit
