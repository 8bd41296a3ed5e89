"""The messages from the process that runs a trial's scripts (the child) to the trial (the parent).

A message may bring printed text and a changed scratchpad. Most messages also have a
body: a request that the parent must answer, or a result that the parent waits for.

The child is untrusted. `ChildMessage.decode` checks the type of every field, so the
parent can rely on the types of a decoded message, but on nothing else in it.

Nobody changes a message. But the dataclasses of calls, the most frequent messages, are
not frozen: a frozen one takes twice the time to make.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from controlplane.sandbox.interface.frames import Forged
from controlplane.sandbox.interface.host import Ending, VerifyReply
from controlplane.sandbox.interface.message_fields import (
    KIND,
    MessageFields,
    unknown_kind,
)
from controlplane.sandbox.interface.operations import Plain

# Requests: the child waits until the parent answers


@dataclass(slots=True)
class CallRequest:
    """Make one call, such as `harness.read("/a.md", start_line=3)`.

    The parent binds the arguments to the operation's parameters, and checks them.
    """

    operation: str
    positional: list[Any]
    named: dict[str, Any]

    def encode(self) -> dict[str, Plain]:
        return {
            KIND: "call",
            "operation": self.operation,
            "positional": self.positional,
            "named": self.named,
        }

    @classmethod
    def decode(cls, fields: MessageFields) -> CallRequest:
        return cls(
            fields.text("operation"),
            fields.items("positional"),
            fields.mapping("named"),
        )


@dataclass(frozen=True, slots=True)
class NamedCall:
    """One call of a `CallsRequest`. All its arguments are given by name."""

    operation: str
    arguments: dict[str, Any]

    def encode(self) -> dict[str, Plain]:
        return {"operation": self.operation, "arguments": self.arguments}

    @classmethod
    def decode(cls, fields: MessageFields) -> NamedCall:
        return cls(fields.text("operation"), fields.mapping("arguments"))


@dataclass(frozen=True, slots=True)
class CallsRequest:
    """Make several calls, which only read, at the same time.

    Only functions of a benchmark ask so.
    """

    calls: list[NamedCall]

    def encode(self) -> dict[str, Plain]:
        return {KIND: "calls", "calls": [call.encode() for call in self.calls]}

    @classmethod
    def decode(cls, fields: MessageFields) -> CallsRequest:
        return cls(
            [NamedCall.decode(MessageFields(call)) for call in fields.items("calls")]
        )


@dataclass(frozen=True, slots=True)
class CiteRequest:
    """Cite a path."""

    path: str
    reason: str
    quote: str
    """Text that must be in what was read at the path; may be empty."""

    def encode(self) -> dict[str, Plain]:
        return {
            KIND: "cite",
            "path": self.path,
            "reason": self.reason,
            "quote": self.quote,
        }

    @classmethod
    def decode(cls, fields: MessageFields) -> CiteRequest:
        return cls(fields.text("path"), fields.text("reason"), fields.text("quote"))


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """Submit the answer in the scratchpad. The function `verify` stays in the child."""

    verify_is_callable: bool
    verify_takes_one_argument: bool

    def encode(self) -> dict[str, Plain]:
        return {
            KIND: "answer",
            "verify_is_callable": self.verify_is_callable,
            "verify_takes_one_argument": self.verify_takes_one_argument,
        }

    @classmethod
    def decode(cls, fields: MessageFields) -> AnswerRequest:
        return cls(
            fields.flag("verify_is_callable"), fields.flag("verify_takes_one_argument")
        )


Request: TypeAlias = CallRequest | CallsRequest | CiteRequest | AnswerRequest


# Results of what the parent asked for


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """The script's `verify` was called."""

    reply: VerifyReply

    def encode(self) -> dict[str, Plain]:
        return {
            KIND: "verified",
            "says_yes": self.reply.says_yes,
            "error": self.reply.error,
        }

    @classmethod
    def decode(cls, fields: MessageFields) -> VerifyResult:
        return cls(VerifyReply(fields.flag("says_yes"), fields.text("error")))


