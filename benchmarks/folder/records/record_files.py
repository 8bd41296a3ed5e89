"""Reads and sets the fields of a file by its kind, as the tools of a task.toml do.

A file may be a JSON object, a table of separated values (CSV, TSV), or `key: value`
lines: YAML, or the front matter of Markdown. Without front matter, all lines of the
Markdown file are read. All fields of files other than JSON are texts.

The parameter `row` selects a row of a table: `{"id": "B-17"}`. Other files have no use
for it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from controlplane.benchmarks.folder.records.json_record import json_object, merged
from controlplane.benchmarks.folder.records.key_value_text import KeyValueText
from controlplane.benchmarks.folder.records.record_table import (
    SEPARATORS,
    RecordTable,
    text_of,
)
from controlplane.sandbox.interface import is_same

BYTE_ORDER_MARK: Final = "\ufeff"
KEY_VALUE_KINDS: Final = ("yaml", "yml", "md")


def fields_of(path: str, text: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a file; of a table, those of the row that `row` selects.

    `{"id": "B-17"}` selects the row with this id. Raises `CallError` if the file cannot
    be read, or if not exactly one row matches.
    """
    kind = _kind_of(path)
    text = text.removeprefix(BYTE_ORDER_MARK)
    if kind in SEPARATORS:
        return RecordTable.read(path, text).fields(row)
    if kind in KEY_VALUE_KINDS:
        return {**KeyValueText.read(text).fields}
    return json_object(path, text)


def has_fields(path: str, fields: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return True if the fields of a file have the wanted values.

    In JSON, a nested object may have further fields.
    """
    if _kind_of(path) in (*SEPARATORS, *KEY_VALUE_KINDS):
        return all(fields.get(name) == text_of(value) for name, value in wanted.items())
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
    if kind in SEPARATORS:
        return RecordTable.read(path, text).text_after_setting(row, values, line_end)
    if kind in KEY_VALUE_KINDS:
        return KeyValueText.read(text).text_after_setting(values, line_end)
    data = merged(json_object(path, text), values)
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _kind_of(path: str) -> str:
    """Return the extension of a file's name in lower case: `/data/Loans.CSV` -> `csv`."""
    return path.rpartition(".")[2].lower()
