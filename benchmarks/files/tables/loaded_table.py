"""A CSV, TSV or JSON Lines file as a DuckDB table.

A file is loaded in two steps. Its rows become a raw table, in which all cells are
texts. Then each column becomes a column of numbers or dates if its cells can be read in
one way (see `column_forms`). Any other column stays text, and DuckDB refuses to compute
with it. If two readings are possible, as with `1,234`, queries can use the column only
as `NAME as written`, which is its text.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

import duckdb

from controlplane.benchmarks.files.tables.raw_rows import (
    RawRows,
    load_rows,
    rows_of_file,
)
from controlplane.benchmarks.files.tables.table_database import (
    LINE,
    RAW_TABLE,
    database,
    quoted,
)
from controlplane.gates.values.units import CURRENCIES
from controlplane.sandbox.interface import CallError, Plain, error_codes

# A form: how the cells of a table's column are written, and so read as numbers or dates.
#
# The cells of a CSV file are texts. `1,5` and `0,25` have the form `decimal comma`, and `3.4.2025`
# has `day first`. `_form_of` (in `column_forms`) finds the form of a column. The result of a query
# tells it, with the doubt about it, to the script, which can then say what is right.

_DECIMAL_MARKS: Final = {"decimal point": (".", ","), "decimal comma": (",", ".")}
"""Forms of numbers, with the decimal mark and the thousands separator: `1,234.50`, `1.234,50`."""
_DATE_ORDERS: Final = {
    "year first": ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d"],
    "day first": ["%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y"],
    "month first": ["%m/%d/%Y", "%m-%d-%Y"],
    "month names": ["%d %b %Y", "%d %B %Y", "%b %d %Y", "%B %d %Y"],
}
"""Forms of dates, with the patterns that DuckDB reads: `2025-04-03`, `3.4.2025`, `4/3/2025`."""
_SHORT_YEAR_ORDERS: Final = {
    "year first": ["%y-%m-%d", "%y/%m/%d"],
    "day first": ["%d.%m.%y", "%d/%m/%y", "%d-%m-%y"],
    "month first": ["%m/%d/%y", "%m-%d-%y"],
    "month names": ["%d %b %y", "%d %B %y", "%b %d %y", "%B %d %y"],
}
"""The same for years of two digits: `25-04-03`, `3.4.25`, `4/3/25`."""
_YEAR_LAST: Final = r"\d{1,2}[./-]\d{1,2}[./-]\d{4}"
_NAMED_MONTH: Final = r"(\d{1,2}[ -][A-Za-z]+[ -]|[A-Za-z]+ \d{1,2},? )"
_WRITTEN_DATES: Final = {
    "year first": r"\d{4}[./-]\d{1,2}[./-]\d{1,2}",
    "day first": _YEAR_LAST,
    "month first": _YEAR_LAST,
    "month names": rf"{_NAMED_MONTH}\d{{4}}",
}
"""What dates look like. By its pattern alone, `31.12.25` would be a day of the year 31."""
_SHORT_DATE: Final = rf"\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2}}|{_NAMED_MONTH}\d{{2}}"
_SHORT_YEARS_TOLD: Final = "years of two digits, read as 1969 to 2068"
FORMS: Final = (*_DECIMAL_MARKS, *_DATE_ORDERS)


@dataclass(frozen=True, slots=True)
class _ColumnForm:
    """How the cells of a column are read.

    | cells            | form                                                      |
    | ---------------- | --------------------------------------------------------- |
    | `Berlin`, `Bonn` | `ColumnForm()`: texts                                     |
    | `1,5`, `0,25 €`  | `ColumnForm("decimal comma", "decimal comma, €")`         |
    | `1,234`          | `ColumnForm("decimal point", doubt="'1,234' may be ...")` |
    | `1.5`, `0,25`    | `ColumnForm(doubt="its numbers have different ...")`      |
    """

    name: str = ""
    """One of `FORMS`; empty if the cells are texts, or do not all fit one form."""
    description: str = ""
    """What a result tells about a certain form; empty if it need not be told."""
    doubt: str = ""
    """Why it may be wrong to read the column in this form. Empty if it is certain."""
    may_be_read_as_number: bool = False
    """True for numbers among a few words: `5`, `7`, `many`.

    The form is in doubt, but queries can read the column as numbers. The words are then null.
    """
    is_mixed: bool = False
    """True for texts most of which look like dates. The least and the greatest are none then."""


def _preferred_or_all(
    fitting_forms: list[str], preferred_forms: Collection[str]
) -> list[str]:
    """Return the forms to choose from: the preferred ones that fit, or else all that fit.

    Cells like `1,234` fit `decimal point` and `decimal comma`. If the script has said
    `decimal comma` -> `["decimal comma"]`.
    """
    preferred = [form for form in fitting_forms if form in preferred_forms]
    return preferred or fitting_forms


# The ways to read the cells of a column as numbers or dates, each as an expression of SQL.
#
# The cell `1,234` is 1234 with a decimal point, and 1.234 with a decimal comma. `03/04/2027` is in
# March or in April. DuckDB computes each expression for all cells of a column, so that the way
# that fits them all can be found and used.

_CURRENCY_CODES: Final = "|".join(CURRENCIES)
"""A regular expression: `EUR|USD|...`."""
SIGN: Final = f"[$€£¥₹%]|{_CURRENCY_CODES}"
"""A regular expression for a sign before or after a number, such as `$`, `%` or `EUR`."""
_MISSING_SIGNS: Final = ("", "-", "--", "–", "—", "?", ".")
_MISSING_WORDS: Final = (
    "na",
    "n/a",
    "n.a.",
    "#n/a",
    "#nv",
    "k.a.",
    "nan",
    "null",
    "none",
    "nil",
)
MISSING: Final = (*_MISSING_SIGNS, *_MISSING_WORDS)
"""Marks of a missing value, in lower case. They become null in a column of numbers or dates."""


def reading(form: str, cell: str) -> str:
    """Return the SQL for a cell's value if it is read in a form, such as `decimal point`.

    `cell` is the SQL for its text. The value is null if the text does not fit the form.
    Without a form, the value is the text.
    """
    if form in _DATE_ORDERS:
        long_date = _date_if(cell, _WRITTEN_DATES[form], _DATE_ORDERS[form])
        short_date = _date_if(cell, _SHORT_DATE, _SHORT_YEAR_ORDERS[form])
        return f"case {long_date} {short_date} end"
    if form in _DECIMAL_MARKS:
        decimal_mark, thousands_mark = _DECIMAL_MARKS[form]
        # Without the pattern, `Room 5` would become 5.
        signed = _signed(cell)
        pattern = _number_pattern(decimal_mark, thousands_mark)
        number = _number(signed, decimal_mark, thousands_mark)
        return f"case when regexp_full_match({signed}, '{pattern}') then {number} end"
    return cell


def _date_if(cell: str, written: str, patterns: list[str]) -> str:
    """Return the SQL branch that reads a cell by patterns if it is written like a date."""
    text = f"trim({cell})"
    # `31-OCT-2023` and `Oct 31, 2023` become `31 OCT 2023` and `Oct 31 2023`.
    with_spaces = f"regexp_replace({text}, '([A-Za-z])-|-([A-Za-z])|,', '\\1 \\2', 'g')"
    plain = f"regexp_replace({with_spaces}, ' +', ' ', 'g')"
    date = f"cast(try_strptime({plain}, {patterns}) as date)"
    return f"when regexp_full_match({text}, '{written}') then {date}"


def _signed(cell: str) -> str:
    """Return the SQL for a number with a minus if it has parentheses: ` (€5) ` -> `-€5`.

    A typographic minus becomes a plain one.
    """
    trimmed = f"replace(trim({cell}), '−', '-')"
    return rf"regexp_replace({trimmed}, '^\((.*)\)$', '-\1')"


def _number(signed: str, decimal_mark: str, thousands_mark: str) -> str:
    """Return the SQL that computes a number from its text with a sign: `-€1.234,50` -> -1234.5.

    Each step is SQL that contains the step before.
    """
    # `-€1.234,50` -> `-1.234,50`. Also removes apostrophes and spaces, which may separate
    # thousands.
    digits_and_marks = (
        f"regexp_replace({signed}, '{_CURRENCY_CODES}|[^0-9eE.,+-]', '', 'g')"
    )
    # `-1.234,50` -> `-1234,50`
    without_thousands = f"replace({digits_and_marks}, '{thousands_mark}', '')"
    # `-1234,50` -> `-1234.50`
    with_point = f"replace({without_thousands}, '{decimal_mark}', '.')"
    return f"try_cast({with_point} as double)"


def _number_pattern(decimal_mark: str, thousands_mark: str) -> str:
    """Return the regular expression for a number with sign and currency: `$-1,234.50`.

    Thousands may also be separated by an apostrophe or a space: `1'234`. The expression is
    put into an SQL string, in which an apostrophe is written twice.
    """
    apostrophe = "''"
    no_break_spaces = r"\x{a0}\x{202f}"
    separator = f"[{thousands_mark}{apostrophe}’ {no_break_spaces}]"  # one of these
    grouped_digits = rf"[1-9]\d{{0,2}}({separator}\d{{3}})+"  # 1,234,567
    decimals = rf"\{decimal_mark}\d+"  # .50
    unsigned_number = rf"(({grouped_digits}|\d+)({decimals})?|{decimals})"
    power_of_ten = r"([eE][+-]?\d+)?"
    currency = f"({SIGN})?"
    # The minus may be before or after the currency: -$5, $-5.
    return f"[+-]? ?{currency} ?[+-]?{unsigned_number}{power_of_ten} ?{currency}"


# Counts how many cells of a table's column can be read as numbers or dates, in each way.
#
# Of the cells `1,5`, `0,25` and `n/a`, two are numbers with a decimal comma, and one is the mark of
# a missing value. From these counts, `column_forms` finds out how the column is written. DuckDB
# counts the cells in one query, since a column may have millions of them.

_SHOWN_MARKS: Final = 5
"""The most marks of missing values that the description of a column names."""


@dataclass(frozen=True, slots=True)
class _ColumnSummary:
    """Counts of a column's distinct cells, with examples that make its form uncertain."""

    fitting: dict[str, int]
    """The number of distinct cells that fit each form: `{"decimal point": 3, ...}`."""
    cells: int
    """The number of distinct cells that are not missing."""
    numbers: int
    """The number of distinct cells that are numbers with any decimal mark."""
    example_word: str | None
    """An example of a cell that is not a number."""
    missing: int
    """The number of rows without a value."""
    missing_marks: list[str] = field(default_factory=list)
    ambiguous_number: str | None = None
    """An example of a number whose value depends on the decimal mark.

    `1,234` is 1234 with a decimal point, and 1.234 with a decimal comma."""
    ambiguous_date: str | None = None
    """An example of a date that depends on the order of its parts: `3/4/2025`, `31-12-25`."""
    has_short_years: bool = False
    """True if cells are dates with years of two digits: `31.12.25`."""
    currencies: list[str] = field(default_factory=list)
    """The currency and percent signs beside the numbers."""
    example_code: str | None = None
    """An example of a code among the numbers, which stay texts then: `007`, `1E5`.

    A code begins with a zero, has too many digits for a number, or has a letter between digits.
    (A program writes a power of ten with a decimal point or a sign: `1.5E3`, `1E+05`.)"""
    offsets: int = 0
    """The number of different offsets of stamps such as `2025-01-31T10:00:00+02:00`."""
    dates: int = 0
    """The number of distinct cells that are dates in any form."""
    example_no_date: str | None = None
    """An example of a cell that is not a date."""

    @property
    def words(self) -> int:
        """The number of distinct cells that are neither numbers nor missing."""
        return self.cells - self.numbers

    def fits(self, form: str) -> bool:
        """Return True if all cells that are not missing fit a form."""
        return self.cells > 0 and self.fitting[form] == self.cells

    @property
    def decimal_marks(self) -> list[str]:
        """The forms in `_DECIMAL_MARKS` that fit all numbers.

        Empty if no form fits all, or if at least as many cells are words as are numbers.
        """
        if self.words >= self.numbers:
            return []
        return [form for form in _DECIMAL_MARKS if self.fitting[form] == self.numbers]


