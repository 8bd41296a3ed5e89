"""The results of a host's calls: plain fields within bounds, whatever the host returns or raises."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import NoneType
from typing import Any, Final, TypeVar

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    INTERNAL,
    RESOURCE_EXHAUSTED,
    CallError,
    Refusal,
)
from controlplane.sandbox.interface.frames import is_larger, json_bytes, json_text, levels_of
from controlplane.sandbox.interface.operations import Operation, Plain

Result = TypeVar("Result")

_MAX_FAULT_CHARS: Final = 400
"""Of a host's fault that a script is shown: the first lines say it."""

_JSON_INT_BITS: Final = 64
"""A longer integer has another form in some JSON writers."""


class ResultFields(dict[str, Plain]):
    """Result fields in JSON's own types, within the bounds of a result. Nobody changes them."""

    __slots__ = ("body",)
    body: bytes
    """The fields as JSON in UTF-8."""


def guarded(what: str, call: Callable[[], Result]) -> Result:
    """Return the result of a host's `call`, and turn an undeclared exception into a `CallError`.

    Exceptions that hosts may raise pass through: `CallError`, `Refusal`, and those with a true
    attribute `leaves_step`.
    """
    try:
        return call()
    except Exception as error:
        if isinstance(error, CallError | Refusal) or getattr(error, "leaves_step", False):
            raise
        message = ""
        with suppress(Exception):  # Its own `__str__` may raise anything.
            message = str(error)
        raise host_fault(what, f"{type(error).__name__}: {message}") from error


def parsed_result(operation: Operation, result: Mapping[str, Plain]) -> Any:
    """Return a result with its JSON field parsed, and an object's keys beside the other fields.

    If it is the only field, returns the parsed value alone.
    """
    field = operation.parsed_field
    if not field:
        return result
    text = result.get(field)
    data = json.loads(text) if isinstance(text, str) and text else None
    if len(operation.fields) == 1:
        return data

    combined: dict[str, Any] = {}
    if type(data) is dict:
        combined.update(data)
    combined.update(result)
    combined[field] = data
    return combined


def host_fault(what: str, fault: str) -> CallError:
    """Return the error of a call whose host failed in an undeclared way."""
    error = CallError(INTERNAL, f"{what} broke: {fault}"[:_MAX_FAULT_CHARS])
    error.host_broke = True
    return error


def plain_result(what: str, call: Callable[[], object]) -> ResultFields:
    """Return a copy of the result fields that `call` returns, in JSON's own types.

    Raises as `guarded` does, and `CallError` if the result is not plain data or too large.
    """
    value = guarded(what, call)
    if type(value) is ResultFields:
        return value
    if not isinstance(value, Mapping):
        fault = f"it returned {type(value).__name__}, not a mapping of result fields"
        raise host_fault(what, fault)
    if type(value) is dict and _is_flat(value):
        return fresh_result(what, value)

    try:
        copy = json.loads(json_text(dict(value)))
    except Exception as error:
        raise host_fault(what, f"its result cannot be written as JSON: {error}") from error
    return fresh_result(what, copy)


def _is_flat(fields: dict[Any, Any]) -> bool:
    """Say whether all fields are texts, small integers, truth values or None.

    They cannot change and have one form in JSON, so a new mapping of them is a copy.
    """
    for name, value in fields.items():
        if type(name) is not str:
            return False
        if type(value) is int:
            if value.bit_length() >= _JSON_INT_BITS:
                return False
        elif type(value) not in (str, bool, NoneType):
            return False
    return True


def fresh_result(what: str, fields: dict[str, Plain]) -> ResultFields:
    """Return result fields that nobody else has and that need no copy. Half of a surrogate pair in
    a text becomes U+FFFD.

    Raises `CallError` if they have too many values or are nested too deeply.
    """
    body = json_bytes(fields)
    if b"\xef\xbf\xbd" in body:  # U+FFFD in UTF-8: perhaps in place of what fields still hold
        fields = json.loads(body)
    result = ResultFields(fields)
    result.body = body

    openings = result.body.count(b"[") + result.body.count(b"{")
    if openings > bounds.MOST_LEVELS and levels_of(result.body) > bounds.MOST_LEVELS:
        raise host_fault(what, f"its result is nested deeper than {bounds.MOST_LEVELS} levels")
    if is_larger(result.body):
        maximum = f"{bounds.MOST_VALUES} values, or {bounds.MOST_PARTS} lists and mappings"
        raise CallError(RESOURCE_EXHAUSTED, f"the result of {what} holds more than {maximum}")
    return result
