"""A record as a JSON object: `{"id": "B-17", "state": "open"}`.

To set `{"address": {"city": "Graz"}}` changes the city and keeps the rest of the address.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controlplane.sandbox.interface import CallError, error_codes
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json


def json_object(path: str, text: str) -> dict[str, Any]:
    """Return the object that a text holds. Raises `CallError` if it holds none."""
    try:
        data = read_json(text)
    except Unreadable:  # A script may have written the file.
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
