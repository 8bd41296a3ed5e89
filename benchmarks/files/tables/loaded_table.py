"""A CSV, TSV or JSON Lines file as a DuckDB table.

A file is loaded in two steps. Its rows become a raw table, in which all cells are
texts. Then each column becomes a column of numbers or dates if its cells can be read in
one way (see `_column_of`). Any other column stays text, and DuckDB refuses to compute with it. If
two readings are possible, as with `1,234`, queries can use the column only as `NAME as written`,
which is its text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import count
from typing import Any, Final, NamedTuple

import re2

from controlplane.benchmarks.files.tables.table_database import (
    LINE,
    RAW_TABLE,
    RawTable,
    database,
    quoted,
)
from controlplane.gates.values.notations import (
    CURRENCIES,
    UNIT_BY_NAME,
    ZONE_OFFSETS,
    locale_names,
)
from controlplane.sandbox.interface import Plain

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
_FORMS: Final = (*_DECIMAL_MARKS, *_DATE_ORDERS)

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
    *("na", "n/a", "n.a.", "#n/a", r"\n", "#nv", "k.a.", "nan", "null", "none", "nil"),
)
"""Marks of a missing value, in lower case. They become null in a column of numbers or dates."""
_WIDE_SIGNS: Final = (
    "０１２３４５６７８９．，－／：＋％￥٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹−–‐‑\u00a0\u202f\u2009"
)
_PLAIN_SIGNS: Final = "0123456789.,-/:+%¥01234567890123456789----   "
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

_LETTER: Final = r"[^\x00-@[-`{-\x7f]"
"""Any sign but those of ASCII that are no letters. The exact class takes DuckDB 2 ms wherever it stands.
What is found is looked up: it is a month, or none."""
_STAMP: Final = (
    rf"^(?:{_LETTER}+[.]?, )?(.+?)"  # `Fri, 31.12.2025`
    r"(?:(?:T|[ ,]+(?:at |um )?)(\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?)"  # `T10:00:00.5`
    r" ?(?:([AaPp])[.]?[Mm][.]?|Uhr|h)?"
    r" ?([Zz]|[A-Z]{1,4}|(?:UTC|GMT)?[+-]\d\d?(?::?\d\d)?)?)?$"  # `+02:00`, `CET`
)
_PRINTED_STAMP: Final = rf"^{_LETTER}{{3}} ({_LETTER}{{3}}) +(\d{{1,2}}) ([\d:]{{4,8}})(?: ([A-Z]{{1,4}}))? (\d{{4}})$"
_NUMBER_SHAPE: Final = (
    rf"^({_SIGN})? ?[(]?[-+]? ?({_SIGN})? ?[-+]?[.,]?[0-9][0-9.,''’ ]*"
    rf"([eE][+-]?\d+)?[-—]* ?({_SIGN})?[-)]* ?({_SIGN})?$"
)
_DATE_SHAPE: Final = (
    r"(?:^|, )\d{1,4}(?:[./-]|[.] | ?年 ?)\d{1,2}(?:[./-]|[.] | ?月 ?)\d"
    rf"|(?:^|, )\d{{1,4}}(?:[.]|st|nd|rd|th|er|º)?[ /-]*(?:de |of )?{_LETTER}{{3}}"
    rf"|(?:^|, ){_LETTER}{{3,}}[.]?[ -]\d{{1,2}}(?:st|nd|rd|th)?(?:,? |-)\d\d|^\d{{8}}T\d{{4}}"
    rf"|^{_LETTER}{{3}} {_LETTER}{{3}} +\d{{1,2}} \d"
)
"""What all numbers, and all dates, look like. A search is faster than to take a cell apart."""
_NUMERIC_DATE: Final = (
    r"^(\d{1,4})"
    r"(?:[.] ?(\d{1,2})[.] ?|([/-])(\d{1,2})[/-]| ?年 ?(\d{1,2}) ?月 ?)"
    r"(\d{1,4})日?$"
)
_NAMED_DATES: Final = {
    # `3. März 2025`, `3 de mayo de 2025`, `31-OCT-2023`, `31/Dec/2023`, `1er janvier 25`
    rf"^(\d{{1,2}})(?:[.]|st|nd|rd|th|er|º)?[ /-]*(?:de |of )?({_LETTER}+)[.]?[, /-]*(?:de )?(\d{{4}}|\d\d)$": (
        "['d', 'name', 'y']"
    ),
    # `Sep 26, 2022`
    rf"^({_LETTER}+)[.]?[ -](\d{{1,2}})(?:st|nd|rd|th)?(?:,? |-)(\d{{4}}|\d\d)$": "['name', 'd', 'y']",
    # `2022-Sep-26`
    rf"^(\d{{4}})[ -]({_LETTER}+)[.]?[ -](\d{{1,2}})$": "['y', 'name', 'd']",
}


_PLAIN_NUMBER: Final = "-?[0-9]+([.][0-9]+)?"
_IN_PARENTHESES: Final = rf"^(?:({_SIGN}) ?)?\((.*)\)( ?(?:{_SIGN}))?$"
"""A negative number as accountants write it: `(€5)`."""
_WITHOUT_CENTS: Final = rf"(\d)[.,][-—]+( ?({_SIGN}))?$"
"""The end of a price without cents: `5,- €`."""
_COMPACT_DAY: Final = r"^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)"
"""The beginning of a compact stamp: `20250131T1000`, with seconds if there are any."""


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
    number = rf"(({'|'.join(grouped)}|\d+)({decimals})?|{decimals})([eE][+-]?\d+)?"
    # The minus may be before or after the currency: -$5, $-5.
    return f"[+-]? ?({_SIGN})? ?[+-]?{number} ?({_SIGN})?"


database.execute(
    f"""
    -- Without the pattern, `Room 5` would become 5.
    create temp macro number_in(signed, pattern, plain) as case
        when regexp_full_match(signed, pattern) and isfinite(try_cast(plain as double))
        then try_cast(plain as double) end;
    -- A year of two digits is of 1969 to 2068.
    create temp macro date_of(year, month, day) as try_cast(
        case length(year)
            when 4 then year
            when 2 then if(year < '{_FIRST_SHORT_YEAR}', '20', '19') || year
        end || '-' || month || '-' || day as date);
    """
)


def _with_readings(rows: str, *, with_dates: bool = True) -> str:
    """Return the SQL for `rows`, a query with a column `cell`, with all readings of that column.

    If dates are not needed, they are left out. Each step uses those before it. The reading in a
    form is named like the form, and that of a date is a timestamp, whose time is 00:00 if the cell
    has none.
    """
    point, comma = (_number_pattern(*marks) for marks in _DECIMAL_MARKS.values())
    numbers = f"""
        from (from (from (from (from (from ({rows})
        select *, case
            when length(cell) > {_LONGEST_VALUE} then 'a long text'
            -- In ASCII, which is tested by the number of bytes, there are no other scripts' signs.
            when strlen(cell) = length(cell) then trim(cell)
            else translate(trim(cell, '{_BLANKS}'), '{_WIDE_SIGNS}', '{_PLAIN_SIGNS}') end as text)
        -- Most numbers are plain, and need not be taken apart.
        select *, regexp_full_match(text, '{_PLAIN_NUMBER}') as is_plain)
        select *,
            not is_plain and regexp_matches(text, '{_NUMBER_SHAPE}') as is_odd_number,
            not is_plain and regexp_matches(text, '{_DATE_SHAPE}') as may_be_date)
        -- `5,- €` becomes `5 €`, `(€5)` becomes `-€5`, and `5,00-` becomes `-5,00`.
        select *, case when is_plain then text when is_odd_number then regexp_replace(
            regexp_replace(regexp_replace(text, '{_WITHOUT_CENTS}', '\\1\\2'),
                '{_IN_PARENTHESES}', '-\\1\\2\\3'),
            '^([^-]*\\d)-$', '-\\1') end as signed)
        -- Without currency, and without apostrophes and blanks between thousands
        select *, case when is_plain then text
            else regexp_replace(signed, '{_SIGN}|[^0-9eE.,+-]', '', 'g') end as marks)
        select *,
            number_in(signed, '{point}', replace(marks, ',', '')) as "decimal point",
            number_in(signed, '{comma}', replace(replace(marks, '.', ''), ',', '.'))
                as "decimal comma",
            coalesce("decimal point", "decimal comma") as number
    """
    if not with_dates:
        return numbers
    named_dates = ", ".join(
        f"regexp_extract(day, '{pattern}', {parts}) as named{number}"
        for number, (pattern, parts) in enumerate(_NAMED_DATES.items())
    )
    return f"""
        from (from (from (from (from (from (from ({numbers})
        -- `20250131T1000` becomes `2025-01-31T10:00`, `Wed Jan 31 10:00:00 CET 2024` becomes
        -- `Jan 31 2024 10:00:00 CET`, and `31/Dec/2023:10:00:00` becomes `31/Dec/2023 10:00:00`.
        select *, case when may_be_date and number is null then regexp_extract(
            regexp_replace(regexp_replace(regexp_replace(regexp_replace(text,
                '{_COMPACT_DAY}(\\d\\d)($|[^\\d])', '\\1-\\2-\\3T\\4:\\5:\\6\\7'),
                '{_COMPACT_DAY}($|[^\\d])', '\\1-\\2-\\3T\\4:\\5\\6'),
                '{_PRINTED_STAMP}', '\\1 \\2 \\5 \\3 \\4'),
                '^(\\d+/{_LETTER}{{3}}/\\d{{4}}):', '\\1 '),
            '{_STAMP}', ['day', 'time', 'half', 'zone']) end as stamp)
        select *,
            stamp['day'] as day,
            stamp['time'] as clock,
            lower(stamp['half']) as half,
            coalesce(try_cast(split_part(stamp['time'], ':', 1) as integer), 0) as hour,
            case when regexp_matches(stamp['zone'], '^[A-Za-z]+$')
                then coalesce(getvariable('zones')[upper(stamp['zone'])], stamp['zone'])
                else stamp['zone'] end as zone)
        select *, {named_dates},
            regexp_extract(day, '{_NUMERIC_DATE}', ['a', 'points', 'sign', 'b', 'signs', 'c'])
                as numeric,
            regexp_extract(zone, '^(?:UTC|GMT)?([+-])(\\d\\d?):?(\\d\\d)?$', ['sign', 'h', 'm'])
                as from_utc,
            -- Noon is 12 PM, and midnight 12 AM.
            case half when 'p' then if(hour = 12, 0, 12) when 'a' then if(hour = 12, -12, 0)
                else 0 end as added_hours)
        select *,
            numeric['a'] as a,
            numeric['points'] || numeric['b'] || numeric['signs'] as b,
            numeric['c'] as c,
            numeric['sign'] <> '' as has_sign,
            numeric['signs'] <> '' as is_cjk,
            named0['y'] || named1['y'] || named2['y'] as y,
            named0['name'] || named1['name'] || named2['name'] as name,
            named0['d'] || named1['d'] || named2['d'] as d,
            if(from_utc['sign'] = '-', -1, 1) * (60 * try_cast(from_utc['h'] as integer)
                + coalesce(try_cast(from_utc['m'] as integer), 0)) as offset_minutes)
        select *,
            case when name <> '' then getvariable('months')[lower(name)]::varchar end as month_of_name,
            case
                when clock = '' then interval 0 hours
                when half <> '' and hour not between 1 and 12 then null
                when zone <> '' and offset_minutes is null then null
                when hour < 24
                    then try_cast(replace(clock, ',', '.') as interval) + to_hours(added_hours)
            end as time)
        select *,
            case when length(c) <= 2 and (length(a) = 4 or has_sign) then date_of(a, b, c) + time end
                as "year first",
            case when length(a) <= 2 and not is_cjk then date_of(c, b, a) + time end as "day first",
            case when length(a) <= 2 and has_sign then date_of(c, a, b) + time end as "month first",
            case when y <> '' then date_of(y, month_of_name, d) + time end as "month names",
            length(y) = 2 or (a <> '' and length(a) <= 2 and length(c) <= 2) as has_short_year)
        select *, coalesce({_ANY_DATE}) as date
    """


def _sql_map(values: Mapping[str, object]) -> str:
    """Return a mapping as SQL, with its keys as texts: `map {'mai': 5}`."""
    pairs = []
    for key, value in values.items():
        quoted_key = key.replace("'", "''")
        pairs.append(f"'{quoted_key}': {value!r}")
    return f"map {{{', '.join(pairs)}}}"


# As variables, which DuckDB plans faster than the same maps in a query.
database.execute(f"set variable months = {_sql_map(locale_names().months)}")
database.execute(f"set variable zones = {_sql_map(ZONE_OFFSETS)}")
_MONTH: Final = rf"^({_LETTER}+)[.]?(?:[ -]\d{{1,4}})?$"
"""A month without a day or without a year, if the letters are its name: `May`, `Oct. 2025`, `Jan 5`."""


_DAY_WITHOUT_YEAR: Final = "[0-3]?[0-9](?:[.] ?[01]?[0-9][.]|[/-][01]?[0-9])"
"""A day of any year: `24.12.`, `12/24`."""
_DAY_OF_ERA: Final = rf"{_LETTER}+(?:\d+|元)[年.]\d+[月.]\d+日?"
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


_NUMBERS: Final = "numbers"
_DATES: Final = "dates"
_TEXTS: Final = "texts"
"""What the cells of a column are read as."""


class _Oddity(NamedTuple):
    """Something about the cells of a column that one of them shows."""

    kind: str
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
        _NUMBERS,
        "case when bool_and(number is not null and regexp_full_match(text, '\\d+([.]\\d+)?')) filter (is_value) "
        "and count(distinct length(decimals)) filter (is_value and decimals <> '') > 1 "
        "and max(length(decimals)) filter (is_value) = 2 "
        "then min(cell) filter (is_value and regexp_matches(decimals, '[1-9]0$')) end",
        "is read as numbers, in which {example!r} is {without_zeros}: "
        "versions or sections would be texts",
    ),
    _Oddity(
        _NUMBERS,
        "case when count(*) filter (is_value) > 1 "
        f"and bool_and(regexp_full_match(text, '{_MONTH_AND_YEAR}')) filter (is_value) "
        "then min(cell) filter (is_value) end",
        "is read as numbers, of which {example!r} may be a month: "
        "the order of months is another one",
    ),
    _Oddity(
        _NUMBERS,
        f"case when bool_and(number is not null and regexp_full_match(text, '\\d+|{_SHORTENED}')) filter (is_value) "
        f"then min(cell) filter (is_value and regexp_full_match(text, '{_SHORTENED}')) end",
        "has {example!r}: a spreadsheet has shortened long numbers, "
        "of which the other digits are lost",
    ),
    # `2569-01-31` counts the years since the death of Buddha, and `1403-01-15` since the Hijra.
    _Oddity(
        _DATES,
        "coalesce(min(cell) filter (is_value and year(date) > 2300), "
        "case when bool_and(year(date) between 1300 and 1500) filter (is_value) "
        "then min(cell) filter (is_value) end)",
        "has {example!r}, which may be of another calendar, or no real date",
    ),
    _Oddity(
        _TEXTS,
        "min(cell) filter (has_unseen)",
        "has blanks or other signs that nobody sees, as in {example!r}: "
        "texts that look equal may differ",
        Affected.EQUALITY,
    ),
    # The order of texts is not what it seems to be: `10 kg` is before `9 kg`.
    _Oddity(
        _TEXTS,
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
_MISSING_MARKS: Final = ", ".join(f"'{mark}'" for mark in _MISSING)
_FITTING: Final = ", ".join(
    f"""'{form}': count("{form}") filter (is_value)""" for form in _FORMS
)


_SUMMARY: Final = f"""
    select
        place,
        -- The number of different cells that fit each form
        map {{{_FITTING}}} as fitting,
        -- A cell that shows each of the oddities, or null
        [{", ".join(oddity.example for oddity in _ODDITIES)}] as examples,
        sum(times)::bigint as rows,
        coalesce(sum(times) filter (cell is null), 0)::bigint as blank,
        -- Those with a mark of a missing value, such as n/a
        coalesce(sum(times) filter (is_missing), 0)::bigint as missing,
        coalesce(list_sort(list(trim(cell)) filter (is_missing)), []) as missing_marks,
        coalesce(sum(times) filter (is_value), 0)::bigint as cells,
        -- The number of different ones
        count(*) filter (is_value) as values,
        count(number) filter (is_value) as numbers,
        count(*) filter (is_value and number is null) as words,
        coalesce(sum(times) filter (is_value and number is not null), 0)::bigint as number_cells,
        coalesce(sum(times) filter (is_value and date is not null), 0)::bigint as date_cells,
        min(cell) filter (is_value and number is null) as example_word,
        min(cell) filter (is_value and date is null) as example_no_date,
        -- A code among the numbers, which stay texts then
        min(cell) filter (number is not null and regexp_matches(text, '{_CODE}')) as example_code,
        -- A cell whose value depends on the decimal mark, or on the order of day and month
        min(cell) filter ("decimal point" <> "decimal comma") as ambiguous_number,
        min(cell) filter (
            "day first" <> "month first" or "year first" <> coalesce("day first", "month first")
        ) as ambiguous_date,
        coalesce(bool_or(date is not null and has_short_year), false) as has_short_years,
        -- The currency and percent signs beside the numbers
        coalesce(list_sort(list(distinct currency) filter (currency <> '')), []) as currencies,
        coalesce(sum(times) filter (currency <> ''), 0)::bigint as currency_cells,
        -- The dates with a time, of which one is later than midnight, and which have an offset
        coalesce(sum(times) filter (is_timed), 0)::bigint as timed_cells,
        coalesce(bool_or(is_timed and time <> interval 0 hours), false) as has_hours,
        coalesce(sum(times) filter (is_timed and zone <> ''), 0)::bigint as zoned_cells,
        coalesce(list_sort(list(distinct offset_minutes) filter (is_timed and zone <> '')), [])
            as offsets,
        coalesce(min(number) >= 0, true) as is_unsigned,
        count(*) filter (regexp_matches(text, '{_TOTAL_AT_START}')) as totals,
        coalesce(bool_and(number is not null and regexp_full_match(text, '{_COMPACT_DATE}'))
            filter (is_value), false) as are_compact_dates,
        -- DuckDB reads all cells as the same numbers, or dates, by itself: 1234.5, 2025-01-31
        coalesce(bool_and(cell is null or coalesce(try_cast(cell as double) = "decimal point", false)), false)
            as are_plain_numbers,
        coalesce(bool_and(cell is null or coalesce(try_cast(cell as date) = date, false)), false)
            as are_plain_dates,
        coalesce(bool_and(regexp_full_match(text, '\\d{{1,4}}:[0-5]\\d(:[0-5]\\d)?'))
            filter (is_value), false) as are_times,
        -- The different values of a column that has few texts, and no numbers: `EUR`, `USD`
        case when numbers = 0 and values <= {_MOST_LABELS} then coalesce(
            list_sort(list_distinct(min(trim(cell), {_MOST_LABELS}) filter (is_value))), [])
            else [] end as labels,
        -- The first and the last cell in the order of texts
        min(cell) filter (is_value) as least,
        max(cell) filter (is_value) as greatest
    from (
        select *,
            cell is not null and lower(text) in ({_MISSING_MARKS}) as is_missing,
            cell is not null and not is_missing as is_value,
            case when number is not null then rtrim(upper(regexp_extract(text, '{_SIGN}')), '.') end as currency,
            -- The beginning of a text before its first digit
            case when number is null and is_value then regexp_extract(text, '^[^0-9]*')
                else '' end as beginning,
            case when number is not null then regexp_extract(text, '^\\d+[.](\\d+)$', 1) end
                as decimals,
            case when number is null and is_value then
                getvariable('months')[lower(regexp_extract(text, '{_MONTH}', 1))] is not null
                or regexp_full_match(
                    text, '\\d{{1,2}}:\\d\\d.*[aApP][.]?[mM][.]?|{_DAY_WITHOUT_YEAR}|{_DAY_OF_ERA}')
                end as is_part_of_date,
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
        from ({_with_readings("select * from cells")})
    )
    group by place order by place
