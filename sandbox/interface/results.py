"""Checks and copies the results of a host's calls before a script gets them.

A host is any object that implements `Host`, so it may return or raise anything.


| function | takes | returns |
|---|---|---|
| `guarded` | a call | what the call returns; an unexpected exception becomes a `CallError` |
| `check_result` | a result of the host | a checked copy, which later changes by the host do not affect |
| `plain_result` | a call | both of these: the checked copy of what the call returns |
| `fresh_result` | a dict that nobody else has | its checked fields, without a copy |

A checked result (`ResultFields`) has JSON's own types, and is within the bounds of a result.
"""

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
from controlplane.sandbox.interface.json_documents import (
    is_larger,
    json_bytes,
    json_text,
    levels_of,
)
from controlplane.sandbox.interface.operations import Operation, Plain

_Result = TypeVar("_Result")

_MAX_FAULT_CHARS: Final = 400
"""Characters shown of an unexpected exception of a host. Its first lines say what is wrong."""

_JSON_INT_BITS: Final = 64
"""The bits of an integer that all JSON writers write in the same way. Some write a longer one,
such as 2**80, as a float. So a result with one is not taken as it is: it is copied by writing and
reading it as JSON, like a nested result."""

_REPLACEMENT_CHARACTER: Final = "\ufffd".encode()
"""U+FFFD in UTF-8. `json_bytes` writes it for a character that UTF-8 cannot encode."""


# Results


def is_truncated(result: Mapping[str, Plain]) -> bool:
    """Return True if a result has only a part of what there is.

    An operation that may return a part declares the field `truncated`, and sets it. Everybody else
    asks here.
    """
    return result.get("truncated") is True


class ResultFields(dict[str, Plain]):
    """The fields of a result that was checked, and belongs to nobody else.

    Nobody changes the fields any more, so they need not be copied again.
    """

    __slots__ = ("body",)
    body: bytes
    """The fields as JSON in UTF-8."""


def plain_result(source: str, call: Callable[[], object]) -> ResultFields:
    """Make a call of the host (the environment's code), and return a checked copy of its result.

    `source` names the call in errors. Raises `CallError` if the call fails, or if its result
    is too large or is not a mapping of plain data.
    """
    return check_result(source, guarded(source, call))


def check_result(source: str, value: object) -> ResultFields:
    """Return a copy of a host's result, which later changes of the host do not affect.

    Raises `CallError` if it is too large, or not a mapping of plain data (JSON's own types).
    `source` names the call in the error.
    """
    # 1. A checked result: return it as it is.
    if type(value) is ResultFields:
        return value

    # 2. Not a result at all: refuse it.
    if not isinstance(value, Mapping):
        fault = f"it returned {type(value).__name__}, not a mapping of result fields"
        raise host_fault(source, fault)

    # 3. A dict of texts and numbers, which cannot change: `fresh_result` puts them into a new
    #    dict, so later changes of the host's dict have no effect.
    if type(value) is dict and _is_flat(value):
        return fresh_result(source, value)

    # 4. Any other mapping: copy all of it, by writing and reading it as JSON.
    try:
        copy = json.loads(json_text(dict(value)))
    except Exception as error:
        raise host_fault(
            source, f"its result cannot be written as JSON: {error}"
        ) from error
    return fresh_result(source, copy)


def _is_flat(fields: dict[Any, Any]) -> bool:
    """Return True if all fields are texts, small integers, truth values or None.

    `{"path": "/a.md", "line": 3}` is flat; `{"paths": ["/a.md"]}` is not.
    Such values cannot change, and every JSON writer writes them in the same way. So
    they need no copy.
    """
    for name, value in fields.items():
        if type(name) is not str:
            return False
        if type(value) is int:
            # `bit_length` does not count the sign, which takes one of the 64 bits.
            if value.bit_length() >= _JSON_INT_BITS:
                return False
        elif type(value) not in (str, bool, NoneType):
            return False
    return True


def fresh_result(source: str, fields: dict[str, Plain]) -> ResultFields:
    """Return checked result fields, without a copy: the caller must not use `fields` any more.

    Raises `CallError` if they have too many values or are nested too deeply.
    """
    body = json_bytes(fields)
    if _REPLACEMENT_CHARACTER in body:
        # `json_bytes` may have replaced characters. Read the fields from the body, so
        # that both have the same text.
        fields = json.loads(body)

    if _is_nested_too_deeply(body):
        fault = f"its result is nested deeper than {bounds.MOST_LEVELS} levels"
        raise host_fault(source, fault)
    if is_larger(body):  # It has more values or lists than a result may have.
        maximum = (
            f"{bounds.MOST_VALUES} values, or {bounds.MOST_PARTS} lists and mappings"
        )
        raise CallError(
            RESOURCE_EXHAUSTED, f"the result of {source} holds more than {maximum}"
        )

    result = ResultFields(fields)
    result.body = body
    return result


def _is_nested_too_deeply(body: bytes) -> bool:
    """Return True if a JSON document has more levels than a result may have."""
    # Most results have fewer brackets than levels are allowed. Counting brackets is much faster.
    opening_brackets = body.count(b"[") + body.count(b"{")
    if opening_brackets <= bounds.MOST_LEVELS:
        return False
    return levels_of(body) > bounds.MOST_LEVELS


def parsed_result(operation: Operation, result: Mapping[str, Plain]) -> Any:
    """Return a result as a script gets it: with the JSON of its `parsed_field` parsed.

    If that is the only field, returns the parsed value alone. Otherwise the keys of a
    parsed object are also fields of the result: `{"data": '{"id": 1}', "ok": True}`
    becomes `{"id": 1, "data": {"id": 1}, "ok": True}`.
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
    combined.update(result)  # A field of the result goes before a key of the same name.
    combined[field] = data
    return combined


# Exceptions

_NONZERO_EXIT: Final = "nonzero_exit"
"""The error code of a call with `check=True` whose tool ended with an exit code other than 0."""


def check_exit(
    operation: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
) -> None:
    """Raise `CallError` if the result of a call has an exit code other than 0."""
    code = result.get(operation.exit_field)
    if not code:
        return
    message = f"{arguments.get(operation.subject)} ended with exit code {code}"
    printed_text = str(result.get("stderr") or result.get("stdout") or "").strip()
    if printed_text:
        message += f": {printed_text[: bounds.SHOWN_FAULT_CHARS]}"
    raise CallError(_NONZERO_EXIT, message)


def guarded(source: str, call: Callable[[], _Result]) -> _Result:
    """Return what a host's `call` returns, and turn an unexpected exception into a `CallError`.

    The exceptions that hosts may raise pass through: `CallError`, `Refusal`, and those
    that end the step, which have a true attribute `leaves_step`.
    """
    try:
        return call()
    except Exception as error:
        if isinstance(error, CallError | Refusal) or getattr(
            error, "leaves_step", False
        ):
            raise
        message = ""
        with suppress(Exception):  # The exception's own `__str__` may raise anything.
            message = str(error)
        raise host_fault(source, f"{type(error).__name__}: {message}") from error


def host_fault(source: str, fault: str) -> CallError:
    """Return the error of a call whose host failed in an unexpected way."""
    error = CallError(INTERNAL, f"{source} broke: {fault}"[:_MAX_FAULT_CHARS])
    # Any other `CallError` is an answer of a host that works.
    error.host_broke = True
    return error
