"""The seam between a sandbox and its owner: limits and isolation, a script's requests to its parent, the result of a
step, and the form of its scratchpad that gates and journals see.

If anything goes wrong inside a host's call, the call still returns plain result fields or raises one `CallError`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from enum import StrEnum
from types import MappingProxyType, NoneType
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    INTERNAL,
    RESOURCE_EXHAUSTED,
    CallError,
    Refusal,
)
from controlplane.sandbox.interface.frames import is_larger, json_bytes, json_text, levels_of
from controlplane.sandbox.interface.operations import Operation, Plain, operation_of

CALL_ENDS: Final[ContextVar[float]] = ContextVar("CALL_ENDS", default=math.inf)
"""When the step ends whose script makes the current call, on `time.monotonic()`: no host waits for longer."""


class Limits(NamedTuple):
    """Limits of a script. Every default is far above the needs of ordinary work."""

    step_wall_s: float = 60.0
    """Wall-clock seconds of one step, time spent in environment calls included."""
    step_cpu_s: float = 20.0
    """CPU seconds of one step."""
    trial_cpu_s: float = 300.0
    """CPU seconds of all steps of a trial."""
    memory_mb: int = 256
    """Address space that a script may add to its process, in MiB."""
    output_chars: int = 30_000
    """Characters of output that are kept; the middle of longer output is cut out."""
    scratchpad_bytes: int = 1_000_000
    """Bytes of the scratchpad, encoded."""
    step_calls: int = 1_000
    """Environment calls of one step."""
    trial_calls: int = 5_000
    """Environment calls of all steps of a trial."""
    call_bytes: int = 1_000_000
    """Bytes of one message in either direction."""
    step_bytes: int = 50_000_000
    """Bytes of all messages of a step in both directions."""
    verify_s: float = 5.0
    """Seconds that one call of `verify` may take."""
    code_chars: int = 200_000
    """Characters of one script."""

    @property
    def frame_bytes(self) -> int:
        """Bytes of one message of a child: a call with a scratchpad and output, written as JSON."""
        return self.call_bytes + 2 * self.scratchpad_bytes + 8 * self.output_chars + 65_536


class WorkerLimits(NamedTuple):
    """Limits of the process that computes on untrusted data. Time is CPU time, so that load changes no result."""

    call_cpu_s: float = 2.0
    """CPU seconds of one call."""
    call_wall_s: float = 30.0
    """Wall-clock seconds of one call, for a busy machine."""
    trial_cpu_s: float = 300.0
    """CPU seconds of all calls of a trial."""
    memory_mb: int = 128
    """Address space that calls may add to the process, in MiB."""
    message_bytes: int = 32_000_000
    """Bytes of one message to the process."""
    reply_bytes: int = 2_100_000
    """Bytes of one message from the process."""
    call_questions: int = 300
    """Questions that one call may ask the parent."""


class Layer(StrEnum):
    """One layer of the isolation between a script and the machine."""

    LANGUAGE = "language"
    """The script is compiled under a policy, and reaches attributes and modules through guards."""
    PROCESS = "process"
    """It runs in a child process with limits, no files and no environment."""
    KERNEL = "kernel"
    """The kernel refuses that process everything that it does not need."""


ALL_LAYERS: Final = frozenset(Layer)


def parse_isolation(text: str) -> frozenset[Layer]:
    """Return the isolation layers of a comma-separated list; `all` and `none` name themselves. Raises `ValueError`."""
    if text.strip() in ("all", "none"):
        return ALL_LAYERS if text.strip() == "all" else frozenset()
    try:
        return frozenset(Layer(part.strip()) for part in text.split(","))
    except ValueError:
        msg = f"{text!r} names no isolation layers; give a comma-separated choice of {', '.join(Layer)}, or all, or none"
        raise ValueError(msg) from None


class Setting(NamedTuple):
    """The first message to a child, before any step: its calls, limits and isolation, the pinned clock and the seed."""

    operations: tuple[Operation, ...]
    limits: Limits
    now_us: int | None
    """Microseconds since 1970 in UTC; None if there is no clock."""
    seed: int
    isolation: frozenset[Layer]
    executables: Mapping[str, str] = MappingProxyType({})
    """The purpose of each declared tool, by its path, for the benchmark's functions."""

    def message(self) -> list[Plain]:
        """Return the setting as a message."""
        plain: dict[str, Any] = self._asdict() | {
            "operations": [operation.as_data() for operation in self.operations],
            "limits": self.limits._asdict(),
            "isolation": sorted(self.isolation),
            "executables": dict(self.executables),
        }
        return ["setting", plain]


def read_setting(message: list[Any]) -> Setting:
    """Return the setting in a message from the parent."""
    given = message[1]
    parsed = {
        "operations": tuple(map(operation_of, given["operations"])),
        "limits": Limits(**given["limits"]),
        "isolation": frozenset(map(Layer, given["isolation"])),
    }
    return Setting(**(given | parsed))


_FLAT: Final = (str, bool, NoneType)


class Ending(StrEnum):
    """The ways in which a step can end."""

    FINISHED = "finished"
    RAISED = "raised"
    """The script raised, or exited."""
    SYNTAX = "syntax"
    """The script is not Python."""
    REFUSED = "refused"
    """The language layer refuses the script; nothing of it ran."""
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
    """The last snapshot, in the tagged form of `controlplane.sandbox.child.script_values`."""
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


