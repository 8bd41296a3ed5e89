"""A CSV, TSV or JSON Lines file as a DuckDB table.

A file is loaded in two steps. Its rows become a raw table, in which all cells are
texts. Then each column becomes a column of numbers or dates if its cells can be read in
one way (see `_column_of`). Any other column stays text, and DuckDB refuses to compute with it. If
two readings are possible, as with `1,234`, queries can use the column only as `NAME as written`,
which is its text.
"""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import count
from typing import Any, ClassVar, Final

import duckdb
import re2

from controlplane.benchmarks.files.tables.raw_rows import RawRows
from controlplane.benchmarks.files.tables.table_database import (
    LINE,
    RAW_TABLE,
    database,
    quoted,
)
from controlplane.gates.values.notations import (
    CURRENCIES,
    UNIT_BY_NAME,
    ZONE_OFFSETS,
    locale_names,
)
from controlplane.sandbox.interface import CallError, Plain, error_codes

# How the cells of a table's column are written, and so read as numbers, dates or stamps.
#
# The cells of a CSV file are texts. `1,5` and `0,25` have the form `decimal comma`, and `3.4.2025`
# has `day first`. DuckDB reads all cells of a column in each form, so that the form that fits them
# all can be found and used. Every reading is an expression of SQL, which is null where a cell does
# not fit. The expressions build on each other: each has a name, which later ones use.

_DECIMAL_MARKS: Final = {"decimal point": (".", ","), "decimal comma": (",", ".")}
"""Forms of numbers, with the decimal mark and the thousands separator: `1,234.50`, `1.234,50`."""
_DATE_ORDERS: Final = ("year first", "day first", "month first", "month names")
"""Forms of dates, with or without a time: `2025-04-03`, `3.4.2025`, `4/3/2025`, `3 April 2025`."""
_ANY_DATE: Final = ", ".join(f'"{order}"' for order in _DATE_ORDERS)
FORMS: Final = (*_DECIMAL_MARKS, *_DATE_ORDERS)

_CURRENCY_CODES: Final = f"(?i:{'|'.join(CURRENCIES)})"
"""A regular expression: `EUR|USD|...`, in small letters, too."""
_CURRENCY_NAMES: Final = (
    r"(?:US|CA|AU|NZ|HK|[RCAS])[$]|[$€£¥₹₽₩₺₫₴₪₱฿%円元원]"
    r"|(?i:kr|rs|fr|руб)[.]?|zł|Kč|kč|Ft"
)
_SIGN: Final = f"{_CURRENCY_NAMES}|{_CURRENCY_CODES}"
"""A regular expression for a sign before or after a number, such as `$`, `%`, `kr` or `EUR`."""
_MISSING: Final = (
    *("", "-", "--", "–", "—", "?", "."),
    *("na", "n/a", "n.a.", "#n/a", "#nv", "k.a.", "nan", "null", "none", "nil"),
)
"""Marks of a missing value, in lower case. They become null in a column of numbers or dates."""
_WIDE_SIGNS: Final = (
    "０１２３４５６７８９．，－／：＋％￥٠١٢٣٤٥٦٧٨٩−–‐‑\u00a0\u202f\u2009"
)
_PLAIN_SIGNS: Final = "0123456789.,-/:+%¥0123456789----   "
"""The digits and signs that stand for those of other scripts, in the same order."""
_BLANKS: Final = " \t\n\r\u00a0\u202f\u3000"
_UNSEEN: Final = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
"""Signs without a width: `Paris` may have one at its end."""
_VISIBLE_TEXT: Final = (
    f"trim(nfc_normalize(translate(cell, '\u00a0\u202f\u3000{_UNSEEN}', '   ')))"
)
"""The SQL for a text without what nobody sees: with plain blanks, and letters of one sign each."""
_LONGEST_VALUE: Final = 60
"""A longer cell is neither a number nor a date."""
_FIRST_SHORT_YEAR: Final = 69
_SHORT_YEARS_TOLD: Final = "years of two digits are 1969 to 2068"

_STAMP: Final = (
    r"^(?:\pL+[.]?, )?(.+?)"  # `Fri, 31.12.2025`
    r"(?:(?:T|[ ,]+(?:at |um )?)(\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?)"  # `T10:00:00.5`
    r" ?(?:([AaPp])[.]?[Mm][.]?|Uhr|h)?"
    r" ?([Zz]|[A-Z]{1,4}|(?:UTC|GMT)?[+-]\d\d?(?::?\d\d)?)?)?$"  # `+02:00`, `CET`
)
_PRINTED_STAMP: Final = (
    r"^\pL{3} (\pL{3}) +(\d{1,2}) ([\d:]{4,8})(?: ([A-Z]{1,4}))? (\d{4})$"
)
_NUMBER_SHAPE: Final = (
    rf"^({_SIGN})? ?[(]?[-+]? ?({_SIGN})? ?[-+]?[.,]?[0-9][0-9.,''’ ]*"
    rf"([eE][+-]?\d+)?[-—]* ?({_SIGN})?[-)]* ?({_SIGN})?$"
)
_DATE_SHAPE: Final = (
    r"(?:^|, )\d{1,4}(?:[./-]|[.] | ?年 ?)\d{1,2}(?:[./-]|[.] | ?月 ?)\d"
    r"|(?:^|, )\d{1,4}(?:[.]|st|nd|rd|th|er|º)?[ /-]*(?:de |of )?\pL{3}"
    r"|(?:^|, )\pL{3,}[.]?[ -]\d{1,2}(?:st|nd|rd|th)?(?:,? |-)\d\d|^\d{8}T\d{4}"
    r"|^\pL{3} \pL{3} +\d{1,2} \d"
)
"""What all numbers, and all dates, look like. A search is faster than to take a cell apart."""
_NUMERIC_DATE: Final = (
    r"^(\d{1,4})"
    r"(?:[.] ?(\d{1,2})[.] ?|([/-])(\d{1,2})[/-]| ?年 ?(\d{1,2}) ?月 ?)"
    r"(\d{1,4})日?$"
)
_NAMED_DATES: Final = {
    # `3. März 2025`, `3 de mayo de 2025`, `31-OCT-2023`, `31/Dec/2023`, `1er janvier 25`
    r"^(\d{1,2})(?:[.]|st|nd|rd|th|er|º)?[ /-]*(?:de |of )?(\pL+)[.]?[, /-]*(?:de )?(\d{4}|\d\d)$": (
        "['d', 'name', 'y']"
    ),
    # `Sep 26, 2022`
    r"^(\pL+)[.]?[ -](\d{1,2})(?:st|nd|rd|th)?(?:,? |-)(\d{4}|\d\d)$": "['name', 'd', 'y']",
    # `2022-Sep-26`
    r"^(\d{4})[ -](\pL+)[.]?[ -](\d{1,2})$": "['y', 'name', 'd']",
}


def _with_readings(rows: str, *, with_dates: bool = True) -> str:
    """Return the SQL for `rows`, a query with a column `cell`, with all readings of that column.

    If dates are not needed, they are left out. Each step uses those before it. The reading in a
    form is named like the form, and that of a date is a timestamp, whose time is 00:00 if the cell
    has none.
    """
    sql = rows
    steps = [*_TEXT_STEPS, *_number_steps()]
    if with_dates:
        steps += _date_steps()
    for step in steps:
        columns = ", ".join(f'{value} as "{name}"' for name, value in step.items())
        sql = f"select *, {columns} from ({sql})"
    return sql


_LONG_TEXT: Final = "a long text"
_TEXT_STEPS: Final = (
    {
        "text": f"case when length(cell) > {_LONGEST_VALUE} then '{_LONG_TEXT}' "
        # In ASCII, which is tested by the number of bytes, there are no other scripts' signs.
        f"when strlen(cell) = length(cell) then trim(cell) "
        f"else translate(trim(cell, '{_BLANKS}'), '{_WIDE_SIGNS}', '{_PLAIN_SIGNS}') end"
    },
    # Most numbers are plain, and need not be taken apart.
    {"is_plain": "regexp_full_match(text, '-?[0-9]+([.][0-9]+)?')"},
    {
        "is_odd_number": f"case when is_plain then false else regexp_matches(text, '{_NUMBER_SHAPE}') end",
        "may_be_date": f"case when is_plain then false else regexp_matches(text, '{_DATE_SHAPE}') end",
    },
)


