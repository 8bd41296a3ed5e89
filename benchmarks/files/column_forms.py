"""The form of a table's column: how its cells are read as numbers or dates, by DuckDB's SQL.

A column whose cells all have one form (a decimal mark, thousands, a currency or percent sign, an order of day, month)
holds numbers or dates, and marks of missing values in it are null. Any other holds text.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Final

import duckdb

from controlplane.gates.values.locale_names import CURRENCIES

DECIMAL_MARKS: Final = {"decimal point": (".", ","), "decimal comma": (",", ".")}
"""Forms of numbers: the decimal mark, and the one between thousands."""
DATE_ORDERS: Final = {
    "year first": ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d"],
    "day first": ["%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y"],
    "month first": ["%m/%d/%Y", "%m-%d-%Y"],
}
"""Forms of dates, as DuckDB writes them."""
FORMS: Final = (*DECIMAL_MARKS, *DATE_ORDERS)
CURRENCY_CODES: Final = "|".join(CURRENCIES)
SIGN: Final = f"[$€£¥₹%]|{CURRENCY_CODES}"
MISSING: Final = (
    *("", "na", "n/a", "n.a.", "#n/a", "#nv", "k.a.", "nan", "null", "none", "nil"),
    *("-", "--", "–", "—", "?", "."),
)
"""Marks of a missing value in lower case, which are null in a column of numbers or dates."""
SHOWN_MARKS: Final = 5


@dataclass(frozen=True, slots=True)
class ColumnForm:
    """How the cells of a column are read."""

    form: str = ""
    """One of `FORMS`; empty for text."""
    description: str = ""
    """What is said of it in a result, as `decimal comma, €`."""
    doubt: str = ""
    """Why the form is not certain; the column is then offered as text."""
    has_words: bool = False
    """Some cells are no numbers: as numbers they are null."""


def reading(form: str, cell: str) -> str:
    """Return the SQL of a cell's value in a form; null if it has none, and the cell itself without a form."""
    if form in DATE_ORDERS:
        date = f"cast(try_strptime({cell}, {DATE_ORDERS[form]}) as date)"
        looks_like_date = f"regexp_full_match({cell}, '[0-9]+[./-][0-9]+[./-][0-9]+')"
        return f"case when {looks_like_date} then {date} end"
    if form in DECIMAL_MARKS:
        return _number_reading(*DECIMAL_MARKS[form], cell)
    return cell


def _number_reading(decimal_mark: str, thousands_mark: str, cell: str) -> str:
    """Return the SQL of a cell as a number, such as 1234.5 for `$1,234.50`, and -5 for `(5)`."""
    thousands = rf"[1-9]\d{{0,2}}([{thousands_mark}''’ \x{{a0}}\x{{202f}}]\d{{3}})+"
    digits = rf"(({thousands}|\d+)(\{decimal_mark}\d+)?|\{decimal_mark}\d+)"
    pattern = rf"[+-]? ?({SIGN})? ?[+-]?{digits}([eE][+-]?\d+)? ?({SIGN})?"
    minus = f"replace(trim({cell}), '−', '-')"
    signed = rf"regexp_replace({minus}, '^\((.*)\)$', '-\1')"
    without_signs = f"regexp_replace({signed}, '{CURRENCY_CODES}|[^0-9eE.,+-]', '', 'g')"
    with_point = f"replace(replace({without_signs}, '{thousands_mark}', ''), '{decimal_mark}', '.')"
    number = f"try_cast({with_point} as double)"
    return f"case when regexp_full_match({signed}, '{pattern}') then {number} end"


