"""Describes a JSON file of records by its fields: `a list of records with id, due`.

The first message has this description, so that the model need not guess the fields. Values
are not shown, because the user who asks may not be allowed to see them.
"""

from __future__ import annotations

from controlplane.agent.loop.initial_prompt.records.record_fields import (
    MAX_PARSED_CHARS,
    names_of_fields,
)
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json


def json_shape(text: str) -> str:
    """Return the description of JSON by its fields; empty if it is not JSON or too long."""
    if len(text.rstrip()) > MAX_PARSED_CHARS:
        return ""
    try:
        return _shape_of(read_json(text))
    except (Unreadable, RecursionError):
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