def _number_steps() -> list[dict[str, str]]:
    """Return the steps that read a cell as a number: `(€1.234,50)` -> -1234.5, decimal comma."""
    in_forms = {}
    for form, (decimal_mark, thousands_mark) in _DECIMAL_MARKS.items():
        pattern = _number_pattern(decimal_mark, thousands_mark)
        plain = (
            f"replace(replace(marks, '{thousands_mark}', ''), '{decimal_mark}', '.')"
        )
        # Without the pattern, `Room 5` would become 5.
        in_forms[form] = (
            f"case when regexp_full_match(signed, '{pattern}') "
            f"and isfinite(try_cast({plain} as double)) then try_cast({plain} as double) end"
        )
    # `5,- €`, as prices are written, becomes `5 €`, ...
    whole = rf"regexp_replace(text, '(\d)[.,][-—]+( ?({_SIGN}))?$', '\1\2')"
    # ... `(€5)` becomes `-€5`, and `5,00-` becomes `-5,00`.
    in_parentheses = rf"^(?:({_SIGN}) ?)?\((.*)\)( ?(?:{_SIGN}))?$"
    with_minus = rf"regexp_replace({whole}, '{in_parentheses}', '-\1\2\3')"
    signed = rf"regexp_replace({with_minus}, '^([^-]*\d)-$', '-\1')"
    # Without currency, and without apostrophes and blanks between thousands
    marks = f"regexp_replace(signed, '{_SIGN}|[^0-9eE.,+-]', '', 'g')"
    return [
        {
            "signed": f"case when is_plain then text when is_odd_number then {signed} end"
        },
        {"marks": f"case when is_plain then text else {marks} end"},
        in_forms,
        {"number": 'coalesce("decimal point", "decimal comma")'},
    ]


def _number_pattern(decimal_mark: str, thousands_mark: str) -> str:
    """Return the regular expression for a number with sign and currency: `$-1,234.50`.

    Thousands may also be separated by an apostrophe or a blank: `1'234`. The expression is
    put into an SQL string, in which an apostrophe is written twice.
    """
    grouped = []
    for separator in (thousands_mark, "''", "’", " "):
        grouped.append(rf"[1-9]\d{{0,2}}([{separator}]\d{{3}})+")  # 1,234,567
    if thousands_mark == ",":
        grouped.append(r"[1-9]\d?(,\d\d)+,\d{3}")  # 12,34,567, as in India
    decimals = rf"[{decimal_mark}]\d+"  # .50
    unsigned_number = rf"(({'|'.join(grouped)}|\d+)({decimals})?|{decimals})"
    power_of_ten = r"([eE][+-]?\d+)?"
    currency = f"({_SIGN})?"
    # The minus may be before or after the currency: -$5, $-5.
    return f"[+-]? ?{currency} ?[+-]?{unsigned_number}{power_of_ten} ?{currency}"


def _date_steps() -> list[dict[str, str]]:
    """Return the steps that read a cell as a date with a time: `31.12.25 3:45 PM`, day first."""
    # `20250131T1000` becomes `2025-01-31T10:00`, with seconds if there are any.
    with_marks = "text"
    for digits, marks in (
        (r"(\d\d)(\d\d)(\d\d)", r"\4:\5:\6"),
        (r"(\d\d)(\d\d)", r"\4:\5"),
    ):
        compact = rf"^(\d{{4}})(\d\d)(\d\d)T{digits}($|[^\d])"
        last_group = digits.count("(") + 4
        with_marks = rf"regexp_replace({with_marks}, '{compact}', '\1-\2-\3T{marks}\{last_group}')"
    # `Wed Jan 31 10:00:00 CET 2024` becomes `Jan 31 2024 10:00:00 CET`.
    with_marks = (
        f"regexp_replace({with_marks}, '{_PRINTED_STAMP}', '\\1 \\2 \\5 \\3 \\4')"
    )
    # `31/Dec/2023:10:00:00`, as servers write it, becomes `31/Dec/2023 10:00:00`.
    with_marks = f"regexp_replace({with_marks}, '^(\\d+/\\pL{{3}}/\\d{{4}}):', '\\1 ')"
    named_dates = {}
    for number, (pattern, parts) in enumerate(_NAMED_DATES.items()):
        named_dates[f"named{number}"] = f"regexp_extract(day, '{pattern}', {parts})"
    named = {
        part: " || ".join(f"{name}['{part}']" for name in named_dates)
        for part in ("y", "name", "d")
    }
    return [
        {
            "stamp": f"case when may_be_date and number is null "
            f"then regexp_extract({with_marks}, '{_STAMP}', ['day', 'time', 'half', 'zone']) end"
        },
        {
            "day": "stamp['day']",
            "clock": "stamp['time']",
            "half": "lower(stamp['half'])",
            "hour": "coalesce(try_cast(split_part(stamp['time'], ':', 1) as integer), 0)",
            "zone": "case when regexp_matches(stamp['zone'], '^[A-Za-z]+$') "
            f"then coalesce({_ZONES}[upper(stamp['zone'])], stamp['zone']) else stamp['zone'] end",
        },
        {
            "numeric": f"regexp_extract(day, '{_NUMERIC_DATE}', "
            "['a', 'points', 'sign', 'b', 'signs', 'c'])",
            **named_dates,
            "from_utc": r"regexp_extract(zone, '^(?:UTC|GMT)?([+-])(\d\d?):?(\d\d)?$', "
            "['sign', 'h', 'm'])",
            # Noon is 12 PM, and midnight 12 AM.
            "added_hours": "case half when 'p' then if(hour = 12, 0, 12) "
            "when 'a' then if(hour = 12, -12, 0) else 0 end",
        },
        {
            "a": "numeric['a']",
            "b": "numeric['points'] || numeric['b'] || numeric['signs']",
            "c": "numeric['c']",
            "has_sign": "numeric['sign'] <> ''",
            "is_cjk": "numeric['signs'] <> ''",
            **named,
            "offset_minutes": "if(from_utc['sign'] = '-', -1, 1) * "
            "(60 * try_cast(from_utc['h'] as integer) + coalesce(try_cast(from_utc['m'] as integer), 0))",
        },
        {
            "month_of_name": f"case when name <> '' then {_MONTHS}[lower(name)]::varchar end",
            "time": "case when clock = '' then interval 0 hours "
            "when half <> '' and hour not between 1 and 12 then null "
            "when zone <> '' and offset_minutes is null then null "
            "when hour < 24 then try_cast(replace(clock, ',', '.') as interval) + to_hours(added_hours) end",
        },
        {
            "year first": _stamp_of(
                "a", "b", "c", "length(c) <= 2 and (length(a) = 4 or has_sign)"
            ),
            "day first": _stamp_of("c", "b", "a", "length(a) <= 2 and not is_cjk"),
            "month first": _stamp_of("c", "a", "b", "length(a) <= 2 and has_sign"),
            "month names": _stamp_of("y", "month_of_name", "d", "y <> ''"),
            "has_short_year": "length(y) = 2 or (a <> '' and length(a) <= 2 and length(c) <= 2)",
        },
        {"date": f"coalesce({_ANY_DATE})"},
    ]


def _stamp_of(year: str, month: str, day: str, condition: str) -> str:
    """Return the SQL for a timestamp with this date and the cell's time, if a condition is true.

    A year of two digits is of 1969 to 2068.
    """
    century = f"if({year} < '{_FIRST_SHORT_YEAR}', '20', '19')"
    long_year = (
        f"case length({year}) when 4 then {year} when 2 then {century} || {year} end"
    )
    date = f"try_cast({long_year} || '-' || {month} || '-' || {day} as date)"
    return f"case when {condition} then {date} + time end"


def _sql_map(values: Mapping[str, object]) -> str:
    """Return a mapping as SQL, with its keys as texts: `map {'mai': 5}`."""
    pairs = []
    for key, value in values.items():
        quoted_key = key.replace("'", "''")
        pairs.append(f"'{quoted_key}': {value!r}")
    return f"map {{{', '.join(pairs)}}}"


_MONTHS: Final = _sql_map(locale_names().months)
_ZONES: Final = _sql_map(ZONE_OFFSETS)
_MONTH: Final = (
    "(?i)("
    + "|".join(name for name in locale_names().months if name.isalpha())
    + r")[.]?([ -]\d{1,4})?"
)
"""A month without a day or without a year: `May`, `Oct. 2025`, `Jan 5`."""


_DAY_WITHOUT_YEAR: Final = "[0-3]?[0-9](?:[.] ?[01]?[0-9][.]|[/-][01]?[0-9])"
"""A day of any year: `24.12.`, `12/24`."""
_DAY_OF_ERA: Final = r"\pL+(?:\d+|元)[年.]\d+[月.]\d+日?"
"""A day of a year that is counted from the begin of an era: `令和6年1月5日`, `R6.1.5`."""


