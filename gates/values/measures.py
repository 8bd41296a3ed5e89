"""Reads the scale, unit or next word behind a number: ` million euros`, ` kg`, ` seats`.

A scale is a word such as `million`, which multiplies the number by a power of ten.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import re2

from controlplane.gates.values.locale_names import locale_names
from controlplane.gates.values.spans import LAST_BEFORE_CJK
from controlplane.gates.values.units import CURRENCIES, SHARED_NAMES

# Recognises units by their names in any of the known languages: `Std.` is h.


def unit_of(spelling: str) -> str:
    """Return the name of a unit by one of its spellings: `Std.` -> h, `m²` -> m2; "" for none.

    Case matters for a single letter, and for a spelling that is listed with this case:
    `mW` and `MW` are two units, but `KWH` is `kWh`.
    """
    names = locale_names()
    plain = spelling.replace("²", "2").replace("³", "3")
    without_end_mark = plain.rstrip(".,/")
    for form in (plain, without_end_mark):  # `Std.`, and then `Std`
        if form in names.units:  # with this case: `mW`
            return names.units[form]
        is_single_letter = len(form) == 1 and form.isascii()
        folded_form = form.casefold()
        if not is_single_letter and folded_form in names.folded_units:  # `KWH`
            return names.folded_units[folded_form]
    return ""


def currency_of(spelling: str) -> str:
    """Return the currency by one of its spellings: `€` -> EUR; "" for another unit or word."""
    unit = unit_of(spelling)
    if _is_currency(unit):
        return unit
    return ""


def _is_currency(unit: str) -> bool:
    """Return True if a unit is a currency or a name shared by several currencies, such as `$`."""
    is_also_mass = unit == "pound"  # so it may be no currency
    is_shared_by_currencies = unit in SHARED_NAMES and not is_also_mass
    return unit in CURRENCIES or is_shared_by_currencies


_MAX_UNIT_WORDS: Final = 3
"""Words of a unit, such as `cubic metres` or `US dollars`."""

# What may stand between a number and its unit

_CITATION_MARK: Final = re2.compile(r"^[ \x{a0}]?\[\^?\d{1,3}(?:[ ,;-]{1,2}\d{1,3})*\]")
"""`[4]` between a number and its unit, as in `3 [4] hours`; also `[^4]` and `[4, 7]`."""
_MARKDOWN: Final = "*_`"
"""Signs between a number and its unit in Markdown: `**12** kg`."""
_BLANKS_AND_HYPHEN: Final = (" ", "\u00a0", "-")
"""Characters between a number and its unit: `12 kg`, `10-day`. The second is a hard blank."""

# The words of a scale or unit

_FIRST_UNIT_WORD: Final = r"[\p{Latin}\p{Greek}\p{Cyrillic}%°\p{Sc}][\pL\pM%°²³23./]*"
"""`kg`, `m²`, `m2`, `km/h`, `%`, `€`.

`\\pL` are letters, `\\pM` accents, `\\p{Sc}` signs of currencies; 2 and 3 are exponents.
"""
_NEXT_WORD_OR_NOTHING: Final = r"(?: [\p{Latin}\p{Greek}\p{Cyrillic}][\pL\pM²³.]*)?"
"""` metres` of `cubic metres`, or nothing."""
_UNIT_WORDS: Final = re2.compile(
    "^" + _FIRST_UNIT_WORD + _NEXT_WORD_OR_NOTHING * (_MAX_UNIT_WORDS - 1)
)
"""The words that may be a unit: `kg`, `cubic metres`."""
_CJK_UNIT: Final = re2.compile(r"^ ?([\p{Han}\p{Hangul}\p{Katakana}]{1,6})")
"""Chinese, Japanese or Korean signs whose beginning may be a unit: `円の売上` begins with 円."""
_MILLION_SIGN: Final = "M"
"""`5 M EUR` is five million. In lower case, `m` is the unit meter."""
_MILLION_POWER: Final = 6


@dataclass(frozen=True, slots=True)
class Measure:
    """What the text behind a number says about it."""

    unit: str = ""
    """`EUR` for ` million euros`, `kg` for ` kg`; empty if no known unit is there."""
    power: int = 0
    """The power of ten of a scale: 6 for ` million euros`; 0 without a scale."""
    follower: str = ""
    """The first word, if it is neither a unit nor a scale: `seats`."""


def measure_behind(behind: str) -> Measure:
    """Return the scale, the unit or the next word in the text after a number.

    ` million euros` -> unit EUR, power 6; ` kg` -> unit kg; ` seats` -> follower `seats`
    """
    # 1. Skip a citation mark and Markdown: `3 [4] hours`, `**12** kg`.
    citation_mark = _CITATION_MARK.match(behind)
    if citation_mark is not None:
        behind = behind[citation_mark.end() :]
    behind = behind.lstrip(_MARKDOWN)

    # 2. A unit in Chinese or Japanese signs. No blank ends it, so it is the longest unit with
    #    which the signs begin: `円` (yen) of `円の売上`.
    cjk_signs = _CJK_UNIT.match(behind)
    if cjk_signs is not None:
        return Measure(unit=_unit_at_start_of_signs(cjk_signs[1]))

    # 3. The next three words, if they may be a scale or a unit: `million euros`, `seats at the`.
    if behind[:1] in _BLANKS_AND_HYPHEN:
        behind = behind[1:]
    words = _UNIT_WORDS.match(behind)
    if words is None:
        return Measure()
    first_word, _, other_words = words[0].partition(" ")

    # 4. A scale, and the unit behind it: `million euros`, `millions de dollars`. A word that is
    #    both counts as a unit: `t` is a ton, though it is a thousand in some languages.
    power = _power_of(first_word)
    if power and not unit_of(first_word):
        unit_words = other_words.removeprefix("de ").removeprefix("of ")
        return Measure(unit=_unit_at_start_of_words(unit_words), power=power)

    # 5. A unit, or else the word for what is counted: `seats`.
    unit = _unit_at_start_of_words(words[0])
    if unit:
        return Measure(unit=unit)
    return Measure(follower=_bare(first_word))


def _power_of(word: str) -> int:
    """Return the power of ten of a scale: `million` -> 6, `Mio.` -> 6; 0 for another word."""
    if word == _MILLION_SIGN:
        return _MILLION_POWER
    return locale_names().scales.get(_bare(word), 0)


def _bare(word: str) -> str:
    """Return a word in lower case, without the point of an abbreviation."""
    return word.rstrip(".").casefold()


def _unit_at_start_of_signs(signs: str) -> str:
    """Return the longest unit at the start of signs without blanks: `円の売上` -> JPY."""
    for size in range(len(signs), 0, -1):
        unit = unit_of(signs[:size])
        if unit:
            return unit
    return ""


def _unit_at_start_of_words(text: str) -> str:
    """Return the longest unit at the start of words: `US dollars a month` -> USD."""
    # Behind a scale, the unit may be in Chinese, Japanese or Korean: `million 円`.
    if text[:1] > LAST_BEFORE_CJK:
        return _unit_at_start_of_signs(text)
    words = text.split(" ")[:_MAX_UNIT_WORDS]
    for count in range(len(words), 0, -1):
        unit = unit_of(" ".join(words[:count]))
        if unit:
            return unit
    # `EUR/month` is not a unit like `km/h`, but an amount of money.
    before_slash = words[0].partition("/")[0]
    return currency_of(before_slash)
