"""The seam between a sandbox and its owner: the requests of a script to its parent, and the result of a step.

If anything goes wrong inside a host's call, the call still returns plain result fields or raises one `CallError`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import StrEnum
from types import NoneType
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from sandbox.interface.error_codes import INTERNAL, RESOURCE_EXHAUSTED
from sandbox.interface.frames import JsonShape, levels_of
from sandbox.interface.operations import CallError, Plain

MAX_VALUES: Final = 10_000
"""Max values of one result: each costs far more than its text."""
MAX_PARTS: Final = 1_300
"""Max lists and mappings of one result, which cost the most."""
MAX_LEVELS: Final = 100
"""Max levels of nested lists and mappings in a result."""
_MAX_MESSAGE_CHARS: Final = 400
_TO_JSON: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_FLAT: Final = (str, bool, NoneType)
_MOST_FLAT: Final = 100
Result = TypeVar("Result")


class Ending(StrEnum):
    """The ways in which a step can end."""

    FINISHED = "finished"
    RAISED = "raised"
    """The script raised, or exited."""
    SYNTAX = "syntax"
    """The script is not Python."""
    REFUSED = "refused"
    """The language wall refuses the script; nothing of it ran."""
    LIMIT = "limit"
    """A limit of the step or the trial ended it."""
    KILLED = "killed"
    """The script's process died."""


class StepResult(NamedTuple):
    """The outcome of one script."""

    output: str
    """The printed text, in order, with the middle cut out if it was too long."""
    error: str
    """The reason for the end, as a text that names only lines of the script; empty for `finished`."""
    ending: Ending
    scratchpad: dict[str, Plain]
    """The last snapshot, in the tagged form of `scratchpad_values`."""
    calls: int
    elapsed_ms: float


class VerifyReply(NamedTuple):
    """The answer of the script's own `verify`: the claim of an untrusted process."""

    says_yes: bool
    error: str = ""
    """An exception or a time-out, as text; empty if `verify` returned."""


class Verify(NamedTuple):
    """The `verify` of an answer. It stays in the child, where `ask` calls it."""

    is_callable: bool
    takes_one_argument: bool
    ask: Callable[[bool], VerifyReply]
    """`ask(False)` calls it with the scratchpad as submitted, `ask(True)` with answer, outcome and refs blanked."""


class Refusal(Exception):
    """The parent refuses a citation (raised in the script as `CitationError`) or an answer (`GateRejection`)."""


class Host(Protocol):
    """The parent's side of one trial. Only the thread that runs the step calls its methods.

    An exception with a true attribute `leaves_step` passes through to the caller of the step. Any other exception that
    is not declared here fails the one call.
    """

    def call(self, operation: str, arguments: dict[str, Plain], *, in_verify: bool) -> dict[str, Plain]:
        """Make a declared call whose arguments fit its declaration. Raises `CallError`."""
        ...

    def cite(self, path: str, reason: str, quote: str = "") -> str:
        """Say whether `path` may be cited, with a quotation if one is given, and return the spelling to cite.

        Raises `Refusal`.
        """
        ...

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        """Judge and submit. `scratchpad` is flattened to JSON's own types. Raises `Refusal` with the fix-it text."""
        ...


class ResultFields(dict[str, Plain]):
    """Result fields in JSON's own types, within the bounds of a result, and their JSON, which is made once.

    Nobody changes them.
    """

    __slots__ = ("_body",)
    _body: bytes

    @property
    def body(self) -> bytes:
        """The fields as JSON in UTF-8."""
        try:
            return self._body
        except AttributeError:
            self._body = _json_bytes(self)
            return self._body


def guarded(what: str, call: Callable[[], Result]) -> Result:
    """Return the result of `call`. Raises what hosts may raise, and `CallError`, code `internal`, for the rest."""
    try:
        return call()
    except Exception as error:
        if isinstance(error, CallError | Refusal) or getattr(error, "leaves_step", False):
            raise
        said = ""
        with suppress(Exception):
            said = str(error)
        raise _broken(what, f"{type(error).__name__}: {said}") from error


def plain_result(what: str, call: Callable[[], object]) -> ResultFields:
    """Return the result fields that `call` returns, copied, in JSON's own types. Raises as `guarded` does."""
    value = guarded(what, call)
    if type(value) is ResultFields:
        return value
    if type(value) is dict and is_flat(value):
        return ResultFields(value)
    if not isinstance(value, Mapping):
        raise _broken(what, f"it returned {type(value).__name__}, not a mapping of result fields")
    try:
        text = _TO_JSON(dict(value))
    except Exception as error:
        raise _broken(what, f"its result cannot be written as JSON: {error}") from error
    check_size(what, text.encode("utf-8", "surrogatepass"))
    return ResultFields(json.loads(text))


def fresh_result(what: str, fields: dict[str, Plain]) -> ResultFields:
    """Return result fields that nobody else holds and that need no copy. Raises `CallError` if they are too many."""
    fresh = ResultFields(fields)
    if not is_flat(fields):
        check_size(what, fresh.body)
    return fresh


def _json_bytes(fields: ResultFields) -> bytes:
    from pydantic_core import PydanticSerializationError, to_json  # The processes of scripts do without it.

    try:
        return to_json(fields)
    except PydanticSerializationError:  # A lone surrogate.
        return _TO_JSON(fields).encode("utf-8", "replace")


def is_flat(fields: Mapping[Any, Any]) -> bool:
    """Say whether all values are immutable and have one form in JSON, so that a new mapping of the values is a copy."""
    if len(fields) > _MOST_FLAT:
        return False
    for name, value in fields.items():
        kind = type(value)
        if type(name) is not str or not (kind in _FLAT or (kind is int and value.bit_length() < 64)):
            return False
    return True


def check_size(what: str, body: bytes) -> None:
    """Raise `CallError` if result fields hold too many values or are nested too deep. `body` is their JSON without
    white space."""
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
