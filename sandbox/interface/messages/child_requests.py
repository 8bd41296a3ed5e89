"""The requests of a script's process to the trial: make a call, cite a file, submit an answer.

The child sends one and waits until the parent has answered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from controlplane.sandbox.interface.messages.message_fields import (
    KIND,
    MessageFields,
)
from controlplane.sandbox.interface.parameters import Plain


@dataclass(slots=True)
class CallRequest:
    """Make one call, such as `harness.read("/a.md", start_line=3)`.

    The parent binds the arguments to the operation's parameters, and checks them.
    """

    operation: str
    """`read`"""
    positional: list[Any]
    """`["/a.md"]`"""
    named: dict[str, Any]
    """`{"start_line": 3}`"""

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

    Only a function of a benchmark may request this, never a script.
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
    """Name a path that was read as a source of the answer."""

    path: str
    reason: str
    """Why the path supports the answer: "states the limit"."""
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
    """Submit the answer, which is in the scratchpad that the parent has.

    A script submits it with a function `verify`, which checks it. That function stays in the
    child; the parent only learns if it can be called with the scratchpad as its argument.
    """

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
