"""The columns of a table that queries can use, computed from those of the raw table."""

from __future__ import annotations

from controlplane.benchmarks.files.tables.column_forms import (
    FORMS,
    ColumnForm,
    ColumnSummary,
    form_of,
    reading,
    summarize,
)
from controlplane.benchmarks.files.tables.raw_rows import RawRows
from controlplane.benchmarks.files.tables.table_database import (
    LINE,
    RAW_TABLE,
    database,
)
from controlplane.sandbox.interface import Plain


class TableColumns:
    """The columns that queries can use.

    A column `amount` whose form is certain stays `amount`. Otherwise it becomes `amount
    as written` (its text) and, if it has a few words among numbers, also `amount as
    number`, in which words are null.
    """

    def __init__(self) -> None:
        self.sql: dict[str, str] = {LINE: LINE}
        """The SQL for each column's value, by its name. It reads a column of the raw table."""
        self.texts: set[str] = set()
        """The case-folded names of columns that hold text. (DuckDB ignores case in names.)"""
        self.forms: dict[str, Plain] = {}
        """How each column's cells are read, or why that is uncertain, by its name in the file."""
        self.uncertain: dict[str, str] = {}
        """Why columns have no certain form, by case-folded name.

        They cannot be queried by this name, but as `amount as written`.
        """

    def add(self, name: str, cell: str, form: ColumnForm) -> None:
        """Add a column of the file. `cell` is the raw table's column with its text: `c0`."""
        value = reading(form.form, cell)
        if not form.doubt:
            self._add(name, value, is_text=not form.form)
            if form.description:
                self.forms[name] = form.description
            return
        note = f'not certain, as {form.doubt}; "{name} as written" is its text'
        self._add(f"{name} as written", cell, is_text=True)
        if form.offers_number:
            note += f', "{name} as number" is null there'
            self._add(f"{name} as number", value, is_text=False)
        self.forms[name] = note
        self.uncertain[name.casefold()] = f"{name} is {note}"

    def _add(self, name: str, sql: str, *, is_text: bool) -> None:
        self.sql[name] = sql
        if is_text:
            self.texts.add(name.casefold())


def columns_of(rows: RawRows, path: str, stated_form: str) -> TableColumns:
    """Return the columns that queries can use for the raw table with these rows.

    `stated_form` is how the script says that ambiguous numbers and dates are read, such
    as `decimal comma`; empty if it does not say so.
    """
    names = rows.columns.names
    cells = [f"c{number}" for number in range(len(names))]
    summaries = [summarize(database, RAW_TABLE, cell) for cell in cells]
    preferred = _preferred_forms(path, stated_form, summaries)
    columns = TableColumns()
    for number, summary in enumerate(summaries):
        form = form_of(summary, preferred)
        is_certain = bool(form.form) and not form.doubt
        # In a row with too many cells, a number such as `1,200` may have been split at its comma.
        if is_certain and rows.unfit.may_be_split(number):
            doubt = f"line {rows.unfit.longer[0]} has more cells than the header"
            form = ColumnForm(form.form, doubt=doubt, offers_number=True)
        columns.add(names[number], cells[number], form)
    return columns


def _preferred_forms(
    path: str, stated_form: str, summaries: list[ColumnSummary]
) -> list[str]:
    """Return the forms to use for cells that fit several forms, such as `1,234`."""
    stated = [form for form in FORMS if form in stated_form]
    if stated:
        return stated
    # The texts of a workbook's sheets are written with a decimal point.
    if ".xlsx/" in path.lower():
        return ["decimal point"]
    # A column with `1.5` and `0.25` shows the decimal mark of the whole file.
    marks = set()
    for summary in summaries:
        if len(summary.decimal_marks) == 1:
            marks.add(summary.decimal_marks[0])
    return list(marks) if len(marks) == 1 else []
