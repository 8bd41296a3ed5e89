"""The one protocol between the parent and its processes: which messages there are, and their form.

    parent                                          process of scripts, or of a worker

    ScriptSetting, or WorkerSetting           ─▶    once, before anything else
    RunScript, RunFunction                    ─▶    a task
                                              ◀─    CallRequest, CallsRequest, CiteRequest,
                                                    AnswerRequest, Question
    Returned, Failed: the reply               ─▶
    or first RunVerify, RunFunction           ─▶    a task while the script waits for its reply
                                              ◀─    Returned, Failed: of a function or `verify`
                                              ◀─    StepReport: the end of a script

Every message is a JSON object with its `kind`, such as `{"kind": "cite", "path": "/a.md", ...}`. A
process puts it into a `Message`, which may also bring printed text and a changed scratchpad.

A process is untrusted: `Message.decode` checks the type of every field, so the parent can rely on
the types, but on nothing else.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from types import MappingProxyType
from typing import (
    Any,
    Final,
    NamedTuple,
    TypeAlias,
    TypeVar,
    get_origin,
    get_type_hints,
)

from controlplane.sandbox.interface.error_codes import CallError
from controlplane.sandbox.interface.frames import Connection, Forged
from controlplane.sandbox.interface.json_documents import json_bytes, json_text
from controlplane.sandbox.interface.limits import Layer, Limits, WorkerLimits
from controlplane.sandbox.interface.operations import (
    Operation,
    Plain,
    operation_of,
    without_defaults,
)

# Settings: the first message to a process


class WorkerSetting(NamedTuple):
    """The isolation and the limits of a worker. Only trials with equal ones share a process."""

    isolation: frozenset[Layer]
    limits: WorkerLimits

    def encode(self) -> dict[str, Plain]:
        return {"isolation": [*sorted(self.isolation)], "limits": self.limits._asdict()}

    @classmethod
    def decode(cls, fields: Mapping[str, Any]) -> WorkerSetting:
        isolation = frozenset(map(Layer, fields["isolation"]))
        return cls(isolation, WorkerLimits(**fields["limits"]))


class ScriptSetting(NamedTuple):
    """What a process of scripts must know before its first task."""

    isolation: frozenset[Layer]
    limits: Limits
    operations: tuple[Operation, ...]
    now_us: int | None
    """The pinned clock, in microseconds since 1970 in UTC; None if there is no clock."""
    seed: int
    executables: Mapping[str, str] = MappingProxyType({})
    """The purpose of each declared tool, by its path, for the benchmark's functions."""

    def encode(self) -> dict[str, Plain]:
        return {
            **self._asdict(),
            "isolation": [*sorted(self.isolation)],
            "limits": self.limits._asdict(),
            "operations": [operation.as_data() for operation in self.operations],
            "executables": dict(self.executables),
        }

    @classmethod
    def decode(cls, fields: Mapping[str, Any]) -> ScriptSetting:
        return cls(
            frozenset(map(Layer, fields["isolation"])),
            Limits(**fields["limits"]),
            tuple(map(operation_of, fields["operations"])),
            fields["now_us"],
            fields["seed"],
            fields["executables"],
        )


# Tasks of the parent


class RunScript(NamedTuple):
    """Run a script, as one step of a trial."""

    number: int
    """The number of the step, from 1. It pins the randomness of the script."""
    source: str
    scratchpad: Any
    """The dict that scripts keep between steps, as it was at the end of the step before, encoded
    (`tagged_values`)."""
    wall_ms: int
    """Wall-clock milliseconds that it may take."""


class KnownCall(NamedTuple):
    """A call of an earlier step with its result, which a function need not make again."""

    operation: str
    arguments: Mapping[str, Plain]
    result: Mapping[str, Plain]


class RunFunction(NamedTuple):
    """Run a function: one of the benchmark in a process of scripts, or one of ours in a worker."""

    function: str
    """`module:name`."""
    positional: list[Any]
    named: dict[str, Any]
    known_calls: list[Any]
    """`KnownCall`s that a function of the benchmark may want to make."""


class RunVerify(NamedTuple):
    """Call `verify`, the function by which the script checks its own answer."""

    is_blank: bool
    """True to call it without the submitted values. A `verify` that then says yes checks nothing."""


# Requests of a process, which waits until the parent has replied


class CallRequest(NamedTuple):
    """Make one call, such as `harness.read("/a.md", start_line=3)`.

    The parent binds the arguments to the operation's parameters, and checks them.
    """

    operation: str
    positional: list[Any]
    named: dict[str, Any]


class CallsRequest(NamedTuple):
    """Make several calls, which only read, at the same time.

    Only a function of a benchmark may request this, never a script.
    """

    calls: list[Any]
    """Encoded `CallRequest`s, with all arguments by name."""