# What the cells of a column have in common, counted over all of them.
#
# Of the cells `1,5`, `0,25` and `n/a`, two are numbers with a decimal comma, and one is the mark of
# a missing value. From these counts, `_column_of` finds out how the column is written. DuckDB
# counts the cells in one query, since a column may have millions of them.


class Affected(Enum):
    """The queries to which a remark on a column matters."""

    ALL = auto()
    ORDER = auto()
    """Those that compare or order its values."""
    EQUALITY = auto()
    """Those that compare or group its values."""
    SUMS = auto()
    """Those that add up other columns without regard to this one."""
    UNSIGNED_SUMS = auto()
    """The same, if none of the numbers is below zero."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What may mislead whoever uses a column: `is text, as 'pending' is no date: ...`."""

    text: str
    affected: Affected = Affected.ALL


class _Kind(Enum):
    """What the cells of a column are read as."""

    NUMBERS = auto()
    DATES = auto()
    TEXTS = auto()


@dataclass(frozen=True, slots=True)
class _Oddity:
    """Something about the cells of a column that one of them shows."""

    kind: _Kind
    """It matters if the column is read as this kind."""
    example: str
    """The SQL of that cell, an aggregate over the cells of a column; null if there is none."""
    text: str
    """The remark. `{example}` stands for the cell, `{least}` and `{greatest}` for the first and the
    last one in the order of texts."""
    affected: Affected = Affected.ALL


_SHORTENED: Final = r"\d[.,]\d{1,5}E[+]1\d|\d[.]\d{14}e[+]1\d"
"""A long whole number as a spreadsheet shows it, or with the 15 digits that it keeps."""
_MONTH_AND_YEAR: Final = r"([1-9]|1[0-2])[.](19|20)\d\d"
"""A number that may be a month: `10.2024`."""
_ODDITIES: Final = (
    # `1.10` beside `1.9`: a number that ends with a zero although others have fewer decimals
    _Oddity(
        _Kind.NUMBERS,
        "case when bool_and(number is not null and regexp_full_match(text, '\\d+([.]\\d+)?')) filter (is_value) "
        "and count(distinct length(decimals)) filter (is_value and decimals <> '') > 1 "
        "and max(length(decimals)) filter (is_value) = 2 "
        "then min(cell) filter (is_value and regexp_matches(decimals, '[1-9]0$')) end",
        "is read as numbers, in which {example!r} is {without_zeros}: "
        "versions or sections would be texts",
    ),
    _Oddity(
        _Kind.NUMBERS,
        "case when count(*) filter (is_value) > 1 "
        f"and bool_and(regexp_full_match(text, '{_MONTH_AND_YEAR}')) filter (is_value) "
        "then min(cell) filter (is_value) end",
        "is read as numbers, of which {example!r} may be a month: "
        "the order of months is another one",
    ),
    _Oddity(
        _Kind.NUMBERS,
        f"case when bool_and(number is not null and regexp_full_match(text, '\\d+|{_SHORTENED}')) filter (is_value) "
        f"then min(cell) filter (is_value and regexp_full_match(text, '{_SHORTENED}')) end",
        "has {example!r}: a spreadsheet has shortened long numbers, "
        "of which the other digits are lost",
    ),
    # `2569-01-31` counts the years since the death of Buddha, and `1403-01-15` since the Hijra.
    _Oddity(
        _Kind.DATES,
        "coalesce(min(cell) filter (is_value and year(date) > 2300), "
        "case when bool_and(year(date) between 1300 and 1500) filter (is_value) "
        "then min(cell) filter (is_value) end)",
        "has {example!r}, which may be of another calendar, or no real date",
    ),
    _Oddity(
        _Kind.TEXTS,
        "min(cell) filter (has_unseen)",
        "has blanks or other signs that nobody sees, as in {example!r}: "
        "texts that look equal may differ",
        Affected.EQUALITY,
    ),
    # The order of texts is not what it seems to be: `10 kg` is before `9 kg`.
    _Oddity(
        _Kind.TEXTS,
        "case when "
        # `9 kg` and `10 kg`, `9.75 s` and `12.5 s`, `Room 9` and `room 10`
        "((count(distinct length(text)) filter (is_value) > 1 "
        "or count(distinct length(first_digits)) filter (is_value) > 1) "
        "and bool_and(length(beginning) < length(text)) filter (is_value) "
        "and count(distinct lower(beginning)) filter (is_value) = 1) "
        # `9:00 PM` and `10:00 AM`, `May` and `June`, `Jan 5` and `Feb 1`, `24.12.` and `2.1.`
        "or (count(*) filter (is_value) > 1 "
        "and bool_and(coalesce(is_part_of_date, false)) filter (is_value)) "
        # `Q4 2023` and `Q1 2024`, `12/2025` and `01/2026`
        "or (count(distinct year_at_end) filter (is_value) > 1 "
        "and bool_and(year_at_end <> '') filter (is_value)) "
        # `800 MB` and `1.5 GB`
        "or (count(distinct unit) filter (is_value) > 1 and bool_and(unit <> '') filter (is_value)) "
        # `2025-03-10 12:00 IST` and `2025-03-10 13:00 CST`, of which nobody knows the offsets
        "or (count(distinct zone_name) filter (is_value) > 1 "
        "and bool_and(zone_name <> '') filter (is_value)) "
        "then min(cell) filter (is_value) end",
        "is text, whose order is not that of its numbers or dates: "
        "{least!r} is the least, and {greatest!r} the greatest",
        Affected.ORDER,
    ),
)
"""What may mislead, although all cells of a column can be read in one way."""


@dataclass(frozen=True, slots=True)
class _ColumnSummary:
    """Counts of a column's cells, with examples of what is odd about them."""

    name: str
    """The name of the column in the file."""
    cell: str
    """The raw table's column: `c0`."""
    fitting: dict[str, int]
    """The number of different cells that fit each form: `{"decimal point": 3, ...}`."""
    labels: list[str]
    """The different values of a column that has few texts, and no numbers: `["EUR", "USD"]`."""
    examples: list[str | None]
    """A cell that shows each of `_ODDITIES`, or None."""
    rows: int
    blank: int
    """The number of cells without a text."""
    missing: int
    """The number of cells with a mark of a missing value, such as `n/a`."""
    missing_marks: list[str]
    values: int
    """The number of different cells that are neither blank nor missing."""
    numbers: int
    """The number of different cells that are numbers with any decimal mark."""
    number_cells: int
    date_cells: int
    example_word: str | None
    """A cell that is not a number."""
    example_no_date: str | None
    example_code: str | None
    """A code among the numbers, which stay texts then: `007`, `1E5`, `+49301234567`.

    A code begins with a zero or with the plus of a telephone number, has too many digits for a
    number, or has a letter between digits. (A program writes a power of ten with a decimal point
    or a sign: `1.5E3`, `1E+05`.)"""
    ambiguous_number: str | None
    """A number whose value depends on the decimal mark.

    `1,234` is 1234 with a decimal point, and 1.234 with a decimal comma."""
    ambiguous_date: str | None
    """A date that depends on the order of its parts: `3/4/2025`, `31-12-25`."""
    has_short_years: bool
    """True if cells are dates with years of two digits: `31.12.25`."""
    currencies: list[str]
    """The currency and percent signs beside the numbers."""
    currency_cells: int
    timed_cells: int
    """The number of dates with a time."""
    has_hours: bool
    """True if a date is later than the midnight at which its day begins."""
    zoned_cells: int
    """The number of the dates whose time has an offset from UTC: `10:00+02:00`."""
    offsets: list[int]
    """The different offsets, in minutes."""
    least_number: float | None
    greatest_number: float | None
    totals: int
    """The number of different cells that name a row of totals: `Total`."""
    are_compact_dates: bool
    """True if all cells are digits like those of dates: `20261018`."""
    are_plain_numbers: bool
    """True if DuckDB reads all cells as the same numbers by itself: `1234.5`."""
    are_plain_dates: bool
    """The same for dates: `2025-01-31`."""
    least: str | None
    greatest: str | None
    """The first and the last cell in the order of texts."""

    @property
    def cells(self) -> int:
        """The number of cells that are neither blank nor missing."""
        return self.rows - self.blank - self.missing

    @property
    def words(self) -> int:
        """The number of different cells that are neither numbers nor missing."""
        return self.values - self.numbers

    @property
    def decimal_marks(self) -> list[str]:
        """The forms in `_DECIMAL_MARKS` that fit all numbers.

        Empty if no form fits all, or if at least as many cells are words as are numbers.
        """
        if self.words >= self.numbers:
            return []
        return [form for form in _DECIMAL_MARKS if self.fitting[form] == self.numbers]

    def remarks_on(self, kind: _Kind) -> list[Remark]:
        """Return what is odd about the column if it is read as this kind."""
        remarks = []
        for oddity, example in zip(_ODDITIES, self.examples, strict=True):
            if oddity.kind is kind and example is not None:
                text = oddity.text.format(
                    example=example,
                    without_zeros=example.rstrip("0"),
                    least=self.least,
                    greatest=self.greatest,
                )
                remarks.append(Remark(text, oddity.affected))
        return remarks

    def described_texts(self, kind: str) -> str:
        """Return what a result tells of texts: `text: 3 of 5 cells; empty: 2`."""
        text = f"{kind}: {self.rows - self.blank:,} of {self.rows:,} cells"
        return f"{text}; empty: {self.blank:,}" if self.blank else text

    def described(self, kind: str, fitting_cells: int) -> str:
        """Return what a result tells: `numbers, decimal comma: 3 of 5 cells; empty ('-'): 2`."""
        text = f"{kind}: {fitting_cells:,} of {self.rows:,} cells"
        if self.missing:
            marks = [repr(mark) for mark in self.missing_marks if mark][:_SHOWN_MARKS]
            shown_marks = f" ({', '.join(marks)})" if marks else ""
            return f"{text}; empty{shown_marks}: {self.blank + self.missing:,}"
        if self.blank:
            return f"{text}; empty: {self.blank:,}"
        return text


