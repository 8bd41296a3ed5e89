"""Finds the texts and objects in an error that has other errors inside it.

A gateway passes on the errors of other servers inside of its own, even as JSON in a text:

    {"message": "upstream: {\\"code\\": 429}"}

has three parts: the whole object, the text `upstream`, and the object `{"code": 429}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from controlplane.agent.endpoint.errors.error_text import read_error_text

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

ErrorPart: TypeAlias = str | dict[str, Any]
"""A text, or an object such as `{"message": "too long", "code": 400}`."""


def parts_of(error: object, depth: int = 0) -> Iterator[ErrorPart]:
    """Yield an error's texts and objects, the outermost first. A text may be empty.

    `error` is a decoded JSON value, and `depth` the number of objects and lists around it.
    Numbers and None have no parts.
    """
    if depth > MAX_DEPTH:
        return
    if isinstance(error, str):
        text = read_error_text(error)
        yield text.words
        yield from parts_of(text.inner_error, depth)
    elif isinstance(error, dict):
        yield error
        for key in WRAPPER_KEYS:
            yield from parts_of(error.get(key), depth + 1)
    elif isinstance(error, list):
        for item in error[:MAX_LIST_ITEMS]:
            yield from parts_of(item, depth + 1)