class CiteRequest(NamedTuple):
    """Name a path that was read as a source of the answer."""

    path: str
    reason: str
    """Why the path supports the answer: "states the limit"."""
    quote: str
    """Text that must be in what was read at the path; may be empty."""


class AnswerRequest(NamedTuple):
    """Submit the answer, which is in the scratchpad that the parent has.

    A script submits it with a function `verify`, which checks it. That function stays in the
    process; the parent only learns if it can be called with the scratchpad as its argument.
    """

    verify_is_callable: bool
    verify_takes_one_argument: bool


class Question(NamedTuple):
    """A function in a worker asks the parent, for example for the texts of some files."""

    arguments: list[Any]
    """For texts of files, their paths: `["/a.md", "/b.md"]`."""


# What comes of a request, of a function and of `verify`, in both directions


class Returned(NamedTuple):
    """A request was granted, or a function returned."""

    value: Any
    """For a call, the fields of its result; for `verify`, whether it said yes."""


class Failed(NamedTuple):
    """A request was refused or failed, or a function raised: the one error that crosses."""

    code: str
    """One of `error_codes`, or `UNBOUND`, or `NOT_ACCEPTED`."""
    message: str
    is_last: bool = False
    """True if its worker must end, as an unexpected error may have left its data half changed."""

    @classmethod
    def of(cls, error: CallError) -> Failed:
        """Return what crosses of the error of a call."""
        return cls(str(error.code), str(error.message))

    def error(self) -> CallError:
        """Return the error of a call on the other side."""
        return CallError(self.code, self.message)


UNBOUND: Final = "unbound"
"""The arguments of a call do not fit its declaration. Raised in the script as `TypeError`."""

NOT_ACCEPTED: Final = "refused"
"""The citation or the answer is not accepted. Raised as `CitationError` or `GateRejection`."""


class StepReport(NamedTuple):
    """A process's last message of a step: how its script ended."""

    ending: str
    """One of `Ending`, but not `killed`, which only the parent can know."""
    error: str
    """Why the script ended, for example a traceback; empty if it finished."""
    end_of_output: str
    """The end of the printed text. Its beginning came with earlier messages."""
    is_spent: bool
    """True if the process has no memory left: the next step needs a new one."""


# The form of a message: an object with its kind and its fields

Request: TypeAlias = CallRequest | CallsRequest | CiteRequest | AnswerRequest | Question
Outcome: TypeAlias = Returned | Failed
ToProcess: TypeAlias = RunScript | RunFunction | RunVerify | Outcome
FromProcess: TypeAlias = Request | Outcome | StepReport

_TO_PROCESS: Final[Mapping[str, type[ToProcess]]] = {
    "step": RunScript,
    "function": RunFunction,
    "verify": RunVerify,
    "ok": Returned,
    "fail": Failed,
}
"""The messages of the parent by their kind."""

_FROM_PROCESS: Final[Mapping[str, type[FromProcess]]] = {
    "call": CallRequest,
    "calls": CallsRequest,
    "cite": CiteRequest,
    "answer": AnswerRequest,
    "question": Question,
    "ok": Returned,
    "fail": Failed,
    "end": StepReport,
}
"""The messages of a process by their kind."""

_KINDS: Final = {
    form: kind for forms in (_TO_PROCESS, _FROM_PROCESS) for kind, form in forms.items()
}

_CHECKED_TYPES: Final = {
    str: "a text",
    int: "an integer",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}
"""The types of fields that are checked. Nothing is converted: `True` is not an integer."""


def _fields_of(form: type[ToProcess | FromProcess]) -> list[tuple[str, Any, Any]]:
    """Return the fields of a message: the name of each, its type, and its default.

    The type is one of `_CHECKED_TYPES`, or `Any`, which is not checked.
    """
    fields = []
    for name, hint in get_type_hints(form).items():
        kind = get_origin(hint) or hint  # `list[Any]` -> `list`
        fields.append((name, kind, form._field_defaults.get(name)))
    return fields


_FIELDS: Final[Mapping[type, list[tuple[str, Any, Any]]]] = {
    form: _fields_of(form) for form in _KINDS
}

_Form = TypeVar("_Form")


def encoded(body: ToProcess | FromProcess) -> dict[str, Any]:
    """Return a message as it is sent: `RunVerify(True)` -> `{"kind": "verify", "is_blank": True}`.

    A field that has its default is left out.
    """
    return {"kind": _KINDS[type(body)], **without_defaults(body)}


