"""A form: how the cells of a table's column are written, and so read as numbers or dates.

The cells of a CSV file are texts. `1,5` and `0,25` have the form `decimal comma`, and `3.4.2025`
has `day first`. `form_of` (in `column_forms`) finds the form of a column. The result of a query
tells it, with the doubt about it, to the script, which can then say what is right.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

DECIMAL_MARKS: Final = {"decimal point": (".", ","), "decimal comma": (",", ".")}
"""Forms of numbers, with the decimal mark and the thousands separator: `1,234.50`, `1.234,50`."""
DATE_ORDERS: Final = {
    "year first": ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d"],
    "day first": ["%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y"],
    "month first": ["%m/%d/%Y", "%m-%d-%Y"],
}
"""Forms of dates, with the patterns that DuckDB reads: `2025-04-03`, `3.4.2025`, `4/3/2025`."""
FORMS: Final = (*DECIMAL_MARKS, *DATE_ORDERS)


@dataclass(frozen=True, slots=True)
class ColumnForm:
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


def preferred_or_all(
    fitting_forms: list[str], preferred_forms: Collection[str]
) -> list[str]:
    """Return the forms to choose from: the preferred ones that fit, or else all that fit.

    Cells like `1,234` fit `decimal point` and `decimal comma`. If the script has said
    `decimal comma` -> `["decimal comma"]`.
    """
    preferred = [form for form in fitting_forms if form in preferred_forms]
    return preferred or fitting_forms