# The query below reads each cell in every form. Its columns are named like the forms:
# for the cell `1,234`, the column "decimal point" is 1234, "decimal comma" is 1.234,
# and the others are null.
_VALUE_IN_EACH_FORM: Final = ", ".join(
    f'{reading(form, "cell")} as "{form}"' for form in FORMS
)
_COUNT_OF_EACH_FORM: Final = ", ".join(f'count("{form}") as "{form}"' for form in FORMS)
_STAMP: Final = r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:[0-9.]+)?([Zz]|[+-]\d\d:?\d{0,2})$"
_ANY_DATE: Final = ", ".join(f'"{order}"' for order in _DATE_ORDERS)
_MANY_DIGITS: Final = 16
"""A number with so many digits is taken for a code. A float cannot hold all of them."""


def _summary_query(table: str, column: str) -> str:
    """Return the query for a `_ColumnSummary`. Its result is one row, with a column for each field.

    It reads each different cell in every form, and then counts the values. Instead of the field
    `fitting`, the result has a column for each form: "decimal comma" is the number of cells
    that can be read with a decimal comma.
    """
    return f"""
    -- cell 1,5, times 12
    with different_cells as (
        select {column} as cell, count(*) as times from {table} group by cell
    ),
    -- ..., is_missing false, "decimal point" null, "decimal comma" 1.5, "year first" null, ...
    read_cells as (
        select cell, times, lower(trim(cell)) in {MISSING} as is_missing, {_VALUE_IN_EACH_FORM}
        from different_cells where cell is not null
    ),
    -- ..., number 1.5, currency '' (for the cell $1,5 it is $)
    numbered_cells as (
        select *, coalesce("decimal point", "decimal comma") as number,
            coalesce({_ANY_DATE}) as date,
            case when number is not null then regexp_extract(cell, '{SIGN}') end as currency
        from read_cells
    )
    select {_COUNT_OF_EACH_FORM},
        count(*) filter (not is_missing) as cells,
        count(number) as numbers,
        min(cell) filter (number is null and not is_missing) as example_word,
        coalesce(sum(times) filter (is_missing), 0)::bigint as missing,
        list_sort(list(cell) filter (is_missing)) as missing_marks,
        -- the values in two forms differ:
        min(cell) filter ("decimal point" <> "decimal comma") as ambiguous_number,
        min(cell) filter (
            "day first" <> "month first" or "year first" <> coalesce("day first", "month first")
        ) as ambiguous_date,
        coalesce(bool_or(regexp_full_match(trim(cell), '{_SHORT_DATE}')), false)
            as has_short_years,
        list_sort(list(distinct currency) filter (currency <> '')) as currencies,
        min(cell) filter (
            regexp_matches(trim(cell), '^[+-]?(0\\d|\\d{{{_MANY_DIGITS}}}|\\d+[eE]\\d)')
        ) as example_code,
        count(distinct nullif(regexp_extract(trim(cell), '{_STAMP}', 2), '')) as offsets,
        count(date) as dates,
        min(cell) filter (date is null and not is_missing) as example_no_date
    from numbered_cells
    """