_READINGS: Final = ", ".join(f'{reading(form, "c")} as "{form}"' for form in FORMS)
_FORM_COUNTS: Final = ", ".join(f'count("{form}") as "{form}"' for form in FORMS)
_SUMMARY: Final = f"""
    select {_FORM_COUNTS},
        count(*) filter (not is_missing) as cells,
        count(number) as numbers,
        min(c) filter (number is null and not is_missing) as word,
        coalesce(sum(times) filter (is_missing), 0)::bigint as missing,
        list_sort(list(c) filter (is_missing)) as missing_marks,
        min(c) filter ("decimal point" <> "decimal comma") as point_or_comma,
        min(c) filter ("day first" <> "month first") as day_or_month,
        list_sort(list(distinct sign) filter (sign <> '')) as signs,
        bool_or(regexp_matches(c, '^[+-]?(0\\d|\\d{{16}})')) as has_codes
    from (
        select *, coalesce("decimal point", "decimal comma") as number,
            case when number is not null then regexp_extract(c, '{SIGN}') end as sign
        from (
            select c, times, lower(trim(c)) in {MISSING} as is_missing, {_READINGS}
            from different where c is not null
        )
    )
"""
"""What the `different` cells `c` of a column, each found some `times`, say of its form."""


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """The counts of a column's different cells, and examples of what is not certain."""

    fitting: dict[str, int]
    """How many cells each form reads."""
    cells: int
    """Cells that are not missing."""
    numbers: int
    word: str | None
    """A cell that is no number."""
    missing: int
    missing_marks: list[str] = field(default_factory=list)
    point_or_comma: str | None = None
    """A number that has another value with a decimal comma than with a point."""
    day_or_month: str | None = None
    """A date that is another one with the month first than with the day first."""
    signs: list[str] = field(default_factory=list)
    """The signs of currencies and percent."""
    has_codes: bool = False
    """Cells begin with a zero or have more digits than a number keeps: they are codes."""

    @property
    def decimal_marks(self) -> list[str]:
        """The forms that read all numbers of the column, if it holds more numbers than words."""
        if 2 * self.numbers <= self.cells:
            return []
        return [form for form in DECIMAL_MARKS if self.fitting[form] == self.numbers]


def summarize(database: duckdb.DuckDBPyConnection, column: str) -> ColumnSummary:
    """Return the summary of a column of the table `written`."""
    different = f"select {column} as c, count(*) as times from written group by c"
    cursor = database.execute(f"with different as ({different}) {_SUMMARY}")
    names = [description[0] for description in cursor.description]
    values: dict[str, Any] = dict(zip(names, cursor.fetchone() or (), strict=True))
    fitting = {form: values.pop(form) for form in FORMS}
    for name in ("missing_marks", "signs"):
        values[name] = values[name] or []
    return ColumnSummary(fitting, **values)


def form_of(summary: ColumnSummary, known_forms: Collection[str]) -> ColumnForm:
    """Return the form of a column. `known_forms` decide where cells fit several."""
    column_form = _date_form(summary, known_forms) or _number_form(summary, known_forms)
    if column_form is None:
        return ColumnForm()
    if column_form.doubt or not summary.missing:
        return column_form
    kind = "dates" if column_form.form in DATE_ORDERS else "numbers"
    marks = ", ".join(repr(mark) for mark in summary.missing_marks[:SHOWN_MARKS])
    description = column_form.description or kind
    description += f"; empty values ({marks}): {summary.missing:,}"
    return ColumnForm(column_form.form, description)


def _date_form(summary: ColumnSummary, known_forms: Collection[str]) -> ColumnForm | None:
    """Return the order of day and month; None if not all cells are dates."""
    orders = [order for order in DATE_ORDERS if summary.fitting[order] == summary.cells > 0]
    if not orders:
        return None
    known_orders = [order for order in orders if order in known_forms]
    order = (known_orders or orders)[0]
    is_certain = len(orders) == 1 or len(known_orders) == 1 or not summary.day_or_month
    doubt = ""
    if not is_certain:
        doubt = (
            f"{summary.day_or_month!r} may have the day or the month first: "
            "say form='day first' or 'month first'"
        )
    description = "" if order == "year first" else f"{order}, read as year-month-day"
    return ColumnForm(order, description, doubt)


def _number_form(summary: ColumnSummary, known_forms: Collection[str]) -> ColumnForm | None:
    """Return the decimal mark and the signs; None for a column of text."""
    words = summary.cells - summary.numbers
    if summary.has_codes or words >= summary.numbers:
        return None
    marks = summary.decimal_marks
    known_marks = [form for form in marks if form in known_forms] or marks
    doubts = []
    if not marks:
        doubts.append("its numbers have different decimal marks")
    if len(known_marks) > 1 and summary.point_or_comma:
        doubts.append(
            f"{summary.point_or_comma!r} may be with a decimal point or comma: "
            "say form='decimal comma' or 'decimal point'"
        )
    if len(summary.signs) > 1:
        doubts.append(f"it has {' and '.join(summary.signs)}")
    if words:
        doubts.append(f"{summary.word!r} is no number")
    form = known_marks[0] if known_marks else ""
    parts = list(summary.signs)
    if form and (summary.point_or_comma or len(marks) == 1):
        parts.insert(0, form)
    return ColumnForm(form, ", ".join(parts), "; ".join(doubts), has_words=bool(words))
