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
"""How many objects and lists may be around a part. What is deeper is left out."""

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

    The parts of an object are itself and those of its values; a text may have an object in
    it. `depth` counts the objects and lists that are around the error.
    """
    match error:
        case str():
            yield from parts_of_text(error, depth)
        case dict():
            yield error
            # For a missing key, this has None, which has no parts.
            inner_values = [error.get(key) for key in WRAPPER_KEYS]
            yield from parts_of_items(inner_values, depth)
        case list():
            yield from parts_of_items(error, depth)


def parts_of_items(items: list[object], depth: int) -> Iterator[ErrorPart]:
    """Yield the parts of each item, unless the items are nested too deeply."""
    if depth < MAX_DEPTH:
        for item in items[:MAX_LIST_ITEMS]:
            yield from parts_of(item, depth + 1)


def parts_of_text(text: str, depth: int) -> Iterator[ErrorPart]:
    """Yield the parts of an error's text: JSON, an HTML page, or words before a JSON object.

    `502 - {"code": 1}` has the parts `502` and `{"code": 1}`. The words may be empty. `depth`
    counts the objects and lists that are around the text.
    """
    document = json_document(text)
    match document:
        case dict() | list():
            yield from parts_of(document, depth)
        case str():  # The text is a JSON text, in quotation marks: `"too long"`.
            yield from parts_of_words(document, depth)
        case _:
            yield from parts_of_words(text, depth)


def parts_of_words(text: str, depth: int) -> Iterator[ErrorPart]:
    """Yield the words of a text, and the parts of the JSON object after them.

    `parts_of` calls this again for the texts in the object. Each of them is shorter than
    this text, so that comes to an end.
    """
    start = well_formed(text)[:MAX_TEXT_CHARS].strip("\ufeff \t\r\n")
    inner_error = embedded_object(start)
    if inner_error:
        words_before, _, _ = start.partition("{")
        yield without_markup(words_before.rstrip(" -:"))
        yield from parts_of(inner_error, depth)
    else:
        yield without_markup(start)


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


def without_markup(text: str) -> str:
    """Return a text; of an HTML page only its title or, without one, its words.

    `<html><title>502 Bad Gateway</title> ...` -> `502 Bad Gateway`
    """
    is_page = text.startswith("<")
    if not is_page:
        return text
    title = TITLE.search(text)
    if title is not None:
        return str(title[1])
    return str(MARKUP.sub(" ", text))