def summarize(
    database: duckdb.DuckDBPyConnection, table: str, column: str
) -> _ColumnSummary:
    """Return the summary of a column of texts in a table. `column` is its name as SQL: `c0`.

    Cells `1,5`, `0,25`, `n/a` -> `cells` 2, `numbers` 2, `missing` 1, `fitting` 2 for
    `decimal comma`.
    """
    cursor = database.execute(_summary_query(table, column))
    names = [description[0] for description in cursor.description]
    values: dict[str, Any] = dict(zip(names, cursor.fetchone() or (), strict=True))
    # The query has a column for each form. The others are the fields of `_ColumnSummary`.
    fitting = {form: values.pop(form) for form in FORMS}
    # DuckDB returns null for an empty list.
    values["missing_marks"] = values["missing_marks"] or []
    values["currencies"] = values["currencies"] or []
    return _ColumnSummary(fitting, **values)


# Finds out how the numbers of a table's column are written: with a decimal point or comma.
#
# `1.5` has a point and `0,25` a comma, but `1,234` may have either. A wrong choice makes a number
# a thousand times too large, so the form of a column has a doubt if its cells do not decide.


def _number_form(
    summary: _ColumnSummary, preferred_forms: Collection[str]
) -> _ColumnForm | None:
    """Return the form of a column of numbers; None for a column of texts.

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

    # If all numbers are like `5`, the mark makes no difference, and is not told.
    mark_matters = len(fitting_marks) == 1 or bool(summary.ambiguous_number)
    description_parts = list(summary.currencies)
    if mark and mark_matters:
        description_parts.insert(0, mark)
    return _ColumnForm(
        mark,
        description=", ".join(description_parts),
        doubt="; ".join(_doubts(summary, candidates)),
        may_be_read_as_number=mark != "" and summary.words > 0,
    )


def _doubts(summary: _ColumnSummary, candidates: list[str]) -> list[str]:
    """Return why it may be wrong to read a column as numbers with the first of the candidates.

    These are the decimal marks to choose from. Without any, the numbers have different marks.
    """
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
    if summary.words:
        doubts.append(f"{summary.example_word!r} is no number")
    return doubts


# Finds out how the cells of a table's column are written: as dates, as numbers, or as texts.
#
# A column with `1,5` and `0,25` has numbers with a decimal comma; one with `3.4.2025` has dates
# with the day first. `decimal comma` and `day first` are forms. All cells of a column have one
# form, or are marks of missing values such as `n/a`. Otherwise it is a column of texts.


def _form_of(summary: _ColumnSummary, preferred_forms: Collection[str]) -> _ColumnForm:
    """Return a column's form: for cells `3.4.2025` and `n/a`, it is `day first`.

    `summary` counts the column's cells. If they fit several forms, as `1,234` does, the one in
    `preferred_forms` is chosen: what the script said, or what other columns of the file show.
    """
    form = _date_form(summary, preferred_forms)
    if form is None:
        form = _number_form(summary, preferred_forms)
    if form is None:
        return _form_of_texts(summary)
    if summary.missing and not form.doubt:
        return _ColumnForm(form.name, _description_with_missing(form, summary))
    return form


def _form_of_texts(summary: _ColumnSummary) -> _ColumnForm:
    """Return the form of a column of texts, with what is told if most of them look otherwise."""
    if summary.example_code and summary.words < summary.numbers:
        return _ColumnForm(description=f"text, as {summary.example_code!r} is a code")
    if summary.offsets > 1:
        return _ColumnForm(
            description="text, whose stamps have different offsets: their order is not that of time",
            is_mixed=True,
        )
    others = summary.cells - summary.dates
    if summary.dates > others > 0:
        return _ColumnForm(
            description=f"text, as {summary.example_no_date!r} is no date "
            f"({others:,} of {summary.cells:,} different values)",
            is_mixed=True,
        )
    if summary.dates and not others:
        return _ColumnForm(
            description="text, as its dates have different forms", is_mixed=True
        )
    return _ColumnForm()


def _description_with_missing(form: _ColumnForm, summary: _ColumnSummary) -> str:
    """Return a form's description with the missing values: `dates; empty values ('n/a'): 3`."""
    kind = "dates" if form.name in _DATE_ORDERS else "numbers"
    marks = ", ".join(repr(mark) for mark in summary.missing_marks[:_SHOWN_MARKS])
    return f"{form.description or kind}; empty values ({marks}): {summary.missing:,}"


