"""Finds out how the numbers of a table's column are written: with a decimal point or comma.

`1.5` has a point and `0,25` a comma, but `1,234` may have either. A wrong choice makes a number
a thousand times too large, so the form of a column has a doubt if its cells do not decide.
"""

from __future__ import annotations

from collections.abc import Collection

from controlplane.benchmarks.files.tables.column_form import (
    ColumnForm,
    preferred_or_all,
)
from controlplane.benchmarks.files.tables.column_summary import (
    ColumnSummary,
)


def number_form(
    summary: ColumnSummary, preferred_forms: Collection[str]
) -> ColumnForm | None:
    """Return the form of a column of numbers; None for a column of texts.

    `summary` counts the column's cells: those of `1,5`, `0,25` -> `decimal comma`. A column
    has texts if some are codes, such as `0543`, or if at least as many cells are words as are
    numbers. Fewer words put the form in doubt.
    """
    if summary.has_codes or summary.words >= summary.numbers:
        return None
    # The marks with which all numbers can be read: for `1.5`, `5` only a point; for `5`,
    # `1,234` both; for `1.5`, `0,25` neither.
    fitting_marks = summary.decimal_marks
    candidates = preferred_or_all(fitting_marks, preferred_forms)
    mark = candidates[0] if candidates else ""

    # If all numbers are like `5`, the mark makes no difference, and is not told.
    mark_matters = len(fitting_marks) == 1 or bool(summary.ambiguous_number)
    description_parts = list(summary.currencies)
    if mark and mark_matters:
        description_parts.insert(0, mark)
    return ColumnForm(
        mark,
        description=", ".join(description_parts),
        doubt="; ".join(_doubts(summary, candidates)),
        may_be_read_as_number=mark != "" and summary.words > 0,
    )


def _doubts(summary: ColumnSummary, candidates: list[str]) -> list[str]:
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
