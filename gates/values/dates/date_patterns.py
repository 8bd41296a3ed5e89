"""The patterns of dates and months: `12 March 2026`, `03/04/2026`, `令和8年3月`.

They share these groups: `year`, `month` (a number) or `name` (of a month), `day`,
`first` (the first day of a range), `mark` and `mark2` (the two marks of `12/03/2026`),
`era` and `era_year` (`令和` and `8`).
"""

from __future__ import annotations

from typing import Final

from controlplane.gates.values.locale_names import ERA_YEARS, locale_names

# Parts of the patterns. RE2 cannot demand that the two marks of `12/03/2026` are equal, so
# `read_date` compares them.

_YEAR: Final = r"(?P<year>\d{4})"
_SHORT_YEAR: Final = r"(?P<year>\d{2})"
_MONTH: Final = r"(?P<month>\d{1,2})"
"""`3` of `12/3/2026`. A month in words is in the group `name`."""
_DAY: Final = r"(?P<day>\d{1,2})"
_ORDINAL: Final = r"(?:\.|st|nd|rd|th|er|º|ª|°|e)?"
"""The end of `12.`, `12th` and `1er`."""
_TO_WORDS: Final = (
    "to", "and", "until",  # English
    "bis", "und",  # German
    "au", "et",  # French
    "al", "y", "e", "a",  # Italian, Spanish, Portuguese
    "do", "i",  # Polish, Czech
    "tot", "en",  # Dutch
    "til", "och",  # Danish, Swedish
)  # fmt: skip
_TO: Final = rf"(?: ?- ?| (?:{'|'.join(_TO_WORDS)}) )"
"""The sign or word between the first and the last day of `13 to 27 May`."""
_FIRST_DAY_OF_RANGE: Final = rf"(?:(?P<first>\d{{1,2}}){_ORDINAL}{_TO})?"
"""`13 to ` of `13 to 27 May`, or nothing."""
_BLANK_OR_MARK: Final = r"[ \x{a0}/-]"
"""What separates day, month and year: `12 March 2026`, `12-Mar-2026`. `a0` is a hard blank."""
_BLANKS_OR_MARKS: Final = _BLANK_OR_MARK + "{1,2}"
_OF_BEFORE_MONTH: Final = r"(?:(?:of|de|d[aei]) )?"
"""`of ` of `12 of March`, `de ` of `12 de marzo`, or nothing."""
_OF_BEFORE_YEAR: Final = r"(?:(?:de|del|of) )?"
"""`de ` of `marzo de 2026`, or nothing."""
_ERA: Final = "|".join(ERA_YEARS)
"""`令和`, and the names of other eras of Japan and Taiwan."""
_YEAR_OF_ERA: Final = rf"(?P<era>{_ERA}) ?(?P<era_year>元|\d{{1,2}})"
"""`令和8`; `令和元` is the first year."""
_CJK_YEAR: Final = rf"(?:{_YEAR_OF_ERA}|{_YEAR}) ?[年년]"
"""`2026年`, `令和8年`, `2026년`"""
ERA_YEAR_PATTERN: Final = rf"{_YEAR_OF_ERA} ?[年년]"
"""`令和8年`"""


def _month_name_pattern() -> str:
    """Return a pattern of words that begin like the name of a month: `Mar`, `Marzo`, `Marker`.

    `read_date` looks up the whole word, and skips `Marker`.
    """
    beginnings = sorted({name[:3] for name in locale_names().months})
    return rf"(?P<name>(?:{'|'.join(beginnings)})\pL*)"


def date_patterns() -> list[str]:
    """Return the patterns of dates in the order in which they are tried.

    What one pattern finds is hidden from the next ones. So patterns with a year of four
    digits come first: with two digits, `12.03.20` would be found in `12.03.2026`.
    """
    month_name = _month_name_pattern()

    # 2026-03-12. It is the first one, because only this form may be joined by a slash, in a
    # range such as 2026-05-01/2026-05-06.
    iso_date = r"(?P<year>\d{4})(?P<mark>-)(?P<month>\d{2})(?P<mark2>-)(?P<day>\d{2})"

    # 2026-3-12, 2026/3/12, 2026.03.12
    year_first = rf"{_YEAR}(?P<mark>[-/.]){_MONTH}(?P<mark2>[-/.]){_DAY}"

    # 12.03.2026, 12. 3. 2026, 12/03/2026
    year_last = rf"{_DAY}(?P<mark>[-/.]) ?{_MONTH}(?P<mark2>[-/.]) ?{_YEAR}"

    # 12.03.26, 12/03/26
    short_year_last = rf"{_DAY}(?P<mark>[/.]){_MONTH}(?P<mark2>[/.]){_SHORT_YEAR}"

    # 12 March 2026, 12. März, 13 to 27 May, 12-Mar-2026, le 1er mars
    day_and_name = (
        rf"(?i){_FIRST_DAY_OF_RANGE}{_DAY}{_ORDINAL}"
        rf"{_BLANKS_OR_MARKS}{_OF_BEFORE_MONTH}{month_name}\.?"
        rf"(?:,?{_BLANK_OR_MARK}{_OF_BEFORE_YEAR}{_YEAR})?"
    )

    # March 12, 2026; March 12-14; Sept. 3rd
    name_and_day = rf"(?i){month_name}\.? {_FIRST_DAY_OF_RANGE}{_DAY}(?:st|nd|rd|th)?(?:,? {_YEAR})?"

    # 2026年3月12日, 3月12日, 令和8年3月12日, 2026년 3월 12일
    cjk_date = rf"(?:{_CJK_YEAR} ?)?{_MONTH} ?[月월] ?{_DAY} ?[日일号號]"

    # 20260312. Only digits that can be a date: there are no marks that show it.
    digits_alone = (
        r"(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])"
    )

    # 12.3. without a year
    without_year = rf"{_DAY}\. ?{_MONTH}\."

    return [
        iso_date,
        year_first,
        year_last,
        short_year_last,
        day_and_name,
        name_and_day,
        cjk_date,
        digits_alone,
        without_year,
    ]


def month_patterns() -> list[str]:
    """Return the patterns of months with a year, in the order in which they are tried."""
    return [
        # March 2026, marzo de 2026
        rf"(?i){_month_name_pattern()}\.?,?{_BLANK_OR_MARK}{_OF_BEFORE_YEAR}{_YEAR}",
        # 2026年3月, 令和8年3月
        rf"{_CJK_YEAR} ?{_MONTH} ?[月월]",
        # 2026-03
        r"(?P<year>\d{4})-(?P<month>\d{2})",
        # 03/2026
        rf"{_MONTH}/{_YEAR}",
    ]
