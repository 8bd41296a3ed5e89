"""Normalises the characters of a text, and decides how to read its ambiguous numbers and dates.

    normalize_text("１２．５ kg, 10–12 %")        # `12.5 kg, 10-12 %`
    number_style_of("Der Preis ist 12,5 kg")     # NumberStyle(decimal_mark=",", ...)

`1.199` is 1199 in German but 1.199 in English, and `03/04/2026` is in March or in April. The
unambiguous numbers and dates of the same text decide, or its format, or its language.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, Literal, TypeAlias

import re2

from controlplane.gates.values.notations import FUNCTION_WORDS, locale_names


class CharacterTable(dict[int, str | None]):
    """A table for `str.translate`: the replacement of each character, by its code point.

    It starts empty. If `translate` looks up a character for the first time, `dict` calls
    `__missing__`, which asks the rule and keeps its reply.
    """

    def __init__(self, replacement_of: Callable[[str], str | None]) -> None:
        """Take the rule, which returns the replacement of a character; None drops it."""
        super().__init__()
        self._replacement_of = replacement_of

    def __missing__(self, code_point: int) -> str | None:
        """Return the replacement of a character, and keep it for the next time."""
        replacement = self._replacement_of(chr(code_point))
        self[code_point] = replacement
        return replacement


# The marks of a letter, such as accents.
#
# Python sorts them for a normal form, in a time that grows with the square of their number: minutes
# for half a megabyte of marks on one letter.

_MAX_MARKS: Final = 30
"""The most marks of a letter that are kept, as in Unicode's own format for streams."""

_NEIGHBOURING_MARKS: Final = re2.compile(
    r"(?:[^\pL\pN\pP\pS\pZ\pC]|\x{ff9e}|\x{ff9f}){2}"
)
"""Matches two marks, which most texts do not have. Those of a later Unicode than that of RE2 are in
no category. The last two are marks of Japanese letters of half width."""

_MARKS_OR_SIGNS: Final = re.compile(r"(?:[^\w\s\x00-\x7f]|[ﾞﾟ]){31,}")
"""Matches more than `_MAX_MARKS` consecutive marks, but also signs such as `═══`."""


def with_few_marks(text: str) -> str:
    """Return a text in which no letter has more marks than one of any language has.

    A text that is brought into a normal form of Unicode has to pass this first.
    """
    if not _NEIGHBOURING_MARKS.search(text.encode("utf-8", "surrogatepass")):
        return text
    return _MARKS_OR_SIGNS.sub(_first_marks, text)


def _first_marks(run: re.Match[str]) -> str:
    """Return a run of marks and signs as it is; with too many marks, only its beginning."""
    marks = 0
    for character in run[0]:
        decomposed = unicodedata.normalize("NFKD", character)
        marks += unicodedata.combining(decomposed[0]) > 0
    return run[0][:_MAX_MARKS] if marks > _MAX_MARKS else run[0]


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


_NORMAL_CHARACTERS: Final = CharacterTable(_normal_character)
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


_START_OF_JSON: Final = re2.compile(r"\s*(?:\{|\[\s*(?:[\[{\"]|[\s\d.,eE+-]*(?:\]|$)))")
"""`{`, or a list of lists, records, texts or numbers; not `[2026-03-12 10:15] started` of a log."""


def looks_like_json(text: str) -> bool:
    """Return True if a text begins as JSON does."""
    return _START_OF_JSON.match(text[:_SAMPLE_CHARS]) is not None


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
    if looks_like_json(text):
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


_ASCII_CHARACTER: Final = r"[\x20-\x7e]"
_CHARACTERS_BEYOND_ASCII: Final = r"[^\x00-\x7f]+"
_NON_ASCII: Final = re2.compile(f"{_ASCII_CHARACTER}?{_CHARACTERS_BEYOND_ASCII}")
"""A run of characters beyond ASCII, and the ASCII character before it, to which an accent at
the start of the run may belong: `e` and an accent become `é`."""


@dataclass(frozen=True, slots=True)
class NormalText:
    """A normalised text that knows the offsets of its characters in the original.

        original      a…b        the `b` is at offset 2
        normalised    a...b      the `b` is at offset 4

    The texts are divided into sections, within which the distance between both offsets stays
    the same. A new section begins behind each character that has become longer or shorter:
    here with the `b`, so `_starts` is (0, 4), and `_original_starts` is (0, 2).
    """

    text: str
    _starts: tuple[int, ...] = (0,)
    """The offset in `text` of each section, in ascending order."""
    _original_starts: tuple[int, ...] = (0,)
    """The offset in the original of each section."""

    def offset_of(self, index: int) -> int:
        """Return the offset in the original of the character at an offset in `text`.

        Inside a lengthened character, such as at the points of `…`, it is not exact. Values
        do not begin there.
        """
        section = bisect_right(self._starts, index) - 1
        offset_in_section = index - self._starts[section]
        return self._original_starts[section] + offset_in_section


def normalize_text(text: str) -> NormalText:
    """Return a text with one spelling of each character, and its offsets in the original.

    Drops invisible characters. Keeps case, line ends, fractions and raised digits: `5²`
    is not 52.
    """
    if text.isascii():
        return NormalText(text)
    # RE2 cannot read lone surrogates; each becomes a question mark.
    text = text.encode("utf-8", "replace").decode("utf-8")

    normal_parts: list[str] = []
    starts = [0]
    original_starts = [0]
    length = 0  # of the normal text so far
    original_length = 0
    for original, normal in _pieces_of(text):
        normal_parts.append(normal)
        length += len(normal)
        original_length += len(original)
        if len(normal) != len(original):
            starts.append(length)
            original_starts.append(original_length)
    return NormalText("".join(normal_parts), tuple(starts), tuple(original_starts))


_Piece: TypeAlias = tuple[str, str]
"""A part of a text, and its normal form: `…` and `...`."""


def _pieces_of(text: str) -> Iterator[_Piece]:
    """Yield the pieces of a text in order: `12 kg …` -> `12 kg`, ` …`, and so on.

    The text is divided into runs of ASCII characters, which are normal already, and others.
    """
    end_of_run = 0
    for run in _NON_ASCII.finditer(text):
        ascii_text = text[end_of_run : run.start()]
        yield ascii_text, ascii_text
        yield from _pieces_of_run(run[0])
        end_of_run = run.end()
    ascii_text = text[end_of_run:]
    yield ascii_text, ascii_text


@lru_cache(maxsize=4_096)
def _pieces_of_run(run: str) -> tuple[_Piece, ...]:
    """Return the pieces of a run of non-ASCII characters.

    A run whose normal form has the same length is a single piece, because its offsets are the
    same in both texts. Otherwise, each character is one, together with its accents.
    """
    normal_run = _normalized(run)
    keeps_length = len(normal_run) == len(run)
    if keeps_length:
        return ((run, normal_run),)

    starts = [
        start
        for start, character in enumerate(run)
        if start == 0 or not unicodedata.combining(character)
    ]
    characters_with_accents = [
        run[start:end] for start, end in pairwise([*starts, len(run)])
    ]
    return tuple(
        (original, _normalized(original)) for original in characters_with_accents
    )


def _normalized(text: str) -> str:
    """Return the normal form of a text: `é` for `e` and an accent, too."""
    translated = text.translate(_NORMAL_CHARACTERS)
    return unicodedata.normalize("NFC", with_few_marks(translated))
