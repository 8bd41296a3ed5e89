"""The names of a record's fields in one line, and those of a table: the names of its columns.

The first message has them, so that the model need not guess. Long names and lists are cut:

    id,due                 -> "id, due"
    f1,f2, ... f40         -> "f1, f2, ... f12, …"
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

MAX_FIELDS: Final = 12
MAX_FIELD_CHARS: Final = 30
"""Longer names of fields are cut, and fields after `MAX_FIELDS` are left out."""
MAX_PARSED_CHARS: Final = 50_000
"""Longer files are not parsed for the first message."""


def columns_of(text: str, delimiter: str) -> list[str]:
    """Return the names of a table's columns: `id,due` in its first line -> `["id", "due"]`.

    Empty if they cannot be read.
    """
    header = text.partition("\n")[0][:MAX_PARSED_CHARS]
    columns: list[str] = []
    with suppress(csv.Error):
        columns = next(csv.reader([header], delimiter=delimiter), [])
    has_names = any(column.strip() for column in columns)
    return columns if has_names else []


def names_of_fields(names: Iterable[str]) -> str:
    """Return names of fields in one line: `["id", "due"]` -> "id, due"."""
    all_names = list(names)
    shown_names: list[str] = []
    for name in all_names[:MAX_FIELDS]:
        one_line = " ".join(name.split())
        shown_names.append(one_line[:MAX_FIELD_CHARS])
    if len(all_names) > MAX_FIELDS:
        shown_names.append("…")
    return ", ".join(shown_names)
