"""Read and set the fields of a file by its kind, as the tools of a task.toml do.

A file may be a JSON object, a table of separated values (CSV, TSV), or `key: value`
lines: YAML, or the front matter of Markdown. Without front matter, all lines of the
Markdown file are read. All fields of files other than JSON are texts.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from controlplane.sandbox.interface import CallError, error_codes, is_same

BYTE_ORDER_MARK: Final = "\ufeff"
_SEPARATORS: Final = {"csv": ",", "tsv": "\t"}
_KEY_VALUE_KINDS: Final = ("yaml", "yml", "md")


def fields_of(path: str, text: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a file; of a table, those of the row that `row` selects.

    `{"id": "B-17"}` selects the row with this id. Raises `CallError` if the file cannot
    be read, or if not exactly one row matches.
    """
    kind = _kind_of(path)
    text = text.removeprefix(BYTE_ORDER_MARK)
    if kind in _SEPARATORS:
        table = _Table.read(path, text)
        cells = table.rows[table.row_with(row)]
        return dict(zip(table.columns, cells, strict=False))
    if kind in _KEY_VALUE_KINDS:
        fields: dict[str, Any] = {}
        for key, value in _KEY_VALUE_LINE.findall(_Document.read(text).lines):
            fields[key.strip()] = _unquoted(value)
        return fields
    return _json_object(path, text)