"""
"""The query for the summaries of some columns. Each row of its result is one.

`cells` are their cells: `(3, '1,5', 12)` is a cell of the column `c3`, which has it in 12 rows. Of a
long cell, only the beginning is there. The query reads each cell in every form, and then counts
the values."""
_COLUMNS_AT_ONCE: Final = 20
"""The columns that are summarized by one query, which takes 0.1 s for DuckDB to plan."""


def _records(
    query: str, cells_of_columns: Sequence[str], *, kind: str
) -> Iterator[dict[str, Any]]:
    """Run a query over the cells of columns, and yield its rows by the names of their values.

    `cells_of_columns` has a query for the cells of each column, which `query` calls `cells`. Their
    `kind` is `table` for a query that would have a very large plan with them as a part of it, and
    `view` for cells that are too many for a copy.
    """
    for first in range(0, len(cells_of_columns), _COLUMNS_AT_ONCE):
        cells = " union all ".join(cells_of_columns[first : first + _COLUMNS_AT_ONCE])
        database.execute(f"create or replace temp {kind} cells as {cells}")
        cursor = database.execute(query)
        names = [description[0] for description in cursor.description]
        for row in cursor.fetchall():
            yield dict(zip(names, row, strict=True))
    database.execute(f"drop {kind} if exists cells")


@dataclass(frozen=True, slots=True)
class _ColumnSummary:
    """Counts of a column's cells, with examples of what is odd about them.

    `name` is that of the column in the file. The other fields are the values of `_SUMMARY`, which
    says what they count.
    """

    name: str
    place: int
    fitting: Mapping[str, int]
    examples: Sequence[str | None]
    rows: int
    blank: int
    missing: int
    missing_marks: Sequence[str]
    cells: int
    values: int
    numbers: int
    words: int
    number_cells: int
    date_cells: int
    example_word: str | None
    example_no_date: str | None
    example_code: str | None
    ambiguous_number: str | None
    ambiguous_date: str | None
    has_short_years: bool
    currencies: Sequence[str]
    currency_cells: int
    timed_cells: int
    has_hours: bool
    zoned_cells: int
    offsets: Sequence[int]
    is_unsigned: bool
    totals: int
    are_compact_dates: bool
    are_plain_numbers: bool
    are_plain_dates: bool
    are_times: bool
    labels: Sequence[str]
    least: str | None
    greatest: str | None

    @property
    def decimal_marks(self) -> list[str]:
        """The forms in `_DECIMAL_MARKS` that fit all numbers.

        Empty if no form fits all, or if at least as many cells are words as are numbers.
        """
        if self.words >= self.numbers:
            return []
        return [form for form in _DECIMAL_MARKS if self.fitting[form] == self.numbers]

    def remarks_on(self, kind: str) -> list[Remark]:
        """Return what is odd about the column if it is read as this kind."""
        remarks = []
        for oddity, example in zip(_ODDITIES, self.examples, strict=True):
            if oddity.kind == kind and example is not None:
                text = oddity.text.format(
                    example=example,
                    without_zeros=example.rstrip("0"),
                    least=self.least,
                    greatest=self.greatest,
                )
                remarks.append(Remark(text, oddity.affected))
        return remarks

    def described(self, kind: str, fitting_cells: int) -> str:
        """Return what a result tells: `numbers, decimal comma: 3 of 5 cells; empty ('-'): 2`.

        A mark of a missing value is a text among texts.
        """
        text = f"{kind}: {fitting_cells:,} of {self.rows:,} cells"
        empty = self.blank
        shown_marks = ""
        if not kind.startswith("text"):
            empty += self.missing
            marks = [repr(mark) for mark in self.missing_marks if mark][:_SHOWN_MARKS]
            shown_marks = f" ({', '.join(marks)})" if marks else ""
        return f"{text}; empty{shown_marks}: {empty:,}" if empty else text

    def misfits(self, example: str | None, kind: str, fitting_cells: int) -> str:
        """Return how many cells are not of a kind: `'many' is no number: 1 of 3 cells`."""
        return f"{example!r} is no {kind}: {self.cells - fitting_cells:,} of {self.cells:,} cells"


def _summaries(names: Sequence[str]) -> list[_ColumnSummary]:
    """Return the summaries of the columns of the raw table, which have these names in the file."""
    cells = [
        f"select {place} as place, left(c{place}, {_LONGEST_VALUE + 1}) as cell, "
        f"count(*) as times from {RAW_TABLE} group by all "
        f"union all select {place}, null, 0"  # A column may have no cells.
        for place, _ in enumerate(names)
    ]
    records = _records(_SUMMARY, cells, kind="table")
    return [_ColumnSummary(names[record["place"]], **record) for record in records]


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
    description: str
    """What the column is read as, and how many of its cells: `numbers: 3 of 3 cells`."""
    form: str = ""
    """One of `_FORMS`; empty if the cells are texts, or do not all fit one form."""
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
        texts = [
            remark.text for remark in self.remarks if remark.affected is Affected.ALL
        ]
        if self.doubt:
            texts.append(f"is {self.note}")
        return [f"{self.name} {text}" for text in texts]

    @property
    def text_name(self) -> str:
        """The name by which queries use the column's text, case-folded; empty for values.

        (DuckDB ignores case in names.)
        """
        if self.doubt:
            return f"{self.name} as written".casefold()
        return "" if self.value else self.name.casefold()


def _chosen_form(
    fitting_forms: list[str], preferred_forms: Collection[str], ambiguous: str | None
) -> tuple[str, str]:
    """Return the form of a column's cells, and why it may be another one.

    Cells like `1,234` fit `decimal point` and `decimal comma`. The one in `preferred_forms` is
    chosen: what the script said, or what other columns of the file show. Without one, the form is
    in doubt, if `ambiguous` is a cell on which it matters: `3/3/2025` is the same day in both.
    """
    forms = [form for form in fitting_forms if form in preferred_forms] or fitting_forms
    doubt = ""
    if len(forms) > 1 and ambiguous:
        doubt = f"{ambiguous!r} may be read in two ways: say form={' or '.join(map(repr, forms))}"
    return forms[0] if forms else "", doubt


def _column_of(summary: _ColumnSummary, preferred_forms: Collection[str]) -> Column:
    """Return a column with its form: for cells `3.4.2025` and `n/a`, it is `day first`.

    A column has dates if all of its cells are dates, and numbers if most are. If some are codes,
    such as `0543`, or at least as many cells are words as are numbers, it has texts.
    """
    fitting_orders = [
        order for order in _DATE_ORDERS if 0 < summary.values == summary.fitting[order]
    ]
    is_partly_zoned = 0 < summary.zoned_cells < summary.cells
    if fitting_orders and not is_partly_zoned:
        return _column_of_dates(summary, fitting_orders, preferred_forms)
    if summary.words < summary.numbers and not summary.example_code:
        return _column_of_numbers(summary, preferred_forms)
    return _column_of_texts(summary)


def _column_of_dates(
    summary: _ColumnSummary, fitting_orders: list[str], preferred_forms: Collection[str]
) -> Column:
    """Return a column of dates, or of stamps."""
    order, doubt = _chosen_form(fitting_orders, preferred_forms, summary.ambiguous_date)
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
        hours, minutes = divmod(abs(summary.offsets[0]), 60)
        sign = "-" if summary.offsets[0] < 0 else "+"
        common_offset = f"{sign}{hours:02}:{minutes:02}"
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
        summary.described(", ".join(details), summary.cells),
        order,
        doubt,
        value=value,
        plain_type="date" if kind == "dates" and summary.are_plain_dates else "",
        remarks=tuple(summary.remarks_on(_DATES)),
        has_hours=summary.has_hours,
        common_offset=common_offset,
    )


def _column_of_numbers(
    summary: _ColumnSummary, preferred_forms: Collection[str]
) -> Column:
    """Return a column of numbers. A few words among them put the form in doubt."""
    # The marks with which all numbers can be read: for `1.5`, `5` only a point; for `5`,
    # `1,234` both; for `1.5`, `0,25` neither.
    fitting_marks = summary.decimal_marks
    mark, doubt = _chosen_form(fitting_marks, preferred_forms, summary.ambiguous_number)
    doubts = [doubt] if doubt else []
    if not mark:
        doubts.append("its numbers have different decimal marks")
    if len(summary.currencies) > 1:
        doubts.append(f"it has {' and '.join(summary.currencies)}")
    if summary.words:
        doubts.append(
            summary.misfits(summary.example_word, "number", summary.number_cells)
        )
    remarks = summary.remarks_on(_NUMBERS)
    unsigned_cells = summary.number_cells - summary.currency_cells
    if "%" in summary.currencies and unsigned_cells:
        remarks.append(Remark(f"has % in some cells, and none in {unsigned_cells:,}"))

    # If all numbers are like `5`, the mark makes no difference, and is not told.
    details = ["numbers"]
    if mark and (len(fitting_marks) == 1 or summary.ambiguous_number):
        details.append(mark)
    if summary.are_compact_dates:
        details.append(f"written like the date {summary.least}")
    details += summary.currencies
    if summary.currencies and unsigned_cells:
        details.append(f"without in {unsigned_cells:,} cells")
    is_plain = mark == "decimal point" and summary.are_plain_numbers
    return Column(
        summary.name,
        summary.described(", ".join(details), summary.number_cells),
        mark,
        "; ".join(doubts),
        may_be_read_as_number=mark != "" and summary.words > 0,
        remarks=tuple(remarks),
        is_unsigned=summary.is_unsigned,
        value=f'"{mark}"' if mark else "",
        plain_type="double" if is_plain else "",
    )


def _column_of_texts(summary: _ColumnSummary) -> Column:
    """Return a column of texts, with what is told if they look otherwise."""
    remarks = [*summary.remarks_on(_TEXTS), *_remarks_on_labels(summary)]
    unzoned_cells = summary.date_cells - summary.zoned_cells
    most_fitting = max(summary.date_cells, summary.number_cells)
    kind = "text"
    if summary.are_times:
        kind = f'text of times, in seconds: epoch("{summary.name}"::interval)'
    reason = ""
    if summary.example_code and summary.words < summary.numbers:
        kind = f"text, as {summary.example_code!r} is a code"
    elif 0 < summary.date_cells == summary.cells:
        reason = "its dates have different forms"
        if summary.zoned_cells and unzoned_cells:
            reason = (
                f"{unzoned_cells:,} of {summary.cells:,} cells have no offset from UTC"
            )
    elif most_fitting and most_fitting >= _MIXED_SHARE * summary.cells:
        reason = summary.misfits(summary.example_word, "number", most_fitting)
        if summary.date_cells >= summary.number_cells:
            reason = summary.misfits(summary.example_no_date, "date", most_fitting)
    description = summary.described(kind, summary.rows - summary.blank)
    if reason:
        description = f"text, as {reason}"
        remarks = [
            remark for remark in remarks if remark.affected is not Affected.ORDER
        ]
        remarks.append(Remark(f"is {description}"))
    return Column(summary.name, description, remarks=tuple(remarks))


_UNITS_HEADER: Final = re2.compile(
    r"(?i)units?|uom|einheit(en)?|maßeinheit|mengeneinheit|me|unités?|unidad(es)?|unità|eenheid|jednostka|単位|単位"
)
"""The name of a column with the units of the numbers beside it."""
_TEMPERATURES: Final = frozenset({"temperature", "fahrenheit", "kelvin"})
_PACKAGE: Final = re2.compile(
    "pcs?|pieces?|stk|st|stück|ea|each|box|boxes|karton|kiste|packs?|.*/.*"
)
"""A unit of goods in lower case, or a quotient, which only the name of the column shows to be one."""
_OPPOSITES: Final = """
    debit|credit dr|cr d|c d|k débit|crédit soll|haben s|h debe|haber dare|avere in|out eingang|ausgang
    zugang|abgang deposit|withdrawal income|expense einnahme|ausgabe sale|refund sale|return
    payment|refund buy|sell invoice|credit_note rechnung|gutschrift