def _date_form(
    summary: _ColumnSummary, preferred_forms: Collection[str]
) -> _ColumnForm | None:
    """Return the form of a column of dates; None if some cells are not dates.

    The form is in doubt if `3/4/2025` may be in March or in April.
    """
    fitting_orders = [order for order in _DATE_ORDERS if summary.fits(order)]
    if not fitting_orders:
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
    description = "" if order == "year first" else f"{order}, read as year-month-day"
    if summary.has_short_years:
        description = f"{order}, read as year-month-day; {_SHORT_YEARS_TOLD}"
    return _ColumnForm(order, description, doubt)


# The columns of a table that queries can use, computed from those of the raw table.
#
# In the raw table, all cells are texts, and columns are called `c0`, `c1` and so on. If
# all cells of the file's column `amount` are numbers with a decimal comma, queries can
# use the column `amount` with numbers.


class _TableColumns:
    """The columns that queries can use.

    A form says how a column's cells are read, such as `decimal comma` (see `_ColumnForm`).
    A column `amount` with a certain form, or with texts, stays `amount`. If its form is in
    doubt, it becomes `amount as written`, its text. If it has a few words among numbers,
    there is also `amount as number`, in which the words are null.
    """

    def __init__(self) -> None:
        self.sql: dict[str, str] = {LINE: LINE}
        """The SQL for the value of each column, from the raw table: `{"city": "c0", ...}`."""
        self.texts: set[str] = set()
        """The case-folded names of columns that hold text. (DuckDB ignores case in names.)"""
        self.forms: dict[str, Plain] = {}
        """What results tell about columns, by their names in the file: `{"amount": "decimal comma"}`."""
        self.uncertain: dict[str, str] = {}
        """Why queries cannot use `amount`, told if one does: `{"amount": "amount is not certain, ..."}`.

        The names are case-folded."""
        self.numbers: list[str] = []
        """The names of columns that queries can add up."""
        self.doubts: list[str] = []
        """What may mislead queries that use a column: `when is text, as 'pending' is no date`."""

    def add(self, name: str, cell: str, form: _ColumnForm) -> None:
        """Add a column of the file. `cell` is the raw table's column with its text: `c0`."""
        value_sql = reading(form.name, cell)
        if form.name in _DECIMAL_MARKS:
            value_sql = _exact_number(value_sql)
            if not form.doubt:
                self.numbers.append(name)
            elif form.may_be_read_as_number:
                self.numbers.append(f"{name} as number")
        if not form.doubt:
            self._add(name, value_sql, is_text=not form.name)
            if form.description:
                self.forms[name] = form.description
            if form.is_mixed:
                self.doubts.append(f"{name} is {form.description}")
            return

        self._add(f"{name} as written", cell, is_text=True)
        note = f'not certain, as {form.doubt}; "{name} as written" is its text'
        if form.may_be_read_as_number:
            self._add(f"{name} as number", value_sql, is_text=False)
            note += f', "{name} as number" is null there'
        self.forms[name] = note
        self.uncertain[name.casefold()] = f"{name} is {note}"

    def _add(self, name: str, sql: str, *, is_text: bool) -> None:
        """Add a column that queries can use by this name. `sql` is for its value."""
        self.sql[name] = sql
        if is_text:
            self.texts.add(name.casefold())