def _decoded(forms: Mapping[str, type[_Form]], fields: Any) -> _Form:
    """Return the message with these fields. Raises `Forged` for another kind or another type."""
    if type(fields) is not dict:
        msg = "a message that is not an object"
        raise Forged(msg)
    kind = checked(fields, "kind", str)
    form = forms.get(kind)
    if form is None:
        msg = f"a message of the unknown kind {kind[:40]!r}"
        raise Forged(msg)
    return form(*[checked(fields, *field) for field in _FIELDS[form]])


def checked(
    fields: Mapping[str, Any], name: str, type_: Any, default: Any = None
) -> Any:
    """Return a field, which must be of the type. Raises `Forged`."""
    value = fields.get(name, default)
    if type(value) is not type_ and type_ is not Any:
        msg = f"a message whose field {name!r} is not {_CHECKED_TYPES[type_]}"
        raise Forged(msg)
    return value


def decode_from_parent(fields: Any) -> ToProcess:
    """Return a task or a reply of the parent."""
    return _decoded(_TO_PROCESS, fields)


def decode_outcome(fields: Any) -> Outcome:
    """Return the outcome of one of the calls of a `CallsRequest`."""
    return _decoded({"ok": Returned, "fail": Failed}, fields)


def decode_call(fields: Any) -> CallRequest:
    """Return one of the calls of a `CallsRequest`. Raises `Forged`."""
    return _decoded({"call": CallRequest}, fields)


class Message(NamedTuple):
    """One message of a process.

    On the wire, absent parts are left out: `{"printed": "hello\\n"}`, or `{"number": 1,
    "body": {"kind": "call", ...}}`.
    """

    body: FromProcess | None = None
    printed: str = ""
    """The text printed since the last message."""
    scratchpad: Any = None
    """The scratchpad, the dict that scripts keep between steps, in encoded form. None if it has not
    changed since the last message."""
    number: int = 0
    """Requests of a step are numbered from 1; 0 if the message is not a request of a script."""

    def encode(self) -> dict[str, Any]:
        """Return the message as it is sent."""
        # Written out, because it is quicker than to compare all parts with their defaults.
        fields: dict[str, Any] = {}
        if self.printed:
            fields["printed"] = self.printed
        if self.scratchpad is not None:
            fields["scratchpad"] = self.scratchpad
        if self.number:
            fields["number"] = self.number
        if self.body is not None:
            fields["body"] = encoded(self.body)
        return fields

    @classmethod
    def decode(cls, fields: dict[str, Any]) -> Message:
        """Return the message with these fields. Raises `Forged` if no process of ours sends it."""
        body = None
        if fields.get("body") is not None:
            body = _decoded(_FROM_PROCESS, fields["body"])
        printed = checked(fields, "printed", str, "")
        number = checked(fields, "number", int, 0)
        scratchpad = fields.get("scratchpad")
        if body is None and scratchpad is None and not printed:
            msg = "a message that brings nothing"
            raise Forged(msg)
        return cls(body, printed, scratchpad, number)


_decode_json: Final = json.JSONDecoder().raw_decode
"""Reads JSON in half the time of `json.loads`. Returns the data, and where it ends in the text."""


def received_fields(connection: Connection, limit: int) -> Any:
    """Return the fields of the parent's next message, which a process trusts. Raises `Closed`."""
    fields, _ = _decode_json(connection.receive(limit).decode())
    return fields


def message_bytes(fields: Mapping[str, Any]) -> bytes:
    """Return a message as the body of a frame, with `?` for halves of surrogate pairs."""
    return json_text(fields).encode("utf-8", "replace")


def returned_bytes(value_as_json: bytes) -> bytes:
    """Return the body of an encoded `Returned` for a value that is JSON already.

    `b"[1,2]"` -> `b'{"kind":"ok","value":[1,2]}'`. A long result is not parsed and written again.
    """
    return b'{"kind":"ok","value":%b}' % value_as_json


def reply_bytes(reply: ToProcess) -> bytes:
    """Return a message as the body of a frame, with U+FFFD for halves of surrogate pairs.

    `{"kind":"fail","code":"not_found","message":"..."}`
    """
    return json_bytes(encoded(reply))


# The records between a fork server's process and its parent, of a fixed length.
#
# When the process is ready, it sends one message (`Returned` or `Failed`). From then on, the parent
# asks for a child, or for the end of a child, and the process replies to both.

CHILD_REQUEST: Final = struct.Struct("!I")
"""The number of the child to end; 0 for a new child."""

CHILD_REPLY: Final = struct.Struct("!IiII")
"""The number of the child; its exit code, or the negative number of the signal that ended it; the
milliseconds of CPU that it used; and its most memory in KiB, 0 if it is not known. For a new child,
the last three are 0, and the descriptor of the connection to it is sent with the record."""
