"""Decides how to read the ambiguous numbers and dates of a text.

`1.199` is 1199 in German but 1.199 in English, and `03/04/2026` is in March or in
April. `number_style_of` decides by the unambiguous numbers and dates in the same text,
by its format (JSON has decimal points), and by its language:

    number_style_of("Der Preis ist 12,5 kg")     # NumberStyle(decimal_mark=",", ...)
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Literal, TypeAlias

import re2

from controlplane.gates.values.character_table import CharacterTable
from controlplane.gates.values.locale_names import FUNCTION_WORDS, locale_names

# Guesses the language of a text by its most frequent words: "der Preis ist hoch" -> `de`.
#
# The language decides, for example, whether a text writes decimals with a point or a comma.

_LEAST_FUNCTION_WORDS: Final = 2
"""A text is in a language if it has this many of its frequent words (`the`, `und`)."""
_EAST_ASIAN: Final = re2.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")


def _letter_or_blank(character: str) -> str:
    """Return a letter as it is, and a blank for any other character."""
    return character if character.isalpha() else " "


_BLANKS_BETWEEN_WORDS: Final = CharacterTable(_letter_or_blank)


def _language_of(text: str) -> str:
    """Return the locale with the most function words in a text: "der Preis ist hoch" -> "de".

    Function words are very frequent, such as `der` and `ist`. Returns "" if a text has fewer
    than `_LEAST_FUNCTION_WORDS` of every language, and "ja" for Chinese and Korean, too.
    """
    if _EAST_ASIAN.search(text):
        return "ja"  # the marks of numbers are the same in Chinese and Korean
    counts = dict.fromkeys(FUNCTION_WORDS, 0)
    locales_of_word = _locales_by_function_word()
    for word in text.translate(_BLANKS_BETWEEN_WORDS).casefold().split():
        for locale in locales_of_word.get(word, ()):
            counts[locale] += 1

    best_locale = ""
    best_count = _LEAST_FUNCTION_WORDS - 1
    for locale, count in counts.items():
        if count > best_count:
            best_locale = locale
            best_count = count
    return best_locale


@cache
def _locales_by_function_word() -> dict[str, list[str]]:
    """Return the locales of each function word: `{"die": ["de"], "de": ["fr", "es"], …}`."""
    locales: dict[str, list[str]] = {}
    for locale, words in FUNCTION_WORDS.items():
        for word in words.split():
            locales.setdefault(word, []).append(locale)
    return locales


# The normal form of each character: plain dashes, blanks, digits and quotation signs.
#
# `１` -> `1`, `–` -> `-`, `’` -> `'`, and a zero-width blank is dropped

HARD_BLANK: Final = "\u00a0"
"""The no-break space, which joins the characters beside it, such as the groups of a number."""
_HARD_BLANKS: Final = "\u00a0\u2007\u2008\u2009\u200a\u202f"
_SIGNS: Final = {
    "\u2212": "-",  # minus
    "\u2043": "-",  # a bullet in the form of a hyphen
    "\u2044": "/",  # the slash of fractions
    "\u2215": "/",  # the sign of division
    "\u2018": "'",  # single quotation marks and apostrophes
    "\u2019": "'",
    "\u02bc": "'",
    "\uff07": "'",
    "\u066b": ".",  # the decimal mark of Arabic
    "\u066c": ",",  # the grouping mark of Arabic
    "\uffe5": "\u00a5",  # the yen sign of full width
}
"""Signs with the plain ones that replace them. Unicode's normal form leaves most as they are."""
_GLYPH_SELECTORS: Final = range(0xFE00, 0xFE0F + 1)
"""Invisible characters that choose the look of the one before them, such as a coloured emoji."""


def _normal_character(character: str) -> str | None:
    """Return the normal form of a character; None if it is dropped.

    The cases are categories of Unicode: `Nd` are the decimal digits of all scripts.
    """
    if character in _SIGNS:
        return _SIGNS[character]
    if ord(character) in _GLYPH_SELECTORS:
        return None
    match unicodedata.category(character):
        case "Nd":  # decimal digits
            return str(unicodedata.digit(character))
        case "Pd":  # dashes
            return "-"
        case "Zs":  # blanks
            return HARD_BLANK if character in _HARD_BLANKS else " "
        case "Cf":  # invisible: zero-width characters, soft hyphens, marks of direction
            return None
        case "No":  # `½`, `²` and `②` stay: with plain digits, `5²` would become 52
            return character
    return unicodedata.normalize("NFKC", character)  # `ａ` -> `a`


NORMAL_CHARACTERS: Final = CharacterTable(_normal_character)
"""The table for `str.translate`: `"１–２".translate(NORMAL_CHARACTERS)` -> `1-2`."""


_DecimalMark: TypeAlias = Literal[".", ",", ""]
_DateOrder: TypeAlias = Literal["day first", "month first", ""]