_MOST_DECIMALS: Final = 4
"""Numbers with more decimals are measured or computed, and are no money."""
_SPARE_DECIMALS: Final = 3
"""Decimals for a mean of two numbers, such as a median, which DuckDB cuts to those of the type."""
_DECIMAL_WIDTH: Final = 19
"""The digits of a decimal. DuckDB computes products of narrower ones in 64 bits, which overflow."""
_MOST_MONEY: Final = 10**9


def _exact_number(number: str) -> str:
    """Return the SQL for a number of the raw table as a decimal, so that 0.10 + 0.20 is 0.30.

    It stays as it is, a float, if the column has whole numbers only, or numbers with many digits.
    """
    row = database.execute(
        f"""
        with numbers as (select {number} as number from {RAW_TABLE})
        select coalesce(max(length(regexp_extract(number::varchar, '[.](\\d*[1-9])$', 1))), 0),
            coalesce(bool_and(number = 0 or abs(number) between 1e-4 and {_MOST_MONEY}), false)
        from numbers
        """
    ).fetchone()
    assert row is not None, "a greatest value is one row"
    decimals, is_moderate = row
    if not is_moderate or not 0 < decimals <= _MOST_DECIMALS:
        return number
    return f"cast({number} as decimal({_DECIMAL_WIDTH}, {decimals + _SPARE_DECIMALS}))"