_SUBTOTAL_WORDS: Final = "sub-?totale?s?|zwischensumme|sous-total|小計|小计"
_TOTAL_WORDS: Final = (
    f"{_SUBTOTAL_WORDS}|totals?|summen?|gesamt|gesamtsumme|gesamtbetrag|endsumme|endbetrag"
    "|insgesamt|totaux|suma|totale|totaal|totalt|ogółem|razem|celkem|összesen"
    "|toplam|合計|総計|总计|總計|合计|итого|всего|합계|총계"
)
"""What rows of totals are called, alone or behind other words: `Total`, `Net total`."""
_OTHER_TOTAL_WORDS: Final = (
    "sums?|somme|all|average|mean|durchschnitt|mittelwert|moyenne|promedio|balance|saldo|übertrag"
    "|carried forward|brought forward|opening balance|closing balance|σ"
)
"""What they are called alone, or at the beginning: `Sum of all`. `Dim Sum` is none."""
_TOTAL_AT_START: Final = rf"(?i)({_TOTAL_WORDS}|{_OTHER_TOTAL_WORDS})([^\pL]|$)"
_SHOWN_MARKS: Final = 5
"""The most marks of missing values that the description of a column names."""
_MOST_LABELS: Final = 200
_MANY_DIGITS: Final = 16
"""A number with so many digits is taken for a code. A float cannot hold all of them."""
_COMPACT_DATE: Final = r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])"
"""A number that may be a date: `20261018`."""
_TELEPHONE_DIGITS: Final = 8
"""A whole number with a plus and so many digits is a telephone number."""
_CODE: Final = rf"^[+-]?(0\d|\d{{{_MANY_DIGITS}}}|\d+[eE]\d)|^[+]\d([ ]?\d){{{_TELEPHONE_DIGITS - 1},}}$"


def _summary_query() -> str:
    """Return the query for the summaries of some columns. Each row of its result is one.

    The table `different_cells` has their cells: `(3, '1,5', 12)` is a cell of the column `c3`,
    which has it in 12 rows. Of a long cell, only the beginning is there. The query reads each cell
    in every form, and then counts the values. Instead of the field `fitting`, a row has a column for
    each form: "decimal comma" is the number of cells that can be read with a decimal comma.
    """
    marks = ", ".join(f"'{mark}'" for mark in _MISSING)
    examples = ", ".join(
        f'{oddity.example} as "{place}"' for place, oddity in enumerate(_ODDITIES)
    )
    counts = ", ".join(
        f'count("{form}") filter (is_value) as "{form}"' for form in FORMS
    )
    return f"""
    with cells as (
        select *,
            cell is not null and lower(text) in ({marks}) as is_missing,
            cell is not null and not is_missing as is_value,
            case when number is not null then rtrim(upper(regexp_extract(text, '{_SIGN}')), '.') end as currency,
            -- The beginning of a text before its first digit
            case when number is null and is_value then regexp_extract(text, '^[^0-9]*')
                else '' end as beginning,
            case when number is not null then regexp_extract(text, '^\\d+[.](\\d+)$', 1) end
                as decimals,
            case when number is null and is_value then regexp_full_match(
                text, '\\d{{1,2}}:\\d\\d.*[aApP][.]?[mM][.]?|{_MONTH}|{_DAY_WITHOUT_YEAR}|{_DAY_OF_ERA}'
                ) end as is_part_of_date,
            case when number is null and is_value then regexp_extract(text, '[0-9]+') else '' end
                as first_digits,
            case when number is null and is_value
                then regexp_extract(text, '^[0-9][0-9.,]* (\\pL{{1,4}})$', 1) else '' end as unit,
            case when number is null and is_value
                then regexp_extract(text, ':\\d\\d ([A-Z]{{1,4}})$', 1) else '' end as zone_name,
            case when number is null and is_value
                then regexp_extract(text, '[^0-9]((?:19|20)\\d\\d|''\\d\\d)$', 1)
                else '' end as year_at_end,
            number is null and is_value and length(cell) <= {_LONGEST_VALUE}
                and cell <> if(strlen(cell) = length(cell), trim(cell), {_VISIBLE_TEXT}) as has_unseen,
            date is not null and clock <> '' as is_timed
        from ({_with_readings("select * from different_cells")})
    )
    select {counts},
        sum(times)::bigint as rows,
        coalesce(sum(times) filter (cell is null), 0)::bigint as blank,
        coalesce(sum(times) filter (is_missing), 0)::bigint as missing,
        list_sort(list(trim(cell)) filter (is_missing)) as missing_marks,
        count(*) filter (is_value) as values,
        count(number) filter (is_value) as numbers,
        coalesce(sum(times) filter (is_value and number is not null), 0)::bigint as number_cells,
        coalesce(sum(times) filter (is_value and date is not null), 0)::bigint as date_cells,
        min(cell) filter (is_value and number is null) as example_word,
        min(cell) filter (is_value and date is null) as example_no_date,
        min(cell) filter (number is not null and regexp_matches(text, '{_CODE}')) as example_code,
        min(cell) filter ("decimal point" <> "decimal comma") as ambiguous_number,
        min(cell) filter (
            "day first" <> "month first" or "year first" <> coalesce("day first", "month first")
        ) as ambiguous_date,
        coalesce(bool_or(date is not null and has_short_year), false) as has_short_years,
        list_sort(list(distinct currency) filter (currency <> '')) as currencies,
        coalesce(sum(times) filter (currency <> ''), 0)::bigint as currency_cells,
        coalesce(sum(times) filter (is_timed), 0)::bigint as timed_cells,
        coalesce(bool_or(is_timed and time <> interval 0 hours), false) as has_hours,
        coalesce(sum(times) filter (is_timed and zone <> ''), 0)::bigint as zoned_cells,
        list_sort(list(distinct offset_minutes) filter (is_timed and zone <> '')) as offsets,
        min(number) as least_number,
        max(number) as greatest_number,
        count(*) filter (regexp_matches(text, '{_TOTAL_AT_START}')) as totals,
        coalesce(bool_and(number is not null and regexp_full_match(text, '{_COMPACT_DATE}'))
            filter (is_value), false) as are_compact_dates,
        coalesce(bool_and(cell is null or coalesce(try_cast(cell as double) = "decimal point", false)), false)
            as are_plain_numbers,
        coalesce(bool_and(cell is null or coalesce(try_cast(cell as date) = date, false)), false)
            as are_plain_dates,
        min(cell) filter (is_value) as least,
        max(cell) filter (is_value) as greatest,
        {examples}
    from cells group by number_of_column order by number_of_column
    """


def _labels_of(number: int) -> list[str]:
    """Return the different values of a column, in order, without marks of a missing value."""
    cells = database.execute(
        "select distinct trim(cell) from different_cells where number_of_column = $1 order by all",
        [number],
    ).fetchall()
    return [cell for (cell,) in cells if cell and cell.lower() not in _MISSING]


