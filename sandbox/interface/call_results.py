"""What a call of a host comes to: a plain result or one `CallError`, whatever goes wrong in the host."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from sandbox.interface.error_codes import INTERNAL, RESOURCE_EXHAUSTED
from sandbox.interface.host import Refusal
from sandbox.interface.json_shape import JsonShape, levels_of
from sandbox.interface.operations import CallError, Plain

MAX_VALUES: Final = 10_000
"""Values that one result may hold: each costs far more than its text."""
MAX_PARTS: Final = 1_300
"""Lists and mappings that it may hold, which cost the most."""
MAX_LEVELS: Final = 100
"""How deep lists and mappings of a result may lie in each other."""
_MAX_MESSAGE_CHARS: Final = 400
_TO_JSON: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_FLAT: Final = frozenset({str, bool, type(None)})
_MOST_FLAT: Final = 100
Result = TypeVar("Result")


class FreshFields(dict[str, Plain]):
    """Result fields as they were just read from JSON, within the bounds of `check_size`: nobody else holds them."""


def guarded(what: str, call: Callable[[], Result]) -> Result:
    """Return what `call` returns. Raises what hosts may raise, and `CallError`, code `internal`, for the rest."""
    try:
        return call()
    except (CallError, Refusal):
        raise
    except Exception as error:
        if getattr(error, "leaves_step", False):
            raise
        said = ""
        with contextlib.suppress(Exception):
            said = str(error)
        raise _broken(what, f"{type(error).__name__}: {said}") from error


def plain_result(what: str, call: Callable[[], object]) -> dict[str, Plain]:
    """Return the result fields that `call` returns, copied, in JSON's own types. Raises as `guarded` does."""
    value = guarded(what, call)
    if type(value) is FreshFields or (type(value) is dict and is_flat(value)):
        return dict(value)
    fields: dict[str, Plain] = json.loads(_text_of(what, value))
    return fields


def is_flat(fields: Mapping[Any, object]) -> bool:
    """Say whether no value can change or be told in many ways: then another mapping of them is a copy."""
    return len(fields) <= _MOST_FLAT and all(
        type(name) is str and (type(each) in _FLAT or (type(each) is int and each.bit_length() < 64))
        for name, each in fields.items()
    )


def result_text(what: str, call: Callable[[], object]) -> str:
    """Return the result fields that `call` returns as JSON. Raises as `guarded` does."""
    return _text_of(what, guarded(what, call))


def _text_of(what: str, value: object) -> str:
    if not isinstance(value, Mapping):
        raise _broken(what, f"it returned {type(value).__name__}, not a mapping of result fields")
    try:
        text = _TO_JSON(dict(value))
    except Exception as error:
        raise _broken(what, f"its result cannot be written as JSON: {error}") from error
    check_size(what, text.encode("utf-8", "surrogatepass"))
    return text


def check_size(what: str, body: bytes) -> None:
    """Raise `CallError` if result fields, of which `body` is the JSON without white space, are too many or too deep."""
    shape = JsonShape.of(body)
    if shape.parts > MAX_LEVELS and levels_of(body) > MAX_LEVELS:
        raise _broken(what, f"its result is nested deeper than {MAX_LEVELS} levels")
    if shape.values > MAX_VALUES or shape.parts > MAX_PARTS:
        shape = JsonShape.outside_texts(body)
        if shape.values > MAX_VALUES or shape.parts > MAX_PARTS:
            msg = f"the result of {what} holds more than {MAX_VALUES} values, or {MAX_PARTS} lists and mappings"
            raise CallError(RESOURCE_EXHAUSTED, msg)


def _broken(what: str, fault: str) -> CallError:
    error = CallError(INTERNAL, f"{what} broke: {fault}"[:_MAX_MESSAGE_CHARS])
    error.host_broke = True
    return error
