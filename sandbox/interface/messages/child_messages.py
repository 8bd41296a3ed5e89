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
from typing import TypeAlias

from controlplane.sandbox.interface.messages.child_requests import (
    AnswerRequest,
    CallRequest,
    CallsRequest,
    CiteRequest,
    Request,
)
from controlplane.sandbox.interface.messages.child_results import (
    FunctionFault,
    FunctionFields,
    StepReport,
    VerifyResult,
)
from controlplane.sandbox.interface.messages.frames import Forged
from controlplane.sandbox.interface.messages.message_fields import (
    KIND,
    MessageFields,
    unknown_kind,
)
from controlplane.sandbox.interface.parameters import Plain

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
        """Return the message with these fields, of checked types.

        Raises `Forged` if our own child never sends such a message.
        """
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
    """Return the request or the result in a message. Raises `Forged` for an unknown kind.

    `{"kind": "cite", "path": "/a.md", ...}` -> a `CiteRequest`.
    """
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
