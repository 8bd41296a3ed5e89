"""Reads the text of an error: words, JSON, words with JSON in them, or an HTML page.

A gateway answers `502 - {"code": 1}`, for example: words of its own, and the error of the server
behind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.endpoint.errors.page_words import without_markup
from controlplane.agent.reply.objects.object_text import read_object
from controlplane.sandbox.interface import parse_json, well_formed

MAX_TEXT_CHARS: Final = 20_000
"""Max characters of one error text that are read. Some servers send back the whole request."""


@dataclass(frozen=True, slots=True)
class ErrorText:
    """The text of an error, divided into words and JSON."""

    words: str
    """The text without the JSON and without the tags of HTML; may be empty."""
    inner_error: object = None
    """The decoded JSON object or list; None without one."""


def read_error_text(text: str) -> ErrorText:
    """Divide the text of an error.

    | text | words | inner error |
    |---|---|---|
    | `{"code": 1}` | empty | `{"code": 1}` |
    | `"too long"`, a text as JSON | `too long` | None |
    | `502 - {"code": 1}` | `502` | `{"code": 1}` |
    | `<title>Bad Gateway</title>` | `Bad Gateway` | None |
    """
    document = json_document(text)
    if isinstance(document, dict | list):
        return ErrorText("", document)
    if isinstance(document, str):
        text = document

    start = well_formed(text)[:MAX_TEXT_CHARS].strip("\ufeff \t\r\n")
    inner_error = _embedded_object(start)
    if not inner_error:
        return ErrorText(without_markup(start))
    words_before, _, _ = start.partition("{")
    return ErrorText(without_markup(words_before.rstrip(" -:")), inner_error)


def json_document(text: str) -> object:
    """Return a decoded JSON text; None if it is not JSON."""
    try:
        return parse_json(text)
    except ValueError:
        return None


def _embedded_object(text: str) -> dict[str, object] | None:
    """Return the object in a text: `502 - {"code": 1}` has `{"code": 1}`; None without one."""
    start = text.find("{")
    end = text.rfind("}") + 1
    return read_object(text[start:end]) if 0 <= start < end else None
