"""The text in the result of a call, as far as it was shown. An answer may only cite this part.

A script gets the whole result. But the initial prompt shows only `shown_chars` characters of it:

| result | `shown_chars` | text |
|---|---|---|
| `{"path": "/a.md", "content": "fee: 7"}` | None | `fee: 7` |
| the same | 3 | `fee`, which is not whole |
| `{"page": "fee: 7"}`, where `page` is declared as the field with the text | None | `fee: 7` |
| `{"rows": [{"fee": 7}, "late"], "truncated": false}` | None | `7` and `late`, in two lines |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.sandbox.interface import Plain

_FIELDS_ABOUT_FILES: Final = frozenset(
    {"path", "sha256", "content_type", "name", "truncated", "exit_code", "call_path"}
)
"""Result fields that describe a file or a call, and are not text of the file."""


@dataclass(frozen=True, slots=True)
class ShownText:
    """The text of a result, as far as it was shown."""

    text: str
    is_whole: bool
    """False if the end of the result's text was cut off."""

    @classmethod
    def of(
        cls, result: Mapping[str, Plain], field_name: str, shown_chars: int | None
    ) -> ShownText:
        """Return the text of the declared field, or else of `content`, or else of all fields.

        `field_name` is empty if no field is declared. `shown_chars` is None for the whole text.
        """
        text = _text_of_result(result, field_name)
        if shown_chars is None:
            return cls(text, is_whole=True)
        shown = text[: max(shown_chars, 0)]
        return cls(shown, is_whole=len(shown) == len(text))


def _text_of_result(result: Mapping[str, Plain], field_name: str) -> str:
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
