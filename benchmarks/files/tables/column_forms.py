"""Find out how the cells of a table's column are written, and read them by SQL in DuckDB.

The cells of a CSV file are texts. A column with `1,5` and `0,25` has numbers with a decimal
comma; one with `3.4.2025` has dates with the day first. `decimal comma` and `day first`
are forms. All cells of a column have one form, or are marks of missing values such
as `n/a`. Otherwise it is a column of texts.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from controlplane.benchmarks.files.tables.cell_readings import (
    DATE_ORDERS,
)
from controlplane.benchmarks.files.tables.column_summary import (
    SHOWN_MARKS,
    ColumnSummary,
)


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
