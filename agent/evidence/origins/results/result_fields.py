"""Returns the fields of a call's result that have text, and the texts in them.

A result also describes the call: `{"iban": "GB33...", "truncated": false, "exit_code": 0}`. That
a result was not truncated says nothing about a value of a later call, so only `iban` counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.agent.evidence.texts.plain_texts import texts_in
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.sandbox.interface import Plain

_FIELDS_ABOUT_CALL: Final = (
    "call_path",
    "sha256",
    "truncated",
    "exit_code",
    "content_type",
    "lines",
)
"""Result fields that describe the call, and have no text of a file or a tool."""


def text_fields(result: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return the fields of a result, except those that only describe the call."""
    return {
        name: value for name, value in result.items() if name not in _FIELDS_ABOUT_CALL
    }


def all_texts(result: Mapping[str, Plain], *, is_data: bool) -> list[ResultText]:
    """Return all texts, numbers and names in a result, each as data or as running text.

    `{"iban": "GB33...", "truncated": False}` -> `iban`, `GB33...`
    """
    return [ResultText(text, is_data) for text in texts_in(text_fields(result))]