_COLUMNS_AT_ONCE: Final = 20
"""The columns that are summarized by one query, which takes 0.1 s for DuckDB to plan."""


def _summaries(names: Sequence[str]) -> list[_ColumnSummary]:
    """Return the summaries of the columns of the raw table, which have these names in the file."""
    summaries: list[_ColumnSummary] = []
    while len(summaries) < len(names):
        first = len(summaries)
        end = min(first + _COLUMNS_AT_ONCE, len(names))
        columns = " union all ".join(
            f"select {number} as number_of_column, "
            f"left(c{number}, {_LONGEST_VALUE + 1}) as cell, count(*) as times "
            f"from {RAW_TABLE} group by all "
            f"union all select {number}, null, 0"  # A column may have no cells.
            for number in range(first, end)
        )
        database.execute(f"create or replace temp table different_cells as {columns}")
        cursor = database.execute(_summary_query())
        fields = [description[0] for description in cursor.description]
        for number, row in enumerate(cursor.fetchall(), start=first):
            values: dict[str, Any] = dict(zip(fields, row, strict=True))
            # The query has a column for each form. The others are the fields of the summary.
            fitting = {form: values.pop(form) for form in FORMS}
            examples = [values.pop(str(place)) for place, _ in enumerate(_ODDITIES)]
            labels = []
            if values["numbers"] == 0 and values["values"] <= _MOST_LABELS:
                labels = _labels_of(number)
            for field in ("missing_marks", "currencies", "offsets"):
                # DuckDB returns null for an empty list.
                values[field] = values[field] or []
            summaries.append(
                _ColumnSummary(
                    names[number], f"c{number}", fitting, labels, examples, **values
                )
            )
    database.execute("drop table if exists different_cells")
    return summaries


# What a column is read as, and what is told of it.
#
# `1.5` has a point and `0,25` a comma, but `1,234` may have either. A wrong choice makes a number
# a thousand times too large. So the form of a column is in doubt if its cells do not decide, and
# if some cells do not fit, the column is not what it seems to be. Both is told.

_MIXED_SHARE: Final = 0.2
"""A column of texts is told to be mixed if this share of its cells are numbers or dates."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the file, and how its cells are read.

    | cells            | description                         | form            | doubt         |
    | ---------------- | ----------------------------------- | --------------- | ------------- |
    | `Berlin`, `Bonn` | `text: 2 of 2 cells`                |                 |               |
    | `1,5`, `0,25 €`  | `numbers, decimal comma, €: ...`    | `decimal comma` |               |
    | `1,234`          | `numbers: 1 of 1 cells`             | `decimal point` | `'1,234' ...` |

    Queries can use a column `amount` with a certain form, or with texts, as `amount`. If its form
    is in doubt, they can use its text, `amount as written`. If it has a few words among numbers,
    there is also `amount as number`, in which the words are null.
    """

    name: str
    cell: str
    """The raw table's column: `c0`."""
    description: str
    """What the column is read as, and how many of its cells: `numbers: 3 of 3 cells`."""
    form: str = ""
    """One of `FORMS`; empty if the cells are texts, or do not all fit one form."""
    doubt: str = ""
    """Why it may be wrong to read the column in this form. Empty if it is certain."""
    may_be_read_as_number: bool = False
    """True for numbers among a few words: `5`, `7`, `many`.

    The form is in doubt, but queries can read the column as numbers. The words are then null.
    """
    remarks: tuple[Remark, ...] = ()
    """What may mislead whoever uses the column."""
    is_unsigned: bool = False
    """True for numbers of which none is below zero."""
    value: str = ""
    """The SQL for a value, from the readings of a cell. Empty for a text."""
    plain_type: str = ""
    """The type to which DuckDB can cast the cells: `double`. Empty if it can't."""
    has_hours: bool = False
    """True for dates with times, if one is later than midnight."""
    common_offset: str = ""
    """The offset of all stamps, which are read without it: `+02:00`."""

    @property
    def note(self) -> str:
        """What a result tells of the column: its description, or how queries can use it."""
        if not self.doubt:
            return self.description
        note = f'not certain, as {self.doubt}; "{self.name} as written" is its text'
        if self.may_be_read_as_number:
            note += f', "{self.name} as number" is null there'
        return note

    @property
    def doubts(self) -> list[str]:
        """What may mislead queries: `when is text, as 'pending' is no date: ...`."""
        doubts = []
        for remark in self.remarks:
            if remark.affected is Affected.ALL:
                doubts.append(f"{self.name} {remark.text}")
        if self.doubt:
            doubts.append(f"{self.name} is {self.note}")
        return doubts

    @property
    def text_name(self) -> str:
        """The name by which queries use the column's text, case-folded; empty for values.

        (DuckDB ignores case in names.)
        """
        if self.doubt:
            return f"{self.name} as written".casefold()
        return "" if self.value else self.name.casefold()


def _preferred_or_all(
    fitting_forms: list[str], preferred_forms: Collection[str]
) -> list[str]:
    """Return the forms to choose from: the preferred ones that fit, or else all that fit.

    Cells like `1,234` fit `decimal point` and `decimal comma`. If the script has said
    `decimal comma` -> `["decimal comma"]`.
    """
    preferred = [form for form in fitting_forms if form in preferred_forms]
    return preferred or fitting_forms


def _column_of(summary: _ColumnSummary, preferred_forms: Collection[str]) -> Column:
    """Return a column with its form: for cells `3.4.2025` and `n/a`, it is `day first`.

    `summary` counts the column's cells. If they fit several forms, as `1,234` does, the one in
    `preferred_forms` is chosen: what the script said, or what other columns of the file show.
    """
    column = _column_of_dates(summary, preferred_forms)
    if column is None:
        column = _column_of_numbers(summary, preferred_forms)
    if column is None:
        column = _column_of_texts(summary)
    return column


def _column_of_dates(
    summary: _ColumnSummary, preferred_forms: Collection[str]
) -> Column | None:
    """Return a column of dates, or of stamps; None if some cells are neither.

    The form is in doubt if `3/4/2025` may be in March or in April.
    """
    fitting_orders = [
        order for order in _DATE_ORDERS if 0 < summary.values == summary.fitting[order]
    ]
    is_partly_zoned = 0 < summary.zoned_cells < summary.cells
    if not fitting_orders or is_partly_zoned:
        return None
    candidates = _preferred_or_all(fitting_orders, preferred_forms)
    order = candidates[0]

    doubt = ""
    # `3/3/2025` alone fits two orders, too, but is the same day in both.
    if len(candidates) > 1 and summary.ambiguous_date:
        parts = " or the ".join(candidate.split()[0] for candidate in candidates)
        forms = " or ".join(repr(candidate) for candidate in candidates)
        doubt = (
            f"{summary.ambiguous_date!r} may have the {parts} first: say form={forms}"
        )

    # `2025-01-31T10:00+02:00` and `2025-01-31T09:30Z` are compared as instants.
    kind = "dates"
    value = f'cast("{order}" as date)'
    common_offset = ""
    if summary.timed_cells:
        kind = "dates with times"
        value = f'"{order}"'
    if len(summary.offsets) > 1 or 0 in summary.offsets:
        kind = "instants, shown in UTC"
        value = f'to_timestamp(epoch("{order}") - 60 * offset_minutes)'
    elif summary.offsets:
        common_offset = _offset_text(summary.offsets[0])
        kind = f"dates with times, all at {common_offset}, read without it"
    details = [kind]
    if order != "year first":
        details.append(f"{order}, shown as year-month-day")
    if summary.has_short_years:
        details.append(_SHORT_YEARS_TOLD)
    untimed_cells = summary.cells - summary.timed_cells
    if summary.timed_cells and untimed_cells:
        details.append(f"{untimed_cells:,} without a time are at 00:00")
    return Column(
        summary.name,
        summary.cell,
        summary.described(", ".join(details), summary.cells),
        order,
        doubt,
        value=value,
        plain_type="date" if kind == "dates" and summary.are_plain_dates else "",
        remarks=tuple(summary.remarks_on(_Kind.DATES)),
        has_hours=summary.has_hours,
        common_offset=common_offset,
    )


def _offset_text(minutes: int) -> str:
    """Return an offset from UTC: 120 -> `+02:00`."""
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}"