@dataclass(frozen=True, slots=True)
class FunctionFields:
    """A function of the benchmark returned this result."""

    fields: dict[str, Plain]

    def encode(self) -> dict[str, Plain]:
        return {KIND: "returned", "fields": self.fields}

    @classmethod
    def decode(cls, fields: MessageFields) -> FunctionFields:
        return cls(fields.mapping("fields"))


@dataclass(frozen=True, slots=True)
class FunctionFault:
    """A function of the benchmark failed."""

    code: str
    message: str

    def encode(self) -> dict[str, Plain]:
        return {KIND: "failed", "code": self.code, "message": self.message}

    @classmethod
    def decode(cls, fields: MessageFields) -> FunctionFault:
        return cls(fields.text("code"), fields.text("message"))


_ENDINGS_OF_CHILD: Final = (
    Ending.FINISHED,
    Ending.RAISED,
    Ending.SYNTAX,
    Ending.REFUSED,
    Ending.LIMIT,
)
"""The endings that a child may report. Only the parent reports `killed`."""


@dataclass(frozen=True, slots=True)
class StepReport:
    """The last message of a step: how its script ended."""

    ending: Ending
    error: str
    """Why the script ended, for example a traceback; empty if it finished."""
    end_of_output: str
    """The end of the printed text. Its beginning came with earlier messages."""
    is_spent: bool
    """True if the process has no memory left: the next step needs a new one."""

    def encode(self) -> dict[str, Plain]:
        return {
            KIND: "end",
            "ending": self.ending.value,
            "error": self.error,
            "end_of_output": self.end_of_output,
            "is_spent": self.is_spent,
        }

    @classmethod
    def decode(cls, fields: MessageFields) -> StepReport:
        ending = fields.text("ending")
        if ending not in _ENDINGS_OF_CHILD:
            msg = "the end of a step with an unknown ending"
            raise Forged(msg)
        return cls(
            Ending(ending),
            fields.text("error"),
            fields.text("end_of_output"),
            fields.flag("is_spent"),
        )


# The message around a request or a result

ChildBody: TypeAlias = (
    Request | VerifyResult | FunctionFields | FunctionFault | StepReport
)


@dataclass(slots=True)
class ChildMessage:
    """One message from the child.

    On the wire, absent parts are left out: `{"printed": "hello\\n"}`, or `{"number": 1,
    "body": {"kind": "call", ...}}`.
    """

    body: ChildBody | None = None
    printed: str = ""
    """The text printed since the last message."""
    scratchpad: Plain = None
    """The scratchpad, the dict that scripts keep between steps, in encoded form. None if it has not
    changed since the last message."""
    request_number: int = 0
    """Requests of a step are numbered from 1; 0 if the message is not a request."""

    def encode(self) -> dict[str, Plain]:
        """Return the message as it is sent. The request's number is then called `number`."""
        encoded: dict[str, Plain] = {}
        if self.printed:
            encoded["printed"] = self.printed
        if self.scratchpad is not None:
            encoded["scratchpad"] = self.scratchpad
        if self.request_number:
            encoded["number"] = self.request_number
        if self.body is not None:
            encoded["body"] = self.body.encode()
        return encoded

    @classmethod
    def decode(cls, fields: MessageFields) -> ChildMessage:
        """Raises `Forged` if our own child never sends such a message."""
        body = None
        encoded_body = fields.value("body")
        if encoded_body is not None:
            body = _decode_body(MessageFields(encoded_body))

        printed = fields.optional_text("printed")
        number = fields.optional_integer("number")
        scratchpad = fields.value("scratchpad")
        if body is None and scratchpad is None and not printed:
            msg = "a message that brings nothing"
            raise Forged(msg)
        return cls(body, printed, scratchpad, number)


def _decode_body(fields: MessageFields) -> ChildBody:
    kind = fields.text(KIND)
    match kind:
        case "call":
            return CallRequest.decode(fields)
        case "calls":
            return CallsRequest.decode(fields)
        case "cite":
            return CiteRequest.decode(fields)
        case "answer":
            return AnswerRequest.decode(fields)
        case "verified":
            return VerifyResult.decode(fields)
        case "returned":
            return FunctionFields.decode(fields)
        case "failed":
            return FunctionFault.decode(fields)
        case "end":
            return StepReport.decode(fields)
        case _:
            raise unknown_kind(kind)