class Host(Protocol):
    """The parent's side of one trial. Only the thread that runs the step calls its methods.

    An exception with a true attribute `leaves_step` passes through to the caller of the step. Any other exception that
    is not declared here fails the one call.
    """

    def call(
        self, operation: str, arguments: dict[str, Plain], *, in_verify: bool
    ) -> dict[str, Plain]:
        """Make a declared call whose arguments fit its declaration. Raises `CallError`."""
        ...

    def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Plain]]]
    ) -> list[Mapping[str, Plain] | CallError]:
        """Make the calls of a function, which only read, and return their outcomes in order."""
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
    """Result fields in JSON's own types, within the bounds of a result. Nobody changes them."""

    __slots__ = ("body",)
    body: bytes
    """The fields as JSON in UTF-8."""


Result = TypeVar("Result")


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
        raise host_fault(what, f"{type(error).__name__}: {said}") from error


def host_fault(what: str, fault: str) -> CallError:
    """Return the failure of a call whose host failed in an undeclared way."""
    error = CallError(INTERNAL, f"{what} broke: {fault}"[:400])
    error.host_broke = True
    return error


def plain_result(what: str, call: Callable[[], object]) -> ResultFields:
    """Return the result fields that `call` returns, copied, in JSON's own types. Raises as `guarded` does."""
    value = guarded(what, call)
    if type(value) is ResultFields:
        return value
    if not isinstance(value, Mapping):
        raise host_fault(
            what, f"it returned {type(value).__name__}, not a mapping of result fields"
        )
    try:
        copy = (
            value if type(value) is dict and _is_flat(value) else json.loads(json_text(dict(value)))
        )
    except Exception as error:
        raise host_fault(what, f"its result cannot be written as JSON: {error}") from error
    return fresh_result(what, copy)


def _is_flat(fields: dict[Any, Any]) -> bool:
    """Say whether all values are immutable and have one form in JSON, so that a new mapping of them is a copy."""
    return all(
        type(name) is str
        and (type(value) in _FLAT or (type(value) is int and value.bit_length() < 64))
        for name, value in fields.items()
    )


def fresh_result(what: str, fields: dict[str, Plain]) -> ResultFields:
    """Return result fields that nobody else holds and that need no copy. Raises `CallError` if they hold too many
    values or are nested too deep."""
    fresh = ResultFields(fields)
    fresh.body = json_bytes(fields)
    openings = fresh.body.count(b"[") + fresh.body.count(b"{")
    if openings > bounds.MOST_LEVELS and levels_of(fresh.body) > bounds.MOST_LEVELS:
        raise host_fault(what, f"its result is nested deeper than {bounds.MOST_LEVELS} levels")
    if is_larger(fresh.body):
        most = f"{bounds.MOST_VALUES} values, or {bounds.MOST_PARTS} lists and mappings"
        raise CallError(RESOURCE_EXHAUSTED, f"the result of {what} holds more than {most}")
    return fresh


TAG: Final = "$"
"""The key that tells the tag of a value in the tagged form of a scratchpad."""
_SEQUENCES: Final = ("tuple", "set", "frozenset")
_TIMES: Final = ("datetime", "time", "date", "timedelta")


class NotKept(TypeError):
    """A value that a scratchpad cannot keep; the message names its key and its type."""


class Damaged(ValueError):
    """Text that should be a tagged scratchpad and is not."""


def damaged(tagged: Plain) -> Damaged:
    return Damaged(f"no scratchpad value: {str(tagged)[:80]}")


def hashable(tagged: Plain, where: str) -> Plain:
    """Return the tagged form of an element or a key. Raises `NotKept` if its value would come back unhashable."""
    tag = tagged.get(TAG) if isinstance(tagged, dict) else None
    if isinstance(tagged, list) or (isinstance(tagged, dict) and tag in (None, "dict", "set")):
        msg = f"{where} comes back as a list, dict or set, which cannot be there; keep a tuple or text"
        raise NotKept(msg)
    held = tagged.get("v") if isinstance(tagged, dict) and tag in ("tuple", "frozenset") else ()
    for element in held if isinstance(held, list) else ():
        hashable(element, where)
    return tagged


def flatten(tagged: Plain) -> Plain:
    """Return `tagged` in JSON's own types: dates as ISO text, Decimal as text, tuples and (sorted) sets as lists.

    Keys of other types become their text. Raises `Damaged`.
    """
    if isinstance(tagged, list):
        if {list, dict}.isdisjoint(map(type, tagged)):
            return tagged.copy()
        return [flatten(item) for item in tagged]
    if not isinstance(tagged, dict):
        return tagged
    tag = tagged.get(TAG)
    if tag is None:
        return {key: flatten(item) for key, item in tagged.items()}
    held: Any = tagged.get("v")
    if tag in _SEQUENCES and isinstance(held, list):
        return [flatten(item) for item in held]
    if tag == "dict" and (pairs := _pairs(held)) is not None:
        return {_key(key): flatten(item) for key, item in pairs}
    if tag in _TIMES:
        import datetime  # The process of scripts loads another form of this module.

        with suppress(TypeError, ValueError, OverflowError):
            kind = getattr(datetime, tag)
            return (
                str(kind(*held))
                if tag == "timedelta"
                else str(kind.fromisoformat(held).isoformat())
            )
    if tag in ("decimal", "float") and isinstance(held, str):
        return held
    raise damaged(tagged)


def _pairs(held: Any) -> list[Any] | None:
    """Return the pairs of a tagged mapping; None if anything else is among them."""
    is_paired = isinstance(held, list) and all(
        isinstance(pair, list) and len(pair) == 2 for pair in held
    )
    return held if is_paired else None


def _key(tagged: Plain) -> str:
    """Return the text of a key, never a mapping's: the text of a text of a text doubles with every level."""
    try:
        value = flatten(hashable(tagged, "a key"))
    except NotKept as error:
        raise Damaged(str(error)) from None
    return value if isinstance(value, str) else str(value)