def _column_of_numbers(
    summary: _ColumnSummary, preferred_forms: Collection[str]
) -> Column | None:
    """Return a column of numbers; None for a column of texts.

    `summary` counts the column's cells: those of `1,5`, `0,25` -> `decimal comma`. A column
    has texts if some are codes, such as `0543`, or if at least as many cells are words as are
    numbers. Fewer words put the form in doubt.
    """
    if summary.example_code or summary.words >= summary.numbers:
        return None
    # The marks with which all numbers can be read: for `1.5`, `5` only a point; for `5`,
    # `1,234` both; for `1.5`, `0,25` neither.
    fitting_marks = summary.decimal_marks
    candidates = _preferred_or_all(fitting_marks, preferred_forms)
    mark = candidates[0] if candidates else ""

    doubts = []
    if not candidates:
        doubts.append("its numbers have different decimal marks")
    if len(candidates) > 1 and summary.ambiguous_number:
        doubts.append(
            f"{summary.ambiguous_number!r} may be with a decimal point or comma: "
            "say form='decimal comma' or 'decimal point'"
        )
    if len(summary.currencies) > 1:
        doubts.append(f"it has {' and '.join(summary.currencies)}")
    other_cells = summary.cells - summary.number_cells
    if other_cells:
        doubts.append(_misfits(summary.example_word, "number", other_cells, summary))
    remarks = summary.remarks_on(_Kind.NUMBERS)
    unsigned_cells = summary.number_cells - summary.currency_cells
    if "%" in summary.currencies and unsigned_cells:
        remarks.append(Remark(f"has % in some cells, and none in {unsigned_cells:,}"))

    is_plain = mark == "decimal point" and summary.are_plain_numbers
    # If all numbers are like `5`, the mark makes no difference, and is not told.
    details = ["numbers"]
    if mark and (len(fitting_marks) == 1 or summary.ambiguous_number):
        details.append(mark)
    if summary.are_compact_dates:
        details.append(f"written like the date {summary.least}")
    details += summary.currencies
    if summary.currencies and unsigned_cells:
        details.append(f"without in {unsigned_cells:,} cells")
    return Column(
        summary.name,
        summary.cell,
        summary.described(", ".join(details), summary.number_cells),
        mark,
        "; ".join(doubts),
        may_be_read_as_number=mark != "" and summary.words > 0,
        remarks=tuple(remarks),
        is_unsigned=(summary.least_number or 0) >= 0,
        value=f'"{mark}"' if mark else "",
        plain_type="double" if is_plain else "",
    )


def _column_of_texts(summary: _ColumnSummary) -> Column:
    """Return a column of texts, with what is told if they look otherwise."""
    reason = ""
    others_of_dates = summary.cells - summary.date_cells
    unzoned_cells = summary.date_cells - summary.zoned_cells
    most_fitting = max(summary.date_cells, summary.number_cells)
    if summary.example_code and summary.words < summary.numbers:
        description = summary.described_texts(
            f"text, as {summary.example_code!r} is a code"
        )
    elif summary.date_cells and not others_of_dates:
        reason = "its dates have different forms"
        if summary.zoned_cells and unzoned_cells:
            reason = (
                f"{unzoned_cells:,} of {summary.cells:,} cells have no offset from UTC"
            )
    elif most_fitting and most_fitting >= _MIXED_SHARE * summary.cells:
        if summary.date_cells >= summary.number_cells:
            reason = _misfits(summary.example_no_date, "date", others_of_dates, summary)
        else:
            others_of_numbers = summary.cells - summary.number_cells
            reason = _misfits(
                summary.example_word, "number", others_of_numbers, summary
            )
    else:
        description = summary.described_texts("text")
    remarks = [*summary.remarks_on(_Kind.TEXTS), *_remarks_on_labels(summary)]
    if reason:
        description = f"text, as {reason}"
        remarks = [
            remark for remark in remarks if remark.affected is not Affected.ORDER
        ]
        remarks.append(Remark(f"is {description}"))
    return Column(summary.name, summary.cell, description, remarks=tuple(remarks))


_UNITS_HEADER: Final = re2.compile(
    r"(?i)units?|uom|einheit(en)?|maßeinheit|mengeneinheit|me|unités?|unidad(es)?|unità|eenheid|jednostka|单位|単位"
)
"""The name of a column with the units of the numbers beside it."""
_TEMPERATURES: Final = frozenset({"temperature", "fahrenheit", "kelvin"})
_PACKAGES: Final = frozenset(
    [
        "pc",
        "pcs",
        "piece",
        "pieces",
        "stk",
        "st",
        "stück",
        "ea",
        "each",
        "box",
        "boxes",
        "karton",
        "kiste",
        "pack",
        "packs",
    ]
)
"""Units of goods in lower case, which only the name of the column shows to be units."""
_OPPOSITES: Final = (
    *(("debit", "credit"), ("dr", "cr"), ("d", "c"), ("d", "k"), ("débit", "crédit")),
    *(("soll", "haben"), ("s", "h"), ("debe", "haber"), ("dare", "avere")),
    *(("in", "out"), ("eingang", "ausgang"), ("zugang", "abgang")),
    *(("deposit", "withdrawal"), ("income", "expense"), ("einnahme", "ausgabe")),
    *(("sale", "refund"), ("sale", "return"), ("payment", "refund"), ("buy", "sell")),
    *(("invoice", "credit note"), ("rechnung", "gutschrift")),
)
"""Words that say whether the number beside them is added or taken away, in lower case."""
_SHOWN_LABELS: Final = 3


def _remarks_on_labels(summary: _ColumnSummary) -> list[Remark]:
    """Return what is told if a column has the units or the signs of the numbers beside it."""
    labels = {label.casefold().rstrip("."): label for label in summary.labels}
    if len(labels) < 2:
        return []
    for pair in _OPPOSITES:
        is_word = len(pair[0]) > 2
        if labels.keys() == set(pair) or (is_word and labels.keys() > set(pair)):
            first, second = (labels[word] for word in pair)
            text = f"has {first} and {second}: a sum over all rows adds both, as no number is below zero"
            return [Remark(text, Affected.UNSIGNED_SUMS)]
    if not _are_units(summary.name, summary.labels):
        return []
    shown_labels = list(labels.values())
    if all(label in CURRENCIES for label in map(str.upper, labels)):
        shown_labels = [label.upper() for label in labels]
    names = " and ".join(shown_labels[:_SHOWN_LABELS])
    return [Remark(f"has {names}: a sum over all rows mixes them", Affected.SUMS)]


def _are_units(name: str, labels: Sequence[str]) -> bool:
    """Return True if a column's different texts are units of one quantity, or currencies.

    In a column that is called `unit`, one that is known is enough.
    """
    quantities = {_quantity_of(label) for label in labels}
    if _UNITS_HEADER.fullmatch(name.strip()) is not None:
        return quantities != {""} or any(
            label.casefold() in _PACKAGES or "/" in label for label in labels
        )
    return "" not in quantities and (
        len(quantities) == 1 or quantities <= _TEMPERATURES
    )


def _quantity_of(label: str) -> str:
    """Return what a unit measures: `mass` for `kg`; empty if it is not known."""
    if label.upper() in CURRENCIES:
        return "currency"
    unit = locale_names().units.get(label)
    return UNIT_BY_NAME[unit].quantity if unit else ""


def _misfits(
    example: str | None, kind: str, count: int, summary: _ColumnSummary
) -> str:
    """Return how many cells are not of a kind: `'many' is no number: 1 of 3 cells`."""
    return f"{example!r} is no {kind}: {count:,} of {summary.cells:,} cells"


_MOST_DECIMALS: Final = 6
"""Numbers with more decimals are measured or computed, and are no money."""
_SPARE_DECIMALS: Final = 3
"""Decimals for a mean of two numbers, such as a median, which DuckDB cuts to those of the type."""
_DECIMAL_WIDTH: Final = 19
"""The digits of a decimal. DuckDB computes products of narrower ones in 64 bits, which overflow."""
_MOST_OF_NARROW_DECIMAL: Final = 10**9
_WIDEST_DECIMAL: Final = 38
_EXACT_DIGITS: Final = 15
"""The digits that a float holds exactly."""


def _doubted_after_split(column: Column, long_line: int) -> Column:
    """Return a column that may have wrong numbers, because one was split.

    If commas separate cells, `1,200` without quotation marks became the cells `1` and `200`.
    So the row on `long_line` has a cell too many, and all later cells are shifted.
    """
    is_text = not column.form
    if is_text or column.doubt:
        return column
    doubt = f"line {long_line} has more cells than the header"
    return replace(column, doubt=doubt, may_be_read_as_number=True)


