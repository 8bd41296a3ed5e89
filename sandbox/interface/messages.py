"""The messages between a trial (the parent) and the process that runs its scripts (the child).

On the wire, a message is a JSON array: its kind, then its parts, as in `["cite", "", null, 3, "/a.md",
"states the limit", ""]`. Only this module knows the order of the parts. Everywhere else a message
is an object with named fields.

The child is untrusted: `read_child_message` checks the shape of everything the child sends. The
parent is trusted, so the child takes the shape of its messages for granted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from controlplane.sandbox.interface.frames import Forged, json_bytes
from controlplane.sandbox.interface.host import Ending, VerifyReply
from controlplane.sandbox.interface.operations import Plain

NamedCall: TypeAlias = tuple[str, Mapping[str, Any]]
"""An operation and its arguments by name."""


# From the child: requests, each of which gets one answer


class CallRequest(NamedTuple):
    """Make one call, such as `harness.read("/a.md", start_line=3)`."""

    operation: str
    positional: list[Any]
    named: dict[str, Any]


class CallsRequest(NamedTuple):
    """Make several calls of a benchmark's function, which only read, at the same time."""

    calls: list[NamedCall]


class CiteRequest(NamedTuple):
    """Cite a path."""

    path: str
    reason: str
    quote: str
    """Text that must be in what was read at the path; may be empty."""


class AnswerRequest(NamedTuple):
    """Submit the answer in the scratchpad. The function `verify` stays in the child."""

    verify_is_callable: bool
    verify_takes_one_argument: bool


Request: TypeAlias = CallRequest | CallsRequest | CiteRequest | AnswerRequest
REQUEST_TYPES: Final = (CallRequest, CallsRequest, CiteRequest, AnswerRequest)


# From the child: everything else


class FunctionFields(NamedTuple):
    """A function of the benchmark returned this result."""

    fields: dict[str, Plain]


class FunctionFault(NamedTuple):
    """A function of the benchmark failed."""

    code: str
    message: str


class StepReport(NamedTuple):
    """The last message of a step: how its script ended."""

    ending: Ending
    error: str
    """Why the script ended, for example a traceback; empty if it finished."""
    end_of_output: str
    """The end of the printed text. Its beginning came with earlier messages."""
    is_spent: bool
    """True if the process has no memory left: the next step needs a new one."""


ChildBody: TypeAlias = Request | VerifyReply | FunctionFields | FunctionFault | StepReport | None
"""What a message is about; None if it only brings printed text or a scratchpad."""


class ChildMessage(NamedTuple):
    """One message from the child."""

    body: ChildBody = None
    printed: str = ""
    """The text printed since the last message."""
    scratchpad: Plain = None
    """The tagged scratchpad if it changed since the last message, else None."""
    request_number: int = 0
    """Requests of a step are numbered from 1; 0 if the message is not a request."""


_ENDINGS_OF_CHILD: Final = (
    Ending.FINISHED,
    Ending.RAISED,
    Ending.SYNTAX,
    Ending.REFUSED,
    Ending.LIMIT,
)
"""The endings that a child may report. Only the parent reports `killed`."""


def packed_child_message(message: ChildMessage) -> list[Any]:
    """Return a message of the child as an array. The inverse of `read_child_message`."""
    printed = message.printed
    scratchpad = message.scratchpad
    number = message.request_number

    match message.body:
        case CallRequest(operation, positional, named):
            return ["call", printed, scratchpad, number, operation, positional, named]
        case CallsRequest(calls):
            return ["calls", printed, scratchpad, number, calls]
        case CiteRequest(path, reason, quote):
            return ["cite", printed, scratchpad, number, path, reason, quote]
        case AnswerRequest(is_callable, takes_one_argument):
            return ["answer", printed, scratchpad, number, is_callable, takes_one_argument]
        case VerifyReply(says_yes, error):
            return ["verified", printed, says_yes, error]
        case FunctionFields(fields):
            return ["returned", printed, fields]
        case FunctionFault(code, text):
            return ["failed", printed, code, text]
        case StepReport(ending, error, end_of_output, is_spent):
            return ["end", printed, scratchpad, ending.value, error, end_of_output, is_spent]

    if scratchpad is None:
        return ["out", printed]
    return ["keep", printed, scratchpad]


