"""Records as the rows of a table of separated values, whose first row names the columns.

For example, `{"id": "B-17"}` selects the second row of

    id,state
    B-17,open
    B-18,ended

All values are texts.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from controlplane.sandbox.interface import CallError, error_codes

SEPARATORS: Final = {"csv": ",", "tsv": "\t"}
"""By the extension of a file's name."""


@dataclass(slots=True)
class RecordTable:
    """A file of separated values. Its first row names the columns."""

    path: str
    rows: list[list[str]]
    """The cells of all rows. The first row has the names of the columns."""

    @classmethod
    def read(cls, path: str, text: str) -> RecordTable:
        """Read a table from a text. Raises `CallError`."""
        separator = separator_of(path)
        try:
            rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
        except csv.Error as error:
            msg = f"{path} cannot be read: {error}"
            raise CallError(error_codes.FAILED_PRECONDITION, msg) from None
        if not rows:
            msg = f"{path} has no line of column names"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        return cls(path, rows)

    @property
    def columns(self) -> list[str]:
        return self.rows[0]

    def fields(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of the only row with these values: those of `{"id": "B-17"}`.

        Raises `CallError` if no row has them, or several.
        """
        cells = self.rows[self.index_of(row)]
        return self._fields_of(cells)

    def _fields_of(self, cells: list[str]) -> dict[str, str]:
        """Return the cells of a row by column. A short row leaves out the last columns."""
        return dict(zip(self.columns, cells, strict=False))

    def index_of(self, row: Mapping[str, Any]) -> int:
        """Return the index of the only row with these values. Raises `CallError` like `fields`."""
        wanted_texts = {name: text_of(value) for name, value in row.items()}
        indices = []
        for index, cells in enumerate(self.rows[1:], start=1):
            fields = self._fields_of(cells)
            if all(fields.get(name) == text for name, text in wanted_texts.items()):
                indices.append(index)
        if len(indices) != 1:
            msg = f"{len(indices)} rows of {self.path} fit {wanted_texts}"
            raise CallError(error_codes.NOT_FOUND, msg)
        return indices[0]

    def text_after_setting(
        self, row: Mapping[str, Any], values: Mapping[str, Any], line_end: str
    ) -> str:
        """Set fields of one row, also in this object, and return the text of the whole file.

        `row` selects the row: `{"id": "B-17"}`; `values` are set: `{"state": "ended"}`. Raises
        `CallError` like `fields`, and if there is no such column.
        """
        cells = self.rows[self.index_of(row)]
        missing_cells = len(self.columns) - len(cells)
        cells += [""] * missing_cells  # None if the row is complete, or too long.
        for name, value in values.items():
            if name not in self.columns:
                msg = f"{self.path} has no column {name!r}"
                raise CallError(error_codes.FAILED_PRECONDITION, msg)
            cells[self.columns.index(name)] = text_of(value)

        text = io.StringIO()
        separator = separator_of(self.path)
        csv.writer(text, delimiter=separator, lineterminator=line_end).writerows(
            self.rows
        )
        return text.getvalue()


def text_of(value: Any) -> str:
    """Return a value as the text of a cell: `True` -> `true`, `12` -> `12`."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def separator_of(path: str) -> str:
    """Return what separates the values of a table: `/data/Loans.CSV` -> `,`."""
    return SEPARATORS[path.rpartition(".")[2].lower()]