def _preferred_forms(
    path: str, stated_form: str, summaries: list[_ColumnSummary]
) -> list[str]:
    """Return the forms to use for cells that fit several forms, such as `1,234`.

    They come from the script or else from the file; empty if neither shows them.
    """
    # A script may state several forms in one text: `decimal comma, day first`.
    stated = [form for form in FORMS if form in stated_form]
    if stated:
        return stated
    # The sheets of a workbook were converted to texts with a decimal point.
    if ".xlsx/" in path.lower():
        return ["decimal point"]
    # A column with `1.5` and `0.25` shows the decimal mark of the whole file.
    shown_marks = set()
    for summary in summaries:
        if len(summary.decimal_marks) == 1:
            shown_marks.add(summary.decimal_marks[0])
    return list(shown_marks) if len(shown_marks) == 1 else []


# Numbers that stand for missing values.
#
# Many files of measures have `-9999` or `999` where nothing was measured. A mean would be far from
# the truth.

_FILLERS: Final = tuple(
    sign * (10**digits - 10**-decimals)  # `-9999`, `999.9`
    for digits in range(2, 8)
    for decimals in range(3)
    for sign in (1, -1)
) + (-8888,)
"""Such numbers: nines, which may have decimals."""
_LEAST_CERTAIN_FILLER: Final = 999
_LEAST_MEASURES: Final = 3


@dataclass(frozen=True, slots=True)
class _Measures:
    """The numbers of a column, with those that may stand for missing values apart."""

    least_filler: float
    greatest_filler: float
    high_fillers: int
    least: float
    greatest: float
    count: int
    ending_with_nine: int

    SQL: ClassVar = (
        "min(NUMBER) filter (NUMBER in FILLERS)",
        "max(NUMBER) filter (NUMBER in FILLERS)",
        "count(NUMBER) filter (NUMBER in FILLERS and NUMBER > 0)",
        "min(NUMBER) filter (NUMBER not in FILLERS)",
        "max(NUMBER) filter (NUMBER not in FILLERS)",
        "count(NUMBER) filter (NUMBER not in FILLERS)",
        "count(NUMBER) filter (NUMBER not in FILLERS"
        " and (NUMBER % 10 = 9 or round(NUMBER * 100) % 10 = 9))",
    )
    """How a query computes the fields, in their order."""

    @property
    def filler(self) -> float | None:
        """The number that seems to stand for missing values, if there is one."""
        farthest = max(abs(self.least), abs(self.greatest))
        # A refund of -99 stands beside a price of 99.
        if self.least_filler < 0 and self.greatest_filler != -self.least_filler:
            is_certain = self.least_filler <= -_LEAST_CERTAIN_FILLER
            is_far = self.least_filler < -3 * farthest
            if (self.least >= 0 and (is_certain or is_far)) or (is_certain and is_far):
                return self.least_filler
        # If most of the other numbers end with a 9, too, all are prices.
        if self.greatest_filler > 0 and 2 * self.ending_with_nine <= self.count:
            factor = 10 if self.high_fillers > 1 else 50
            if self.greatest_filler > factor * farthest:
                return self.greatest_filler
        return None


# Rows of totals, which hold the sums of other rows.
#
# People write `Total` below the amounts, and `Subtotal` between them. A sum over the column would
# count them twice.

_TOTAL: Final = (
    rf"(?i)[^\pL\pN]*((\S+ ){{0,2}}({_TOTAL_WORDS})|{_OTHER_TOTAL_WORDS}"
    rf"|total (general|général|gral[.]?)|({_SUBTOTAL_WORDS})[:.]?( \S+){{1,3}})[^\pL\pN]*(\(.*\))?"
)
"""The name of a row of totals: `Total`, `Net total`, `**Summe**:`, `Total (EUR)`, `Subtotal North`."""
_TOTAL_AT_END: Final = rf"(?i)({_TOTAL_WORDS}|{_OTHER_TOTAL_WORDS})[:.]?( \S+){{0,3}}"
"""The name of such a row if it is the first or the last one: `Total for 2025`, `All regions`."""
_LEAST_SUMMED_ROWS: Final = 3
"""A last number is told to be the sum of at least so many others. 1, 2, 3 are a count."""
_MOST_NAMED_SHARE: Final = 0.5
"""If more of the rows have such a name, they are no rows of totals."""
_SHOWN_TOTALS: Final = 3


def _named_totals(summaries: Sequence[_ColumnSummary]) -> dict[str, list[int]]:
    """Return the lines of rows that are called totals, by that name: `{"Total": [5]}`."""
    lines_by_name: defaultdict[str, list[int]] = defaultdict(list)
    seen_lines = set()
    for summary in summaries:
        if not summary.totals:
            continue
        cell = summary.cell
        rows = database.execute(
            f"select {LINE}, trim({cell}) from {RAW_TABLE} where "
            f"regexp_full_match(trim({cell}), '{_TOTAL}') or ("
            f"{LINE} in (select unnest([min({LINE}), max({LINE})]) from {RAW_TABLE}) "
            f"and regexp_full_match(trim({cell}), '{_TOTAL_AT_END}')) order by {LINE}"
        ).fetchall()
        if len(rows) > max(1, _MOST_NAMED_SHARE * summary.rows):
            continue
        for line, name in rows:
            if line not in seen_lines:
                seen_lines.add(line)
                lines_by_name[name].append(line)
    if len(lines_by_name) <= _SHOWN_TOTALS:
        return dict(lines_by_name)
    # `North Total`, `South Total`, ... are told together, with one of the names.
    return {min(lines_by_name): sorted(seen_lines)}


def _doubt_on_totals(
    lines: Sequence[int], shown_name: str, totals: Sequence[str]
) -> str:
    """Return the sentence on rows of totals."""
    name = f" ({shown_name!r})" if shown_name else ""
    if len(lines) == 1:
        rows, pronoun = f"line {lines[0]}{name} may be a row of totals", "it"
    else:
        shown_lines = ", ".join(str(line) for line in lines[:_SHOWN_TOTALS])
        if len(lines) > _SHOWN_TOTALS:
            shown_lines += f" and {len(lines) - _SHOWN_TOTALS:,} more"
        rows, pronoun = f"lines {shown_lines}{name} may be rows of totals", "them"
    return f"{rows}: a sum over {', '.join(totals)} counts {pronoun}, too"


_table_numbers: Final = count()
_BESIDE: Final = " positional join "
"""Joins tables row by row, by their order."""


