"""A form: how the cells of a table's column are written, and so read as numbers or dates.

The cells of a CSV file are texts. `1,5` and `0,25` have the form `decimal comma`, and `3.4.2025`
has `day first`. A result tells a script the form of each column, and the doubt about it, so that
the script can say what is right.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass


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


def preferred_or_all(
    fitting_forms: list[str], preferred_forms: Collection[str]
) -> list[str]:
    """Return the forms to choose from: the preferred ones that fit, or else all that fit.

    Cells like `1,234` fit `decimal point` and `decimal comma`. If the script has said
    `decimal comma` -> `["decimal comma"]`.
    """
    preferred = [form for form in fitting_forms if form in preferred_forms]
    return preferred or fitting_forms