def _columns_of(rows: RawRows, path: str, stated_form: str) -> _TableColumns:
    """Return the columns that queries can use, from those of the raw table.

    The raw table holds `rows`, read from the file `path`. `stated_form` is how the script says
    that ambiguous numbers and dates are read: `decimal comma`; empty if it does not say so.
    """
    names = rows.columns.names
    cells = [f"c{number}" for number in range(len(names))]
    summaries = [summarize(database, RAW_TABLE, cell) for cell in cells]
    preferred = _preferred_forms(path, stated_form, summaries)
    columns = _TableColumns()
    for index, summary in enumerate(summaries):
        form = _form_of(summary, preferred)
        if rows.unfit.may_be_split(index):
            form = _doubted_after_split(form, long_line=rows.unfit.longer[0])
        columns.add(names[index], cells[index], form)
    return columns


def _doubted_after_split(form: _ColumnForm, long_line: int) -> _ColumnForm:
    """Return the form of a column that may have wrong numbers, because one was split.

    If commas separate cells, `1,200` without quotation marks became the cells `1` and `200`.
    So the row on `long_line` has a cell too many, and all later cells are shifted.
    """
    is_text = not form.name
    if is_text or form.doubt:
        return form
    doubt = f"line {long_line} has more cells than the header"
    return _ColumnForm(form.name, doubt=doubt, may_be_read_as_number=True)


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


# A row of totals: the last row of a table if it holds the sums of the rows above it.
#
# People write `Total` below the amounts. A sum over the column would count them twice.

