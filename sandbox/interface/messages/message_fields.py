"""Reads the fields of a message that came as a JSON object, and checks their types.

On the wire every message is an object with its kind and its fields, for example
`{"kind": "cite", "path": "/a.md", "reason": "states the limit", "quote": ""}`. In the
program it is a dataclass with two methods: `encode` returns that object, and `decode`
makes the message from it.
"""

from __future__ import annotations

from typing import Any, Final

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.json_documents import is_larger
from controlplane.sandbox.interface.messages.frames import Forged

KIND: Final = "kind"
"""The field that says which message an object is."""

_MAX_FAULT_CHARS: Final = 200
"""Characters kept of a parser's message, which may quote a long text."""


def read_message(body: bytes) -> dict[str, Any]:
    """Return the object in the body of an untrusted sender's message: `b'{"kind": "ok"}'` -> a dict.

    It must be strict JSON with at most 200 levels, which is the limit of the parser. Its
    values are counted before any of them becomes a Python object. Raises `Forged`.
    """
    from pydantic_core import from_json  # slow to import, and children do not need it

    if is_larger(body):
        msg = f"more than {bounds.MOST_PARTS} lists and mappings, or {bounds.MOST_VALUES} values"
        raise Forged(msg)
    try:
        message = from_json(body, allow_inf_nan=False, cache_strings="keys")
    except ValueError as error:
        msg = f"no JSON: {error}"
        raise Forged(msg[:_MAX_FAULT_CHARS]) from error
    if not isinstance(message, dict):
        msg = "a message that is not an object"
        raise Forged(msg)
    return message


class MessageFields:
    """Reads the fields of one received message, such as `{"kind": "cite", "path": "/a.md"}`.

    Every method raises `Forged` for a wrong type. The sender may be an untrusted
    process, so nothing is converted: `True` is not an integer.
    """

    __slots__ = ("_fields",)

    def __init__(self, fields: Any) -> None:
        """Take a message as the JSON parser returned it. Raises `Forged` if it is no object."""
        if type(fields) is not dict:
            msg = "a message that is not an object"
            raise Forged(msg)
        self._fields: dict[str, Any] = fields

    def value(self, name: str) -> Any:
        """Return a field of any type; None if the message lacks it."""
        return self._fields.get(name)

    def text(self, name: str) -> str:
        """Return a field that must be a text: `fields.text("path")` -> `/a.md`."""
        value = self._fields.get(name)
        if type(value) is not str:
            raise _wrong_type(name, "a text")
        return value

    def optional_text(self, name: str) -> str:
        """Return a field that must be a text if there is one; empty if there is none."""
        value = self._fields.get(name, "")
        if type(value) is not str:
            raise _wrong_type(name, "a text")
        return value

    def integer(self, name: str) -> int:
        """Return a field that must be an integer."""
        value = self._fields.get(name)
        if type(value) is not int:
            raise _wrong_type(name, "an integer")
        return value

    def optional_integer(self, name: str) -> int:
        """Return a field that must be an integer if there is one; 0 if there is none."""
        value = self._fields.get(name, 0)
        if type(value) is not int:
            raise _wrong_type(name, "an integer")
        return value

    def flag(self, name: str) -> bool:
        """Return a field that must be true or false."""
        value = self._fields.get(name)
        if type(value) is not bool:
            raise _wrong_type(name, "true or false")
        return value

    def items(self, name: str) -> list[Any]:
        """Return a field that must be a list."""
        value = self._fields.get(name)
        if type(value) is not list:
            raise _wrong_type(name, "a list")
        return value

    def mapping(self, name: str) -> dict[str, Any]:
        """Return a field that must be an object."""
        value = self._fields.get(name)
        if type(value) is not dict:
            raise _wrong_type(name, "an object")
        return value


def _wrong_type(name: str, expected: str) -> Forged:
    """Return the error for a field of a wrong type, or one that is missing."""
    return Forged(f"a message whose field {name!r} is not {expected}")


def unknown_kind(kind: str) -> Forged:
    """Return the error for a message of a kind that its receiver does not know."""
    return Forged(f"a message of the unknown kind {kind[:40]!r}")
