"""Finds the texts and objects in an error that has other errors inside it.

A gateway passes on the errors of other servers inside of its own, even as JSON in a
text. For example, the error `{"message": "upstream: {\"code\": 429}"}` has three
parts: the whole object, the text `upstream`, and the object `{"code": 429}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

import re2

from controlplane.agent.reply.object_text import read_object
from controlplane.sandbox.interface import parse_json, well_formed

MAX_TEXT_CHARS: Final = 20_000
"""Max characters of one error text that are read. Some servers send back the whole request."""

# An error may be nested without end, so only this much of it is read.
MAX_LIST_ITEMS: Final = 20
MAX_DEPTH: Final = 16

WRAPPER_KEYS: Final = (
    "error",
    "errors",
    "detail",
    "details",
    "message",
    "msg",
    "attempts",
    "metadata",
    "raw",
    "innererror",
    "cause",
    "response",
    "body",
    "choices",
)
"""Keys of an error object that may hold its text, or another error that a gateway passes on."""

TITLE: Final = re2.compile(r"(?is)<title[^>]*>(.*?)</title>")
MARKUP: Final = re2.compile(r"(?is)<style\b.*?</style>|<script\b.*?</script>|<[^>]*>")
"""Matches what is not text in an HTML page: tags, and whole styles and scripts."""

ErrorPart: TypeAlias = str | dict[str, Any]
"""A text, or an object such as `{"message": "too long", "code": 400}`."""


def parts_of(error: object, depth: int = 0) -> Iterator[ErrorPart]:
    """Yield an error's texts and objects, the outermost first.

    `depth` counts the objects and lists that are around the error.
    """
    match error:
        case str():
            yield from parts_of_text(error, depth)
        case dict():
            yield error
            yield from parts_of_items([error.get(key) for key in WRAPPER_KEYS], depth)
        case list():
            yield from parts_of_items(error, depth)


def parts_of_items(items: list[object], depth: int) -> Iterator[ErrorPart]:
    """Yield the parts of each item, unless the items are nested too deeply."""
    if depth < MAX_DEPTH:
        for item in items[:MAX_LIST_ITEMS]:
            yield from parts_of(item, depth + 1)


def parts_of_text(text: str, depth: int) -> Iterator[ErrorPart]:
    """Yield the words of a text, and the parts of the error that it contains as JSON."""
    document = json_document(text)
    if isinstance(document, dict | list):
        yield from parts_of(document, depth)
        return
    if isinstance(document, str):  # a text in quotes
        text = document

    text = well_formed(text)[:MAX_TEXT_CHARS].strip("\ufeff \t\r\n")
    embedded_error = embedded_object(text)
    if embedded_error:
        words_before, _, _ = text.partition("{")
        text = words_before.rstrip(" -:")
    yield page_text(text) if text.startswith("<") else text
    if embedded_error:
        yield from parts_of(embedded_error, depth)


def embedded_object(text: str) -> dict[str, object] | None:
    """Return the object in a text: `502 - {"code": 1}` has `{"code": 1}`; None without one."""
    start = text.find("{")
    end = text.rfind("}") + 1
    return read_object(text[start:end]) if 0 <= start < end else None


def json_document(text: str) -> object:
    """Return a decoded JSON text; None if it is not JSON."""
    try:
        return parse_json(text)
    except ValueError:
        return None


def page_text(page: str) -> str:
    """Return the title of an HTML page, or its text if it has no title."""
    title = TITLE.search(page)
    if title is not None:
        return str(title[1])
    return str(MARKUP.sub(" ", page))
