"""Finds the text in the result of a call.

An answer may cite a file for the text that a call has returned of it. A result has other fields,
too, such as the path and the hash of the file, which are not its text:

| result | text |
|---|---|
| `{"path": "/a.md", "content": "fee: 7"}` | `fee: 7` |
| `{"page": "fee: 7"}`, where `page` is declared as the field with the text | `fee: 7` |
| `{"rows": [{"fee": 7}, "late"], "truncated": false}` | `7` and `late`, one in each line |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.sandbox.interface import Plain

_FIELDS_ABOUT_FILES: Final = frozenset(
    {"path", "sha256", "content_type", "name", "truncated", "exit_code", "call_path"}
)
"""Result fields that describe a file or a call, and are not text of the file."""


def text_of_result(result: Mapping[str, Plain], field_name: str) -> str:
    """Return the text in a field of a result, or else in the field `content`.

    `field_name` is empty if no field is declared. If the result has neither, all its texts and
    numbers are joined, without the fields that describe files.
    """
    for name in (field_name, "content"):
        text = result.get(name)
        if isinstance(text, str):
            return text
    return "\n".join(_texts_in(result))


def _texts_in(value: object) -> list[str]:
    """Return the texts and numbers in a result, without the fields that describe files."""
    if isinstance(value, str | int | float):
        return [str(value)]
    texts: list[str] = []
    if isinstance(value, list):
        for item in value:
            texts += _texts_in(item)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            if name not in _FIELDS_ABOUT_FILES:
                texts += _texts_in(item)
    return texts
