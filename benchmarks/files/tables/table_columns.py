"""The columns of a table that queries can use, computed from those of the raw table.

In the raw table, all cells are texts, and columns are called `c0`, `c1` and so on. If
all cells of the file's column `amount` are numbers with a decimal comma, queries can
use the column `amount` with numbers.
"""

from __future__ import annotations

from controlplane.benchmarks.files.tables.cell_readings import reading
from controlplane.benchmarks.files.tables.column_form import FORMS, ColumnForm
from controlplane.benchmarks.files.tables.column_forms import form_of
from controlplane.benchmarks.files.tables.column_summary import ColumnSummary, summarize
from controlplane.benchmarks.files.tables.raw_rows import RawRows
from controlplane.benchmarks.files.tables.table_database import (
    LINE,
    RAW_TABLE,
    database,
)
from controlplane.sandbox.interface import Plain


class TableColumns:
    """The columns that queries can use.

    A form says how a column's cells are read, such as `decimal comma` (see `ColumnForm`).
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

    def add(self, name: str, cell: str, form: ColumnForm) -> None:
        """Add a column of the file. `cell` is the raw table's column with its text: `c0`."""
        value_sql = reading(form.name, cell)
        if not form.doubt:
            self._add(name, value_sql, is_text=not form.name)
            if form.description:
                self.forms[name] = form.description
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


def columns_of(rows: RawRows, path: str, stated_form: str) -> TableColumns:
    """Return the columns that queries can use, from those of the raw table.

    The raw table holds `rows`, read from the file `path`. `stated_form` is how the script says
    that ambiguous numbers and dates are read: `decimal comma`; empty if it does not say so.
    """
    names = rows.columns.names
    cells = [f"c{number}" for number in range(len(names))]
    summaries = [summarize(database, RAW_TABLE, cell) for cell in cells]
    preferred = _preferred_forms(path, stated_form, summaries)
    columns = TableColumns()
    for index, summary in enumerate(summaries):
        form = form_of(summary, preferred)
        if rows.unfit.may_be_split(index):
            form = _doubted_after_split(form, long_line=rows.unfit.longer[0])
        columns.add(names[index], cells[index], form)
    return columns


def _doubted_after_split(form: ColumnForm, long_line: int) -> ColumnForm:
    """Return the form of a column that may have wrong numbers, because one was split.

    If commas separate cells, `1,200` without quotation marks became the cells `1` and `200`.
    So the row on `long_line` has a cell too many, and all later cells are shifted.
    """
    is_text = not form.name
    if is_text or form.doubt:
        return form
    doubt = f"line {long_line} has more cells than the header"
    return ColumnForm(form.name, doubt=doubt, may_be_read_as_number=True)


def _preferred_forms(
    path: str, stated_form: str, summaries: list[ColumnSummary]
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