"""
"""Words that say whether the number beside them is added or taken away, in lower case."""
_SHOWN_LABELS: Final = 3


def _remarks_on_labels(summary: _ColumnSummary) -> list[Remark]:
    """Return what is told if a column has the units or the signs of the numbers beside it."""
    labels = {label.casefold().rstrip("."): label for label in summary.labels}
    if len(labels) < 2:
        return []
    for pair in _OPPOSITES.split():
        words = pair.replace("_", " ").split("|")
        is_word = len(words[0]) > 2
        if labels.keys() == set(words) or (is_word and labels.keys() > set(words)):
            shown_pair = " and ".join(labels[word] for word in words)
            text = f"has {shown_pair}: a sum over all rows adds both, as no number is below zero"
            return [Remark(text, Affected.UNSIGNED_SUMS)]
    quantities = {_quantity_of(label) for label in summary.labels}
    are_units = "" not in quantities and (
        len(quantities) == 1 or quantities <= _TEMPERATURES
    )
    if _UNITS_HEADER.fullmatch(summary.name.strip()) is not None:
        # In a column that is called `unit`, one that is known is enough.
        are_units = quantities != {""} or any(
            map(_PACKAGE.fullmatch, map(str.casefold, summary.labels))
        )
    if not are_units:
        return []
    shown_labels = list(labels.values())
    if quantities == {"currency"}:
        shown_labels = list(map(str.upper, labels))
    names = " and ".join(shown_labels[:_SHOWN_LABELS])
    return [Remark(f"has {names}: a sum over all rows mixes them", Affected.SUMS)]


def _quantity_of(label: str) -> str:
    """Return what a unit measures: `mass` for `kg`; empty if it is not known."""
    if label.upper() in CURRENCIES:
        return "currency"
    unit = locale_names().units.get(label)
    return UNIT_BY_NAME[unit].quantity if unit else ""


def _preferred_forms(
    path: str, stated_form: str, summaries: list[_ColumnSummary]
) -> list[str]:
    """Return the forms to use for cells that fit several forms, such as `1,234`.

    They come from the script or else from the file; empty if neither shows them.
    """
    # A script may state several forms in one text: `decimal comma, day first`.
    stated = [form for form in _FORMS if form in stated_form]
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


# What the numbers of a column show as a whole: whether they are exact, and which of them are none.
#
# Many files of measures have `-9999` or `999` where nothing was measured. A mean would be far from
# the truth. And people write `Total` below the amounts, and `Subtotal` between them. A sum over the
# column would count them twice.

_FILLER: Final = (
    "abs(cell) = 8888 or regexp_full_match(abs(cell)::varchar, '99{1,6}[.](0|99?)')"
)
"""The SQL for a number that may stand for a missing value: nines, which may have decimals."""
_LEAST_CERTAIN_FILLER: Final = 999
_LEAST_MEASURES: Final = 3
_LEAST_SUMMED_ROWS: Final = 3
"""A last number is told to be the sum of at least so many others. 1, 2, 3 are a count."""
_PROFILE: Final = f"""
    select *,
        case when measures < {_LEAST_MEASURES} then null
            -- A refund of -99 stands beside a price of 99.
            when least_filler < 0 and least_filler <> -greatest_filler and (
                (least >= 0 and (is_certain or is_far)) or (is_certain and is_far)) then least_filler
            -- If most of the other numbers end with a 9, too, all are prices.
            when greatest_filler > 0 and 2 * ending_with_nine <= measures
                and greatest_filler > if(high_fillers > 1, 10, 50) * farthest then greatest_filler
        end as filler
    from (
        select place,
            min(cell) filter (is_filler) as least_filler,
            max(cell) filter (is_filler) as greatest_filler,
            count(*) filter (is_filler and cell > 0) as high_fillers,
            min(cell) filter (not is_filler) as least,
            max(abs(cell)) filter (not is_filler) as farthest,
            count(*) filter (not is_filler) as measures,
            count(*) filter (not is_filler and (cell % 10 = 9 or round(cell * 100) % 10 = 9))
                as ending_with_nine,
            least_filler <= -{_LEAST_CERTAIN_FILLER} as is_certain,
            least_filler < -3 * farthest as is_far,
            -- For exact decimals
            max(length(regexp_extract(cell::varchar, '[.](\\d*[1-9])$', 1))) as decimals,
            bool_and(cell = 0 or abs(cell) >= 1e-4) as is_moderate,
            max(abs(cell)) as greatest,
            -- The lines of rows of totals with a number, and of the first or the last number if it is
            -- the sum of the others. Of two others only if its row has no name.
            coalesce(list({LINE}) filter (is_named_total), []) as named_lines,
            max({LINE}) filter (is_unnamed) as unnamed_line,
            sum(cell) as whole,
            count(*) as filled,
            list_transform(list_filter(
                [{{'line': min({LINE}), 'doubled': 2 * arg_min(cell, {LINE})}},
                    {{'line': max({LINE}), 'doubled': 2 * arg_max(cell, {LINE})}}],
                lambda last: last.doubled <> 0
                    and abs(last.doubled - whole) <= 1e-12 * greatest(abs(last.doubled), abs(whole))
                    and filled > if(last.line = unnamed_line, 2, {_LEAST_SUMMED_ROWS})
                    and not list_contains(named_lines, last.line)),
                lambda last: last.line) as sum_lines
        from (select *, {_FILLER} as is_filler from cells where cell is not null)
        group by place
    )
    order by place