_TOTAL_WORDS: Final = (
    "total|totals|grand total|sum|summe|summen|gesamt|gesamtsumme|insgesamt|somme|totaux"
    "|total general|total général|suma|totale|totaal|合計|总计|總計|合计|итого|всего"
)
_TOTAL: Final = re.compile(rf"({_TOTAL_WORDS})\b[^\w]*(\(.*\))?", re.IGNORECASE)
"""The name of a row of totals: `Total`, `Summe:`, `Total (EUR)`."""
_LEAST_SUMMED_ROWS: Final = 3
"""A last number is told to be the sum of at least so many others. 1, 2, 3 are a count."""


def _doubts_on_totals(columns: _TableColumns) -> list[str]:
    """Return what is told if the last row of the raw table seems to hold sums of the others.

    `line 5 ('Total') may be a row of totals: a sum over amount counts it, too`
    """
    if not columns.numbers:
        return []
    last_row = f"from {RAW_TABLE} where {LINE} = (select max({LINE}) from {RAW_TABLE})"
    names = [name for name in columns.sql if name != LINE]
    cells = ", ".join(
        f"{columns.sql[name]}{'::double' if name in columns.numbers else ''}::varchar"
        for name in names
    )
    row = database.execute(f"select {LINE}, {cells} {last_row}").fetchone()
    if row is None:
        return []
    line, *texts = row
    filled_texts = [text for text in texts if text]
    total_names = [text for text in filled_texts if _TOTAL.fullmatch(text.strip())]
    filled_numbers = [
        name
        for name, text in zip(names, texts, strict=True)
        if text is not None and name in columns.numbers
    ]
    if total_names:
        totals = filled_numbers
    else:
        totals = [name for name in filled_numbers if _is_sum_above(columns.sql[name])]
    if not totals:
        return []
    shown_text = (total_names or filled_texts)[0]
    return [
        f"line {line} ({shown_text!r}) may be a row of totals: "
        f"a sum over {', '.join(totals)} counts it, too"
    ]


def _is_sum_above(number: str) -> bool:
    """Return True if the last number of a column is the sum of all above it, and not 0."""
    row = database.execute(
        f"select arg_max(number, line), sum(number), count(number) "
        f"from (select {number} as number, {LINE} as line from {RAW_TABLE})"
    ).fetchone()
    assert row is not None, "a sum is one row"
    last, whole, filled = row
    if not last or filled <= _LEAST_SUMMED_ROWS:
        return False
    return math.isclose(last * 2, whole, rel_tol=1e-12)


_table_numbers: Final = count()


class Table:
    """The rows of one file. Created when a script first reads the file as a table."""

    def __init__(self, path: str, text: str, stated_form: str = "") -> None:
        """Load the table from a file's text.

        `stated_form` is how the script says that ambiguous numbers and dates are read,
        such as `decimal comma`. Raises `CallError` if the text is not a table.
        """
        self.path = path
        self._name = f"table_{next(_table_numbers)}"  # In DuckDB.
        rows = rows_of_file(path, text)
        try:
            load_rows(rows)  # Creates the raw table.
        except (csv.Error, duckdb.Error, ValueError) as error:
            msg = f"{path} cannot be read as a table, near line {rows.line}: {error}"
            raise CallError(error_codes.INVALID_ARGUMENT, msg) from None
        self.names = rows.columns.names
        """The names of the columns in the file."""
        self.assumed = rows.assumed
        """How the file was read, such as `cells are separated by semicolons`."""
        self.columns = _columns_of(rows, path, stated_form)
        """The columns that queries can use, as computed from those of the raw table.

        A column of which it is in doubt how its numbers are written is `amount as written`.
        """
        self.doubts = [
            *rows.doubts,
            *self.columns.doubts,
            *_doubts_on_totals(self.columns),
        ]
        """What may be read wrongly, such as rows with fewer cells than the header."""
        self._create_from_raw_table()

    def _create_from_raw_table(self) -> None:
        """Create the table for queries from the raw table, and drop the raw table."""
        selected = ", ".join(
            f"{sql} as {quoted(name)}" for name, sql in self.columns.sql.items()
        )
        database.execute(
            f"create temp table {self._name} as select {selected} from {RAW_TABLE}"
        )
        database.execute(f"drop table {RAW_TABLE}")

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
        has_only_own_columns = set(names) <= self.columns.sql.keys()
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