def has_fields(path: str, fields: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return True if the fields of a file have the wanted values.

    In JSON, a nested object may have further fields.
    """
    if _kind_of(path) in (*_SEPARATORS, *_KEY_VALUE_KINDS):
        return all(
            fields.get(name) == _text_of(value) for name, value in wanted.items()
        )
    # The values are there already if setting them changes nothing.
    with_wanted = merged(fields, wanted)
    return is_same(with_wanted, fields)


def with_fields(
    path: str, text: str, row: Mapping[str, Any], values: Mapping[str, Any]
) -> str:
    """Return a file's text after setting some fields. Raises `CallError` like `fields_of`."""
    if text.startswith(BYTE_ORDER_MARK):
        rest = text.removeprefix(BYTE_ORDER_MARK)
        return BYTE_ORDER_MARK + with_fields(path, rest, row, values)
    kind = _kind_of(path)
    first_line = text.partition("\n")[0]
    line_end = "\r\n" if first_line.endswith("\r") else "\n"
    if kind in _SEPARATORS:
        return _Table.read(path, text).with_fields(row, values, line_end)
    if kind in _KEY_VALUE_KINDS:
        return _Document.read(text).with_fields(values, line_end)
    data = merged(_json_object(path, text), values)
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _kind_of(path: str) -> str:
    """Return the extension of a file's name in lower case: `/data/Loans.CSV` -> `csv`."""
    return path.rpartition(".")[2].lower()


# JSON objects -----------------------------------------------------------------------------------


def _json_object(path: str, text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):  # A script may have written the file.
        data = None
    if not isinstance(data, dict):
        raise CallError(error_codes.FAILED_PRECONDITION, f"{path} holds no JSON object")
    return data


def merged(data: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with the fields of another one added. Nested objects are merged, too."""
    result = dict(data)
    for name, new_value in changes.items():
        old_value = result.get(name)
        if isinstance(old_value, dict) and isinstance(new_value, dict):
            result[name] = merged(old_value, new_value)
        else:
            result[name] = new_value
    return result


# Separated values -------------------------------------------------------------------------------


@dataclass(slots=True)
class _Table:
    """A file of separated values. Its first row names the columns."""

    path: str
    rows: list[list[str]]

    @classmethod
    def read(cls, path: str, text: str) -> _Table:
        """Read a table from a text. Raises `CallError`."""
        separator = _SEPARATORS[_kind_of(path)]
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

    def row_with(self, wanted: Mapping[str, Any]) -> int:
        """Return the index of the only row with these values. Raises `CallError`."""
        wanted_texts = {name: _text_of(value) for name, value in wanted.items()}
        numbers = []
        for number, cells in enumerate(self.rows[1:], start=1):
            fields = dict(zip(self.columns, cells, strict=False))
            if all(fields.get(name) == text for name, text in wanted_texts.items()):
                numbers.append(number)
        if len(numbers) != 1:
            msg = f"{len(numbers)} rows of {self.path} fit {wanted_texts}"
            raise CallError(error_codes.NOT_FOUND, msg)
        return numbers[0]

    def with_fields(
        self, row: Mapping[str, Any], values: Mapping[str, Any], line_end: str
    ) -> str:
        """Set fields of one row and return the text of the whole file. Raises `CallError`.

        `row` has the values that select it: `{"id": "A7"}`.
        """
        cells = self.rows[self.row_with(row)]
        missing_cells = len(self.columns) - len(cells)
        cells += [""] * missing_cells
        for name, value in values.items():
            if name not in self.columns:
                msg = f"{self.path} has no column {name!r}"
                raise CallError(error_codes.FAILED_PRECONDITION, msg)
            cells[self.columns.index(name)] = _text_of(value)

        text = io.StringIO()
        separator = _SEPARATORS[_kind_of(self.path)]
        csv.writer(text, delimiter=separator, lineterminator=line_end).writerows(
            self.rows
        )
        return text.getvalue()


def _text_of(value: Any) -> str:
    """Return a value as the text of a cell: `True` -> `true`, `12` -> `12`."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# Lines of keys and values -----------------------------------------------------------------------


_KEY_VALUE_LINE: Final = re.compile(
    r"^([^\s:#-][^:\n]*):[ \t]*([^\r\n]*)", re.MULTILINE
)
"""`city: Graz`. Indented lines, list items and comments do not count."""
_FRONT_MATTER: Final = re.compile(r"\A---\r?\n(.*?)^---\r?$", re.DOTALL | re.MULTILINE)
"""The lines between `---` and `---` at the start of a Markdown file."""
_UNQUOTED_TEXT: Final = re.compile(r"[^\W\d][\w ./@()-]*")
"""A text that needs no quotes in YAML, unless it is one of `_YAML_WORDS`."""
_YAML_WORDS: Final = frozenset({"true", "false", "yes", "no", "on", "off", "null"})


@dataclass(frozen=True, slots=True)
class _Document:
    """A text in three parts: its `key: value` lines, and the text before and after them."""

    before: str
    lines: str
    after: str

    @classmethod
    def read(cls, text: str) -> _Document:
        """Split a text into its parts. Without front matter, all of it is `lines`."""
        front_matter = _FRONT_MATTER.search(text)
        if front_matter is None:
            return cls("", text, "")
        start, end = front_matter.span(1)
        return cls(text[:start], text[start:end], text[end:])

    def with_fields(self, values: Mapping[str, Any], line_end: str) -> str:
        """Return the whole text after setting some fields. New ones are added at the end."""
        lines = self.lines
        for name, value in values.items():
            new_line = f"{name}: {_quoted(value)}"
            # The name at the start of a line, perhaps blanks, and the rest of the line.
            old_line = re.search(
                rf"^{re.escape(name)}[^\S\r\n]*:[^\r\n]*", lines, flags=re.MULTILINE
            )
            if old_line is not None:
                lines = lines[: old_line.start()] + new_line + lines[old_line.end() :]
                continue
            if lines and not lines.endswith("\n"):
                lines += line_end
            lines += f"{new_line}{line_end}"
        return self.before + lines + self.after


def _quoted(value: Any) -> str:
    """Return a value as YAML. A text is quoted if YAML could read it as something else."""
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    is_unambiguous = (
        _UNQUOTED_TEXT.fullmatch(value) is not None
        and value.lower() not in _YAML_WORDS
        and value == value.strip()
    )
    return value if is_unambiguous else json.dumps(value, ensure_ascii=False)


def _unquoted(value: str) -> str:
    """Return a value without its quotation marks: `'12 May'` -> `12 May`."""
    value = value.strip()
    if value.startswith('"'):
        with suppress(ValueError):
            return str(json.loads(value))  # `_quoted` writes JSON.
    is_quoted = len(value) > 1 and value[0] in "\"'" and value[0] == value[-1]
    return value[1:-1] if is_quoted else value