_SAMPLE_CHARS: Final = 100_000
"""Only this many characters of a text are examined, which bounds the time for long texts."""

# No digit or mark may touch a number, or it would be a part of a longer one.
_NUMBER_START: Final = r"(?:^|[^\d.,])"
_NUMBER_END: Final = r"(?:$|[^\d.,])"


def _number_with_decimals(decimal_mark: str, grouping_mark: str) -> str:
    """Return a pattern of the numbers in which `decimal_mark` can only be the decimal mark.

    The point of `1.250` may also group digits by three, so this number is not matched.
    """
    forms = (
        rf"0{decimal_mark}\d+",  # 0.125: a number with groups does not begin with 0
        rf"\d+{decimal_mark}\d{{1,2}}",  # 12.5: a group has three digits
        rf"\d+{decimal_mark}\d{{4,}}",  # 3.1416
        rf"\d{{1,3}}(?:{grouping_mark}\d{{3}})+{decimal_mark}\d+",  # 1,250.00: commas group
    )
    return f"{_NUMBER_START}(?:{'|'.join(forms)}){_NUMBER_END}"


_POINT_DECIMALS: Final = re2.compile(_number_with_decimals(r"\.", ","))
"""Numbers whose point can only be a decimal mark: `0.125`, `12.5`, `1,250.00`."""
_COMMA_DECIMALS: Final = re2.compile(_number_with_decimals(",", r"\."))
"""Numbers whose comma can only be a decimal mark: `0,125`, `12,5`, `1.250,00`."""
_DAY_FIRST: Final = re2.compile(r"\b(?:1[3-9]|2\d|3[01])/\d{1,2}/\d{4}\b")
"""A date whose first number is over 12, so it is the day: `31/03/2026`."""
_MONTH_FIRST: Final = re2.compile(r"\b\d{1,2}/(?:1[3-9]|2\d|3[01])/\d{4}\b")
"""A date whose second number is over 12, so it is the day: `03/31/2026`."""
_GROUPS_BY_COMMAS: Final = re2.compile(
    rf"{_NUMBER_START}\d{{1,3}}(?:,\d{{3}})+{_NUMBER_END}"
)
"""A number whose groups of digits are separated by commas: `1,250,000`."""
_POINT_BEHIND_BLANK: Final = re2.compile(r"\d \d{3}\.\d")
"""A decimal point behind a blank: `17 342.5`, which are two cells of a row, 17 and 342.5.

It is not one number: a text with decimal points groups digits by commas, not by blanks.
"""


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """How to read ambiguous numbers and dates. An empty field means that nothing decides."""

    decimal_mark: _DecimalMark = ""
    groups_by_blanks: bool = True
    """True if `17 342` is one number, even without a unit behind it."""
    date_order: _DateOrder = ""


@lru_cache(maxsize=256)
def number_style_of(text: str) -> NumberStyle:
    """Return the style of a text: `NumberStyle(",", True, "")` for "Der Preis ist 12,5 kg"."""
    sample = text[:_SAMPLE_CHARS]
    decimal_mark = _decimal_mark_of(sample)
    # Digits are grouped by blanks unless something shows that commas group them. A decimal point
    # shows it, too, because languages with decimal points group by commas.
    groups_by_commas = (
        decimal_mark == "."
        or _GROUPS_BY_COMMAS.search(sample) is not None
        or _POINT_BEHIND_BLANK.search(sample) is not None
    )
    return NumberStyle(
        decimal_mark=decimal_mark,
        groups_by_blanks=not groups_by_commas,
        date_order=_date_order_of(sample),
    )


def _decimal_mark_of(text: str) -> _DecimalMark:
    """Return the decimal mark of a text by its format, its unambiguous numbers or its language.

    "Der Preis ist 12,5 kg" has a comma. Returns "" if nothing decides.
    """
    if text.lstrip()[:1] in ("{", "["):  # JSON
        return "."
    has_points = _POINT_DECIMALS.search(text) is not None
    has_commas = _COMMA_DECIMALS.search(text) is not None
    if has_points and not has_commas:
        return "."
    if has_commas and not has_points:
        return ","

    # The numbers do not decide, so the language does.
    match locale_names().decimal_marks.get(_language_of(text)):
        case ".":
            return "."
        case ",":
            return ","
    return ""


def _date_order_of(text: str) -> _DateOrder:
    """Return the order of day and month that the dates of a text show.

    A date such as `31/03/2026` shows it. Returns "" if no date does, or if they disagree.
    """
    has_days_first = _DAY_FIRST.search(text) is not None
    has_months_first = _MONTH_FIRST.search(text) is not None
    if has_days_first and not has_months_first:
        return "day first"
    if has_months_first and not has_days_first:
        return "month first"
    return ""
