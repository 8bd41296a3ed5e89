"""Describes a table, or a JSON file of records, by its fields: `a list of records with id, due`.

The first message has this description, so that the model need not guess the fields. Values
are not shown, because the user who asks may not be allowed to see them.
"""

from __future__ import annotations

import csv
import json
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


def json_shape(text: str) -> str:
    """Return the description of JSON by its fields; empty if it is not JSON or too long."""
    if len(text.rstrip()) > MAX_PARSED_CHARS:
        return ""
    try:
        return _shape_of(json.loads(text))
    except (ValueError, RecursionError):
        return ""


def _shape_of(data: object) -> str:
    """Return the description of parsed JSON by its fields.

    {"id": "l-1", "due": "2027-03-02"}          -> "fields id, due"
    [{"id": "l-1", "due": "2027-03-02"}]        -> "a list of records with id, due"
    {"l-1": {"due": "..."}, "l-2": {"due": "..."}}  -> "fields l-1, l-2, each with due"
    """
    if isinstance(data, list):
        if data and isinstance(data[0], dict):
            return f"a list of records with {names_of_fields(data[0])}"
        return "a list"
    if not isinstance(data, dict) or not data:
        return ""
    shape = f"fields {names_of_fields(data)}"
    first_value = next(iter(data.values()))
    if isinstance(first_value, dict) and len(data) > 1:
        # The fields are probably ids, each with a record of the same form.
        shape += f", each with {names_of_fields(first_value)}"
    return shape


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
