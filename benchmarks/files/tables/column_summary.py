"""Counts how many cells of a table's column can be read as numbers or dates, in each way.

Of the cells `1,5`, `0,25` and `n/a`, two are numbers with a decimal comma, and one is the mark of
a missing value. From these counts, `column_forms` finds out how the column is written. DuckDB
counts the cells in one query, since a column may have millions of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import duckdb

from controlplane.benchmarks.files.tables.cell_readings import (
    MISSING,
    SIGN,
    reading,
)
from controlplane.benchmarks.files.tables.column_form import DECIMAL_MARKS, FORMS

SHOWN_MARKS: Final = 5
"""The most marks of missing values that the description of a column names."""


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

    @property
    def words(self) -> int:
        """The number of distinct cells that are neither numbers nor missing."""
        return self.cells - self.numbers

    def fits(self, form: str) -> bool:
        """Return True if all cells that are not missing fit a form."""
        return self.cells > 0 and self.fitting[form] == self.cells

    @property
    def decimal_marks(self) -> list[str]:
        """The forms in `DECIMAL_MARKS` that fit all numbers.

        Empty if no form fits all, or if at least as many cells are words as are numbers.
        """
        if self.words >= self.numbers:
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
    """Return the query for a `ColumnSummary`. Its result is one row, with a column for each field.

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
    """Return the summary of a column of texts in a table. `column` is its name as SQL: `c0`.

    Cells `1,5`, `0,25`, `n/a` -> `cells` 2, `numbers` 2, `missing` 1, `fitting` 2 for
    `decimal comma`.
    """
    cursor = database.execute(_summary_query(table, column))
    names = [description[0] for description in cursor.description]
    values: dict[str, Any] = dict(zip(names, cursor.fetchone() or (), strict=True))
    # The query has a column for each form. The others are the fields of `ColumnSummary`.
    fitting = {form: values.pop(form) for form in FORMS}
    # DuckDB returns null for an empty list.
    values["missing_marks"] = values["missing_marks"] or []
    values["currencies"] = values["currencies"] or []
    return ColumnSummary(fitting, **values)