def read_child_message(array: list[Any]) -> ChildMessage:
    """Return the message in an array. Raises `Forged` if a child of ours never sends such an array."""
    if array[0] == "call":
        return _read_call(array)
    match array:
        case ["calls", str(printed), pad, int(number), list(calls)]:
            return ChildMessage(CallsRequest(_named_calls(calls)), printed, pad, number)
        case ["cite", str(printed), pad, int(number), str(path), str(reason), str(quote)]:
            return ChildMessage(CiteRequest(path, reason, quote), printed, pad, number)
        case ["answer", str(printed), pad, int(number), bool(is_callable), bool(takes_one)]:
            return ChildMessage(AnswerRequest(is_callable, takes_one), printed, pad, number)

        case ["out", str(printed)]:
            return ChildMessage(None, printed)
        case ["keep", str(printed), pad]:
            return ChildMessage(None, printed, pad)
        case ["verified", str(printed), bool(says_yes), str(error)]:
            return ChildMessage(VerifyReply(says_yes, error), printed)
        case ["returned", str(printed), dict(fields)]:
            return ChildMessage(FunctionFields(fields), printed)
        case ["failed", str(printed), str(code), str(text)]:
            return ChildMessage(FunctionFault(code, text), printed)
        case ["end", str(printed), pad, str(ending), str(error), str(last), bool(is_spent)]:
            if ending in _ENDINGS_OF_CHILD:
                report = StepReport(Ending(ending), error, last, is_spent)
                return ChildMessage(report, printed, pad)

    msg = "a message with the wrong shape"
    raise Forged(msg)


def _read_call(array: list[Any]) -> ChildMessage:
    """Return the message of a call. Most messages are calls, so this avoids slow patterns."""
    if len(array) == 7:
        _, printed, scratchpad, number, operation, positional, named = array
        if (
            type(printed) is str
            and type(number) is int
            and type(operation) is str
            and type(positional) is list
            and type(named) is dict
        ):
            request = CallRequest(operation, positional, named)
            return ChildMessage(request, printed, scratchpad, number)
    msg = "a call with the wrong shape"
    raise Forged(msg)


def _named_calls(requested: list[Any]) -> list[NamedCall]:
    """Return calls with their arguments: `[["read", {"path": "/a"}]] -> [("read", {"path": "/a"})]`."""
    calls: list[NamedCall] = []
    for call in requested:
        match call:
            case [str(name), dict(arguments)]:
                calls.append((name, arguments))
            case _:
                msg = "a list of calls with the wrong shape"
                raise Forged(msg)
    return calls


# From the parent: tasks


class RunStep(NamedTuple):
    """Run a script as step `number`."""

    number: int
    source: str
    scratchpad: Plain
    """The tagged scratchpad at the end of the step before."""


class RunFunction(NamedTuple):
    """Run a function of the benchmark, alone or while a script waits for its result."""

    function: str
    """`module:name`."""
    arguments: dict[str, Plain]
    known_calls: list[Plain]
    """Calls whose results are known, each as `[operation, arguments, result]`. The function does
    not make them again."""


class RunVerify(NamedTuple):
    """Call the `verify` of the submitted answer."""

    is_blank: bool
    """True if `verify` gets a scratchpad without the submitted values. It should then say no."""


# From the parent: answers to requests


class Answered(NamedTuple):
    """The request was granted."""

    value: Any


class Refused(NamedTuple):
    """The request was refused, or its call failed."""

    code: str
    """One of `error_codes`, or `UNBOUND`, or `NOT_ACCEPTED`."""
    message: str


UNBOUND: Final = "unbound"
"""The arguments of a call do not fit its declaration. Raised in the script as `TypeError`."""

NOT_ACCEPTED: Final = "refused"
"""The citation or the answer is not accepted. Raised as `CitationError` or `GateRejection`."""

ParentMessage: TypeAlias = RunStep | RunFunction | RunVerify | Answered | Refused


def packed_parent_message(message: ParentMessage) -> list[Any]:
    """Return a message of the parent as an array. The inverse of `read_parent_message`."""
    match message:
        case RunStep(number, source, scratchpad):
            return ["step", number, source, scratchpad]
        case RunFunction(function, arguments, known_calls):
            return ["function", function, arguments, known_calls]
        case RunVerify(is_blank):
            return ["verify", is_blank]
        case Answered(value):
            return ["ok", value]
        case Refused(code, text):
            return ["fail", code, text]


def packed_answer(value_as_json: bytes) -> bytes:
    """Return the bytes of `Answered` for a value that is JSON already: `1` -> `["ok",1]`."""
    return b'["ok",%b]' % value_as_json


def packed_refusal(code: str, message: str) -> bytes:
    """Return the bytes of `Refused`."""
    return json_bytes(["fail", code, message])


def read_parent_message(array: list[Any]) -> ParentMessage:
    """Return the message in an array that the parent sent."""
    kind, *parts = array
    match kind:
        case "ok":
            return Answered(*parts)
        case "fail":
            return Refused(*parts)
        case "verify":
            return RunVerify(*parts)
        case "function":
            return RunFunction(*parts)
        case "step":
            return RunStep(*parts)
    msg = f"an unknown message {kind!r}"
    raise Forged(msg)
