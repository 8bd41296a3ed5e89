"""Find out how the cells of a table's column are written, and read them by SQL in DuckDB.

The cells of a CSV file are texts. A column with `1,5` and `0,25` has numbers with a decimal
comma; one with `3.4.2025` has dates with the day first. `decimal comma` and `day first`
are forms. All cells of a column have one form, or are marks of missing values such
as `n/a`. Otherwise it is a column of texts.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Final

import duckdb

from controlplane.gates.values.units import CURRENCIES

DECIMAL_MARKS: Final = {"decimal point": (".", ","), "decimal comma": (",", ".")}
"""Forms of numbers, with the decimal mark and the thousands separator: `1,234.50`, `1.234,50`."""
DATE_ORDERS: Final = {
    "year first": ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d"],
    "day first": ["%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y"],
    "month first": ["%m/%d/%Y", "%m-%d-%Y"],
}
"""Forms of dates, with the patterns that DuckDB reads: `2025-04-03`, `3.4.2025`, `4/3/2025`."""
FORMS: Final = (*DECIMAL_MARKS, *DATE_ORDERS)
CURRENCY_CODES: Final = "|".join(CURRENCIES)
"""A regular expression: `EUR|USD|...`."""
SIGN: Final = f"[$€£¥₹%]|{CURRENCY_CODES}"
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
SHOWN_MARKS: Final = 5
"""The most marks of missing values that the description of a column names."""


@dataclass(frozen=True, slots=True)
class ColumnForm:
    """How the cells of a column are read.

    - `Berlin`, `Bonn`: texts, without a name.
    - `1,5`, `0,25 €`: the name `decimal comma`, described as `decimal comma, €`.
    - `1,234`: the name `decimal point`, with the doubt that it may be a decimal comma.
    - `5`, `7`, `many`: the name `decimal point`, with the doubt that `many` is no number.
      Queries can also read this column as numbers, in which `many` is null.
    """

    name: str = ""
    """One of `FORMS`; empty for texts, and for numbers that fit no single form."""
    description: str = ""
    """What a result tells about the form."""
    doubt: str = ""
    """Why it may be wrong to read the column in this form. Empty if it is certain."""
    may_be_read_as_number: bool = False
    """True if queries can read the column as numbers in spite of the doubt.

    Cells that are no numbers are then null.
    """


# The SQL that reads a cell


def reading(form: str, cell: str) -> str:
    """Return the SQL for a cell's value if it is read in a form, such as `decimal point`.

    `cell` is the SQL for its text. The value is null if the text does not fit the form.
    Without a form, the value is the text.
    """
    if form in DATE_ORDERS:
        date = f"cast(try_strptime({cell}, {DATE_ORDERS[form]}) as date)"
        looks_like_date = f"regexp_full_match({cell}, '[0-9]+[./-][0-9]+[./-][0-9]+')"
        return f"case when {looks_like_date} then {date} end"
    if form in DECIMAL_MARKS:
        decimal_mark, thousands_mark = DECIMAL_MARKS[form]
        return _number_reading(cell, decimal_mark, thousands_mark)
    return cell


def _number_reading(cell: str, decimal_mark: str, thousands_mark: str) -> str:
    """Return the SQL for a cell as a number: 1234.5 for `$1,234.50`, -5 for `(5)`."""
    # Each step is SQL that contains the step before. The comments show what the SQL
    # makes of the cell ` (€1.234,50) ` if the decimal mark is a comma.
    trimmed = f"replace(trim({cell}), '−', '-')"  # (€1.234,50)
    signed = rf"regexp_replace({trimmed}, '^\((.*)\)$', '-\1')"  # -€1.234,50
    # -1.234,50. Apostrophes and spaces, which may separate thousands, are removed, too.
    without_currency = (
        f"regexp_replace({signed}, '{CURRENCY_CODES}|[^0-9eE.,+-]', '', 'g')"
    )
    # -1234,50
    without_thousands = f"replace({without_currency}, '{thousands_mark}', '')"
    with_point = f"replace({without_thousands}, '{decimal_mark}', '.')"  # -1234.50
    number = f"try_cast({with_point} as double)"
    pattern = _number_pattern(decimal_mark, thousands_mark)
    return f"case when regexp_full_match({signed}, '{pattern}') then {number} end"


def _number_pattern(decimal_mark: str, thousands_mark: str) -> str:
    """Return the regular expression for a number with sign and currency: `$-1,234.50`.

    Thousands may also be separated by an apostrophe or a space: `1'234`. The expression is
    put into an SQL string, in which an apostrophe is written twice.
    """
    apostrophe = "''"
    no_break_spaces = r"\x{a0}\x{202f}"
    separator = f"[{thousands_mark}{apostrophe}’ {no_break_spaces}]"
    grouped_digits = rf"[1-9]\d{{0,2}}({separator}\d{{3}})+"  # 1,234,567
    decimals = rf"\{decimal_mark}\d+"  # .50
    unsigned_number = rf"(({grouped_digits}|\d+)({decimals})?|{decimals})"
    power_of_ten = r"([eE][+-]?\d+)?"
    currency = f"({SIGN})?"
    # The minus may be before or after the currency: -$5, $-5.
    return f"[+-]? ?{currency} ?[+-]?{unsigned_number}{power_of_ten} ?{currency}"


# What the cells of a column show


@dataclass(frozen=True, slots=True)
class ColumnSummary:
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
    """An example of a date that depends on the order of day and month: `3/4/2025`."""
    currencies: list[str] = field(default_factory=list)
    """The currency and percent signs beside the numbers."""
    has_codes: bool = False
    """True if cells are codes: they begin with a zero, or have too many digits for a number."""

    def fits(self, form: str) -> bool:
        """Return True if all cells fit a form."""
        return self.cells > 0 and self.fitting[form] == self.cells

    @property
    def decimal_marks(self) -> list[str]:
        """The forms in `DECIMAL_MARKS` that fit all numbers.

        Empty if no form fits all, or if at most half of the cells are numbers.
        """
        if 2 * self.numbers <= self.cells:
            return []
        return [form for form in DECIMAL_MARKS if self.fitting[form] == self.numbers]


# The query below reads each cell in every form. Its columns are named like the forms:
# for the cell `1,234`, the column "decimal point" is 1234, "decimal comma" is 1.234,
# and the others are null.
_VALUE_IN_EACH_FORM: Final = ", ".join(
    f'{reading(form, "cell")} as "{form}"' for form in FORMS
)
_COUNT_OF_EACH_FORM: Final = ", ".join(f'count("{form}") as "{form}"' for form in FORMS)
_MANY_DIGITS: Final = 16
"""A number with so many digits is taken for a code. A float cannot hold all of them."""


def _summary_query(table: str, column: str) -> str:
    """Return the query for the fields of a `ColumnSummary`.

    It reads each different cell in every form, and then counts the values.
    """
    return f"""
    with different_cells as (
        select {column} as cell, count(*) as times from {table} group by cell
    ),
    read_cells as (
        select cell, times, lower(trim(cell)) in {MISSING} as is_missing, {_VALUE_IN_EACH_FORM}
        from different_cells where cell is not null
    ),
    numbered_cells as (
        select *, coalesce("decimal point", "decimal comma") as number,
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
        min(cell) filter ("day first" <> "month first") as ambiguous_date,
        list_sort(list(distinct currency) filter (currency <> '')) as currencies,
        bool_or(regexp_matches(cell, '^[+-]?(0\\d|\\d{{{_MANY_DIGITS}}})')) as has_codes
    from numbered_cells
    """


def summarize(
    database: duckdb.DuckDBPyConnection, table: str, column: str
) -> ColumnSummary:
    """Return the summary of a text column. `column` is its name as SQL."""
    cursor = database.execute(_summary_query(table, column))
    names = [description[0] for description in cursor.description]
    values: dict[str, Any] = dict(zip(names, cursor.fetchone() or (), strict=True))
    # The query has a column for each form. The others are the fields of `ColumnSummary`.
    fitting = {form: values.pop(form) for form in FORMS}
    # DuckDB returns null for an empty list.
    values["missing_marks"] = values["missing_marks"] or []
    values["currencies"] = values["currencies"] or []
    return ColumnSummary(fitting, **values)


# The form of a column


def form_of(summary: ColumnSummary, preferred_forms: Collection[str]) -> ColumnForm:
    """Return a column's form.

    If its cells fit several forms, as `1,234` does, the one in `preferred_forms` is
    chosen: what the script said, or what other columns of the file show.
    """
    form = _date_form(summary, preferred_forms)
    if form is None:
        form = _number_form(summary, preferred_forms)
    if form is None:
        return ColumnForm()  # Texts.
    if summary.missing and not form.doubt:
        return ColumnForm(form.name, _description_with_missing(form, summary))
    return form


def _description_with_missing(form: ColumnForm, summary: ColumnSummary) -> str:
    """Return a form's description with the missing values: `dates; empty values ('n/a'): 3`."""
    kind = "dates" if form.name in DATE_ORDERS else "numbers"
    marks = ", ".join(repr(mark) for mark in summary.missing_marks[:SHOWN_MARKS])
    return f"{form.description or kind}; empty values ({marks}): {summary.missing:,}"


def _candidates(
    fitting_forms: list[str], preferred_forms: Collection[str]
) -> list[str]:
    """Return the forms to choose from: the preferred ones that fit, or else all that fit."""
    preferred = [form for form in fitting_forms if form in preferred_forms]
    return preferred or fitting_forms


def _date_form(
    summary: ColumnSummary, preferred_forms: Collection[str]
) -> ColumnForm | None:
    """Return the form of a column of dates; None if some cells are not dates.

    The form is in doubt if `3/4/2025` may be in March or in April.
    """
    fitting_orders = [order for order in DATE_ORDERS if summary.fits(order)]
    if not fitting_orders:
        return None
    candidates = _candidates(fitting_orders, preferred_forms)
    order = candidates[0]

    doubt = ""
    if len(candidates) > 1 and summary.ambiguous_date:
        doubt = (
            f"{summary.ambiguous_date!r} may have the day or the month first: "
            "say form='day first' or 'month first'"
        )
    description = "" if order == "year first" else f"{order}, read as year-month-day"
    return ColumnForm(order, description, doubt)


def _number_form(
    summary: ColumnSummary, preferred_forms: Collection[str]
) -> ColumnForm | None:
    """Return the form of a column of numbers; None for a column of texts.

    A column has texts if some are codes, such as `0543`, or if at least as many cells are
    words as are numbers. Fewer words put the form in doubt.
    """
    word_count = summary.cells - summary.numbers
    if summary.has_codes or word_count >= summary.numbers:
        return None
    # `1.5` fits only a decimal point, `5` and `1,234` fit both marks. If the column has
    # both `1.5` and `0,25`, no mark fits all of its numbers.
    fitting_marks = summary.decimal_marks
    candidates = _candidates(fitting_marks, preferred_forms)
    mark = candidates[0] if candidates else ""

    doubts = []
    if not fitting_marks:
        doubts.append("its numbers have different decimal marks")
    if len(candidates) > 1 and summary.ambiguous_number:
        doubts.append(
            f"{summary.ambiguous_number!r} may be with a decimal point or comma: "
            "say form='decimal comma' or 'decimal point'"
        )
    if len(summary.currencies) > 1:
        doubts.append(f"it has {' and '.join(summary.currencies)}")
    if word_count:
        doubts.append(f"{summary.example_word!r} is no number")

    # If all numbers are like `5`, the mark makes no difference, and is not told.
    mark_matters = len(fitting_marks) == 1 or bool(summary.ambiguous_number)
    description_parts = list(summary.currencies)
    if mark and mark_matters:
        description_parts.insert(0, mark)
    return ColumnForm(
        mark,
        description=", ".join(description_parts),
        doubt="; ".join(doubts),
        may_be_read_as_number=mark != "" and word_count > 0,
    )
