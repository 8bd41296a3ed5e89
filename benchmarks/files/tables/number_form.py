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
    word_count = summary.cells - summary.numbers
    if summary.has_codes or word_count >= summary.numbers:
        return None
    # `1.5` fits only a decimal point, `5` and `1,234` fit both marks. If the column has
    # both `1.5` and `0,25`, no mark fits all of its numbers.
    fitting_marks = summary.decimal_marks
    candidates = preferred_or_all(fitting_marks, preferred_forms)
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