class Table:
    """The rows of one file. Created when a script first reads the file as a table."""

    def __init__(self, path: str, text: str, stated_form: str = "") -> None:
        """Load the table from a file's text.

        `stated_form` is how the script says that ambiguous numbers and dates are read,
        such as `decimal comma`. Raises `CallError` if the text is not a table.
        """
        self.path = path
        self._name = f"table_{next(_table_numbers)}"  # In DuckDB.
        rows = RawRows(path, text)
        try:
            rows.load()  # Creates the raw table.
        except (csv.Error, duckdb.Error, ValueError) as error:
            msg = f"{path} cannot be read as a table, near line {rows.line}: {error}"
            raise CallError(error_codes.INVALID_ARGUMENT, msg) from None
        self.names = rows.columns.names
        """The names of the columns in the file."""
        self.assumed = rows.assumed
        """How the file was read, such as `cells are separated by semicolons`."""
        self.columns: dict[str, Column] = {}
        """The columns of the file, by their names, case-folded."""
        self.sql: dict[str, str] = {LINE: LINE}
        """The SQL for the value of each column that queries can use, from `_rows`.

        In the raw table, all cells are texts, and columns are called `c0`, `c1` and so on:
        `{"city": "c0", "amount as written": "c1", ...}`."""
        self._rows = RAW_TABLE
        """The raw table, beside which stand tables with the values of its columns."""
        self._numbers: list[str] = []
        """The names of columns that queries can add up."""

        summaries = _summaries(self.names)
        preferred_forms = _preferred_forms(path, stated_form, summaries)
        for index, summary in enumerate(summaries):
            column = _column_of(summary, preferred_forms)
            if rows.unfit.may_be_split(index):
                column = _doubted_after_split(column, rows.unfit.longer[0])
            self._add(column)
        if any(
            number in _FILLERS
            for summary in summaries
            for number in (summary.least_number, summary.greatest_number)
        ):
            self._add_remarks_on_fillers()
        self._make_exact()
        self._doubts_on_rows = [*rows.doubts, *self._doubts_on_totals(summaries)]
        """What may be read wrongly, such as rows with fewer cells than the header."""

        selected = ", ".join(
            f"{sql} as {quoted(name)}" for name, sql in self.sql.items()
        )
        database.execute(
            f"create temp table {self._name} as select {selected} from {self._rows}"
        )
        for table in self._rows.split(_BESIDE):
            database.execute(f"drop table {table}")

    def _add(self, column: Column) -> None:
        """Add a column of the file, under the names by which queries can use it."""
        name = column.name
        self.columns[name.casefold()] = column
        value = ""
        if column.value and (not column.doubt or column.may_be_read_as_number):
            value = self._value_of(column)
        if not column.doubt:
            self.sql[name] = value or column.cell
        else:
            self.sql[f"{name} as written"] = column.cell
            name = f"{name} as number"
            if column.may_be_read_as_number:
                self.sql[name] = value
        if name in self.sql and column.form in _DECIMAL_MARKS:
            self._numbers.append(name)

    def _value_of(self, column: Column) -> str:
        """Return the SQL for the values of a column, read in its form."""
        cell = column.cell
        if column.plain_type:
            return f"try_cast({cell} as {column.plain_type})"
        table = f"values_of_{cell}"
        value = f"value_of_{cell}"
        # Each different cell is read once. The lines of a file are in order in the raw table, too.
        different_cells = _with_readings(
            f"select distinct {cell} as cell from {RAW_TABLE}",
            with_dates=column.form in _DATE_ORDERS,
        )
        database.execute(
            f"create or replace temp table {table} as select {value} from {RAW_TABLE} "
            f"left join (select cell, {column.value} as {value} from ({different_cells})) "
            f"on {cell} = cell order by {LINE}"
        )
        self._rows += f"{_BESIDE}{table}"
        return value

    def _aggregates(self, *expressions: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Yield the name of each column that can be added up, and expressions over its values.

        In the expressions, such as `sum(NUMBER)`, the value is called `NUMBER`. One query computes
        them for all columns.
        """
        selected = []
        for name in self._numbers:
            for expression in expressions:
                selected.append(expression.replace("NUMBER", self.sql[name]))
        if not selected:
            return
        sql = f"select {', '.join(selected)} from {self._rows}"
        row = database.execute(sql).fetchone()
        assert row is not None, "aggregates are one row"
        for index, name in enumerate(self._numbers):
            first = index * len(expressions)
            yield name, row[first : first + len(expressions)]

    def _add_remarks_on_fillers(self) -> None:
        """Tell of numbers that seem to stand for missing values: `temp has -9999, which ...`."""
        fillers = f"({', '.join(map(repr, _FILLERS))})"
        sql = [text.replace("FILLERS", fillers) for text in _Measures.SQL]
        for name, values in self._aggregates(*sql):
            least_filler, *_, count, _ending = values
            if least_filler is None or count < _LEAST_MEASURES:
                continue
            filler = _Measures(*values).filler
            if filler is None:
                continue
            key = name.removesuffix(" as number").casefold()
            column = self.columns[key]
            text = f"has {filler:.12g}, which may stand for a missing value"
            self.columns[key] = replace(column, remarks=(*column.remarks, Remark(text)))

    def _make_exact(self) -> None:
        """Turn numbers with few decimals into decimals, so that 0.10 + 0.20 is 0.30.

        They stay floats if a column has whole numbers only, or numbers with many digits.
        """
        aggregates = self._aggregates(
            r"max(length(regexp_extract(NUMBER::varchar, '[.](\d*[1-9])$', 1)))",
            "bool_and(NUMBER = 0 or abs(NUMBER) >= 1e-4)",
            "max(abs(NUMBER))",
        )
        for name, (decimals, is_moderate, greatest) in aggregates:
            if not is_moderate or not 0 < decimals <= _MOST_DECIMALS:
                continue
            width = _DECIMAL_WIDTH
            if greatest > _MOST_OF_NARROW_DECIMAL:
                width = _WIDEST_DECIMAL
            if greatest < 10 ** (_EXACT_DIGITS - decimals):
                digits = f"{width}, {decimals + _SPARE_DECIMALS}"
                self.sql[name] = f"cast({self.sql[name]} as decimal({digits}))"

    def _doubts_on_totals(self, summaries: Sequence[_ColumnSummary]) -> list[str]:
        """Return what is told of rows that seem to hold totals.

        `line 5 ('Total') may be a row of totals: a sum over amount counts it, too`
        """
        lines_by_name = _named_totals(summaries)
        columns_of_line = self._columns_by_line_of_sum()
        doubts = []
        for shown_name, lines in lines_by_name.items():
            in_lines = f"{LINE} in ({', '.join(map(str, lines))})"
            totals = [
                name
                for name, (values,) in self._aggregates(
                    f"count(NUMBER) filter ({in_lines})"
                )
                if values
            ]
            if totals:
                doubts.append(_doubt_on_totals(lines, shown_name, totals))
            for line in lines:
                columns_of_line.pop(line, None)
        for line, totals in columns_of_line.items():
            doubts.append(_doubt_on_totals([line], "", totals))
        return doubts

    def _columns_by_line_of_sum(self) -> dict[int, list[str]]:
        """Return the columns whose first or last number is the sum of all others, by its line."""
        columns_of_line: defaultdict[int, list[str]] = defaultdict(list)
        aggregates = self._aggregates(
            f"min({LINE}) filter (NUMBER is not null)",
            f"arg_min((NUMBER)::double, {LINE})",
            f"max({LINE}) filter (NUMBER is not null)",
            f"arg_max((NUMBER)::double, {LINE})",
            "sum((NUMBER)::double)",
            "count(NUMBER)",
            # Below two numbers, only a row without a name is taken for their sum.
            f"max({LINE}) filter (c0 is null and NUMBER is not null)",
        )
        for name, aggregate in aggregates:
            first_line, first, last_line, last, whole, filled, unnamed_line = aggregate
            for line, number in ((first_line, first), (last_line, last)):
                is_unnamed = line is not None and line == unnamed_line
                least_rows = 2 if is_unnamed else _LEAST_SUMMED_ROWS
                if number and filled > least_rows:
                    if math.isclose(number * 2, whole, rel_tol=1e-12):
                        columns_of_line[int(line)].append(name)
        return columns_of_line

    @property
    def doubts(self) -> list[str]:
        """What may be read wrongly, or mislead a query."""
        return self.doubts_on(self.names)

    def doubts_on(self, names: Iterable[str]) -> list[str]:
        """Return the doubts on the rows of the table, and on these columns of the file."""
        doubts = dict.fromkeys(self._doubts_on_rows)  # A set with an order.
        for name in names:
            doubts |= dict.fromkeys(self.columns[name.casefold()].doubts)
        return list(doubts)

    def show_as(self, name: str) -> None:
        """Let queries refer to the table as `name`."""
        database.execute(
            f"create or replace temp view {quoted(name)} as from {self._name}"
        )

    def drop(self) -> None:
        """Free the memory of the table."""
        database.execute(f"drop table {self._name}")

    def lines_of(self, names: list[str], rows: list[tuple[Any, ...]]) -> list[Plain]:
        """Return the line of the file for each row of a result, so that a script can cite it.

        `["city", "_line"]`, `[("Graz", 2), ("Linz", 5)]` -> `[2, 5]`. `names` are the result's
        columns, and `_line` is the column with the lines. The list is empty unless each row is
        an unchanged part of one line: a sum, for example, is not.
        """
        has_only_own_columns = set(names) <= self.sql.keys()
        if LINE not in names or not has_only_own_columns:
            return []
        place = names.index(LINE)
        lines = [row[place] for row in rows]
        if not all(isinstance(line, int) for line in lines):
            return []

        # A query can give a computed value the name of a column: `amount * 2 as amount`. So
        # each row is compared with the row of the table for its line.
        own_rows = self._rows_at(lines, names)
        own_row_of_line = {row[place]: row for row in own_rows}
        for line, row in zip(lines, rows, strict=True):
            if own_row_of_line.get(line) != row:
                return []
        return list[Plain](lines)

    def _rows_at(self, lines: list[int], names: list[str]) -> list[tuple[Any, ...]]:
        """Return the rows of these lines of the file, with the columns of these names."""
        columns = ", ".join(quoted(name) for name in names)
        cursor = database.execute(
            f"select {columns} from {self._name} where {LINE} in (select unnest($1::bigint[]))",
            [lines],
        )
        return cursor.fetchall()