"""
"""The query for what the numbers of some columns show. Each row of its result is one."""
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


def _exact_type(profile: Mapping[str, Any]) -> str:
    """Return the type in which 0.10 + 0.20 is 0.30, for numbers with few decimals: `decimal(19, 5)`.

    It is empty if a column has whole numbers only, or numbers with many digits: they stay floats.
    """
    decimals, greatest = profile["decimals"], profile["greatest"]
    is_short = 0 < decimals <= _MOST_DECIMALS and greatest < 10 ** (
        _EXACT_DIGITS - decimals
    )
    if not profile["is_moderate"] or not is_short:
        return ""
    width = _DECIMAL_WIDTH if greatest <= _MOST_OF_NARROW_DECIMAL else _WIDEST_DECIMAL
    return f"decimal({width}, {decimals + _SPARE_DECIMALS})"


_TOTAL: Final = (
    rf"(?i)[^\pL\pN]*((\S+ ){{0,2}}({_TOTAL_WORDS})|{_OTHER_TOTAL_WORDS}"
    rf"|total (general|général|gral[.]?)|({_SUBTOTAL_WORDS})[:.]?( \S+){{1,3}})[^\pL\pN]*(\(.*\))?"
)
"""The name of a row of totals: `Total`, `Net total`, `**Summe**:`, `Total (EUR)`, `Subtotal North`."""
_TOTAL_AT_END: Final = rf"(?i)({_TOTAL_WORDS}|{_OTHER_TOTAL_WORDS})[:.]?( \S+){{0,3}}"
"""The name of such a row if it is the first or the last one: `Total for 2025`, `All regions`."""
_MOST_NAMED_SHARE: Final = 0.5
"""If more of the rows have such a name, they are no rows of totals."""
_SHOWN_TOTALS: Final = 3


def _named_totals(summaries: Sequence[_ColumnSummary]) -> dict[str, list[int]]:
    """Return the lines of rows that are called totals, by that name: `{"Total": [5]}`."""
    names: dict[int, str] = {}
    for summary in summaries:
        if not summary.totals:
            continue
        rows = database.execute(
            f"""
            select {LINE}, trim(c{summary.place}) as name
            from {RAW_TABLE}, (select min({LINE}) as first, max({LINE}) as last from {RAW_TABLE})
            where regexp_full_match(name, '{_TOTAL}')
                or ({LINE} in (first, last) and regexp_full_match(name, '{_TOTAL_AT_END}'))
            order by {LINE}
            """
        ).fetchall()
        if len(rows) <= max(1, _MOST_NAMED_SHARE * summary.rows):
            names = dict(rows) | names
    lines_by_name: defaultdict[str, list[int]] = defaultdict(list)
    for line, name in names.items():
        lines_by_name[name].append(line)
    if len(lines_by_name) <= _SHOWN_TOTALS:
        return lines_by_name
    # `North Total`, `South Total`, ... are told together, with one of the names.
    return {min(lines_by_name): sorted(names)}


def _doubt_on_totals(
    lines: Sequence[int], shown_name: str, totals: Sequence[str]
) -> str:
    """Return the sentence on rows of totals."""
    shown_lines = ", ".join(map(str, lines[:_SHOWN_TOTALS]))
    if len(lines) > _SHOWN_TOTALS:
        shown_lines += f" and {len(lines) - _SHOWN_TOTALS:,} more"
    rows = f"line{'s' if len(lines) > 1 else ''} {shown_lines}"
    name = f" ({shown_name!r})" if shown_name else ""
    return (
        f"{rows}{name} may be totals: a sum over {', '.join(totals)} counts them, too"
    )


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
        raw_table = RawTable(path, text)
        self.names = raw_table.names
        """The names of the columns in the file."""
        self.assumed: list[str] = []
        """How the file was read, such as `cells are separated by semicolons`."""
        self._doubts_on_rows: list[str] = []
        """What may be read wrongly, such as rows with fewer cells than the header."""
        csv_file = raw_table.csv_file
        if csv_file is not None:
            self.assumed = csv_file.assumed
            self._doubts_on_rows = csv_file.doubts

        summaries = _summaries(self.names)
        preferred_forms = _preferred_forms(path, stated_form, summaries)
        self.columns: dict[str, Column] = {}
        """The columns of the file, by their names, case-folded."""
        for place, summary in enumerate(summaries):
            column = _column_of(summary, preferred_forms)
            if csv_file is not None and place >= csv_file.split_column and column.form:
                # The numbers may be wrong, because one was split.
                doubt = (
                    f"line {csv_file.first_longer_line} has more cells than the header"
                )
                if not column.doubt:
                    column = replace(column, doubt=doubt, may_be_read_as_number=True)
            self.columns[column.name.casefold()] = column
        self.query_names = [LINE]
        """The names of the columns that queries can use: `city`, `amount as written`, ..."""
        named_totals = _named_totals(summaries)
        self._profile(self._create(), named_totals)

    def _create(self) -> dict[str, Column]:
        """Create the table from the raw one, in which all cells are texts.

        Return the columns that queries can add up, by the names in the queries.
        """
        selected = [LINE]
        rows = RAW_TABLE
        columns_of_numbers = {}
        for place, column in enumerate(self.columns.values()):
            cell = f"c{place}"
            value_name = column.name
            if column.doubt:
                value_name = f"{column.name} as number"
                self.query_names.append(f"{column.name} as written")
                selected.append(cell)
                if not column.may_be_read_as_number:
                    continue
            value = cell
            if column.plain_type:
                value = f"try_cast({cell} as {column.plain_type})"
            elif column.value:
                # Each different cell is read once.
                value = f"value_of_{cell}"
                different_cells = _with_readings(
                    f"select distinct {cell} as cell from {RAW_TABLE}",
                    with_dates=column.form in _DATE_ORDERS,
                )
                # The lines of a file are in order in the raw table, too.
                database.execute(
                    f"create or replace temp table values_of_{cell} as select {value} from {RAW_TABLE} "
                    f"left join (select cell, {column.value} as {value} from ({different_cells})) "
                    f"on {cell} = cell order by {LINE}"
                )
                rows += f"{_BESIDE}values_of_{cell}"
            self.query_names.append(value_name)
            selected.append(value)
            if column.form in _DECIMAL_MARKS:
                columns_of_numbers[value_name] = column
        columns = ", ".join(
            f"{value} as {quoted(name)}"
            for value, name in zip(selected, self.query_names, strict=True)
        )
        database.execute(
            f"create temp table {self._name} as select {columns} from {rows}"
        )
        for table in rows.split(_BESIDE):
            database.execute(f"drop table {table}")
        return columns_of_numbers

    def _profile(
        self,
        columns_of_numbers: Mapping[str, Column],
        named_totals: Mapping[str, Sequence[int]],
    ) -> None:
        """Make numbers exact, and tell of those that stand for missing values, or for totals."""
        lines = [-1, 0]  # A list of SQL has several items.
        for named_lines in named_totals.values():
            lines += named_lines
        names = list(columns_of_numbers)
        cells = [
            f"select {place} as place, {LINE}, {quoted(name)}::double as cell, "
            f"{quoted(self.query_names[1])} is null as is_unnamed, "
            f"{LINE} in {tuple(lines)} as is_named_total from {self._name}"
            for place, name in enumerate(names)
        ]
        totals: defaultdict[tuple[str, tuple[int, ...]], list[str]] = defaultdict(list)
        """The columns with numbers in rows of totals, by the name and the lines of the rows."""
        for profile in list(_records(_PROFILE, cells, kind="view")):
            name = names[profile["place"]]
            column = columns_of_numbers[name]
            exact_type = _exact_type(profile)
            if exact_type:
                database.execute(
                    f"alter table {self._name} alter {quoted(name)} type {exact_type}"
                )
            if profile["filler"] is not None:
                text = (
                    f"has {profile['filler']:.12g}, which may stand for a missing value"
                )
                remarks = (*column.remarks, Remark(text))
                self.columns[column.name.casefold()] = replace(column, remarks=remarks)
            for shown_name, named_lines in named_totals.items():
                if not set(named_lines).isdisjoint(profile["named_lines"]):
                    totals[shown_name, tuple(named_lines)].append(name)
            for line in profile["sum_lines"]:
                totals["", (line,)].append(name)
        for shown_name, total_lines in sorted(totals, key=lambda total: total[0] == ""):
            names_of_columns = totals[shown_name, total_lines]
            self._doubts_on_rows.append(
                _doubt_on_totals(total_lines, shown_name, names_of_columns)
            )

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
        has_only_own_columns = set(names) <= set(self.query_names)
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
