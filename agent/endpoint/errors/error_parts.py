"""Finds the texts and objects in an error that has other errors inside it.

A gateway passes on the errors of other servers inside of its own, even as JSON in a
text. For example, the error `{"message": "upstream: {\"code\": 429}"}` has three
parts: the whole object, the text `upstream`, and the object `{"code": 429}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

import re2

from controlplane.agent.reply.object_text import read_object
from controlplane.sandbox.interface import parse_json, well_formed

MAX_TEXT_CHARS: Final = 20_000
"""Max characters of one error text that are read. Some servers send back the whole request."""

MAX_LIST_ITEMS: Final = 20
"""Max items of one list that are read."""
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


class ReadText(NamedTuple):
    """The text of an error, divided into words and JSON: `502 - {"code": 1}` has both."""

    words: str
    inner_error: object = None
    """The decoded object or list; None without one."""


def parts_of(error: object) -> Iterator[ErrorPart]:
    """Yield an error's texts and objects, the outermost first.

    `{"message": "upstream: {...}"}` has three parts: the whole object, the text `upstream`,
    and the object in the text.
    """
    # Parts with their depth, which is the number of objects and lists around them. The last one
    # is read next.
    waiting: list[tuple[object, int]] = [(error, 0)]
    while waiting:
        part, depth = waiting.pop()
        inner_parts: list[object] = []
        if isinstance(part, str):
            text = read_text(part)
            yield text.words  # They may be empty.
            waiting.append((text.inner_error, depth))
        elif isinstance(part, dict):
            yield part
            inner_parts = [part.get(key) for key in WRAPPER_KEYS]
        elif isinstance(part, list):
            inner_parts = part[:MAX_LIST_ITEMS]

        if depth < MAX_DEPTH:
            for inner_part in reversed(inner_parts):
                waiting.append((inner_part, depth + 1))


def read_text(text: str) -> ReadText:
    """Divide the text of an error, which is JSON, an HTML page, or words before a JSON object."""
    document = json_document(text)
    if isinstance(document, dict | list):
        return ReadText("", document)
    if isinstance(document, str):
        text = document  # The text was a JSON text, in quotation marks: `"too long"`.
    start = well_formed(text)[:MAX_TEXT_CHARS].strip("\ufeff \t\r\n")
    inner_error = embedded_object(start)
    if inner_error:
        words, _, _ = start.partition("{")
        return ReadText(without_markup(words.rstrip(" -:")), inner_error)
    return ReadText(without_markup(start))


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
