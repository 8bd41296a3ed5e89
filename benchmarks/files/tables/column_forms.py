"""Finds out how the cells of a table's column are written: as dates, as numbers, or as texts.

A column with `1,5` and `0,25` has numbers with a decimal comma; one with `3.4.2025` has dates
with the day first. `decimal comma` and `day first` are forms. All cells of a column have one
form, or are marks of missing values such as `n/a`. Otherwise it is a column of texts.
"""

from __future__ import annotations

from collections.abc import Collection

from controlplane.benchmarks.files.tables.column_form import (
    DATE_ORDERS,
    ColumnForm,
    preferred_or_all,
)
from controlplane.benchmarks.files.tables.column_summary import (
    SHOWN_MARKS,
    ColumnSummary,
)
from controlplane.benchmarks.files.tables.number_form import number_form


def form_of(summary: ColumnSummary, preferred_forms: Collection[str]) -> ColumnForm:
    """Return a column's form: for cells `3.4.2025` and `n/a`, it is `day first`.

    `summary` counts the column's cells. If they fit several forms, as `1,234` does, the one in
    `preferred_forms` is chosen: what the script said, or what other columns of the file show.
    """
    form = _date_form(summary, preferred_forms)
    if form is None:
        form = number_form(summary, preferred_forms)
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


def _date_form(
    summary: ColumnSummary, preferred_forms: Collection[str]
) -> ColumnForm | None:
    """Return the form of a column of dates; None if some cells are not dates.

    The form is in doubt if `3/4/2025` may be in March or in April.
    """
    fitting_orders = [order for order in DATE_ORDERS if summary.fits(order)]
    if not fitting_orders:
        return None
    candidates = preferred_or_all(fitting_orders, preferred_forms)
    order = candidates[0]

    doubt = ""
    # `3/3/2025` alone fits two orders, too, but is the same day in both.
    if len(candidates) > 1 and summary.ambiguous_date:
        doubt = (
            f"{summary.ambiguous_date!r} may have the day or the month first: "
            "say form='day first' or 'month first'"
        )
    description = "" if order == "year first" else f"{order}, read as year-month-day"
    return ColumnForm(order, description, doubt)
