"""The messages between a `Worker` (the parent) and the process that runs its functions.

The parent sends a `WorkerSetup`, then one `FunctionCall` after another. The process
replies to a call with a `ReturnedValue` or a `FunctionError`. Before that its function
may ask any number of questions, each of which the parent answers by a `QuestionAnswer`
or a `QuestionRefusal`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from controlplane.sandbox.interface.limits import WorkerLimits
from controlplane.sandbox.interface.messages.message_fields import (
    KIND,
    MessageFields,
    unknown_kind,
)
from controlplane.sandbox.interface.parameters import Plain

# From the parent


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """The first message to a process, or the first of another trial that takes the process over."""

    limits: WorkerLimits
    with_kernel: bool
    """True if the kernel layer confines the process."""

    def encode(self) -> dict[str, Plain]:
        return {
            KIND: "setup",
            "limits": self.limits._asdict(),
            "with_kernel": self.with_kernel,
        }

    @classmethod
    def decode(cls, fields: MessageFields) -> WorkerSetup:
        return cls(WorkerLimits(**fields.mapping("limits")), fields.flag("with_kernel"))


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """Run a function."""

    function: str
    """`module:name`."""
    arguments: list[Any]

    def encode(self) -> dict[str, Plain]:
        return {KIND: "call", "function": self.function, "arguments": self.arguments}

    @classmethod
    def decode(cls, fields: MessageFields) -> FunctionCall:
        return cls(fields.text("function"), fields.items("arguments"))


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """The parent's answer to a question of the running function, such as the texts of files."""

    value: Plain

    def encode(self) -> dict[str, Plain]:
        return {KIND: "answer", "value": self.value}

    @classmethod
    def decode(cls, fields: MessageFields) -> QuestionAnswer:
        return cls(fields.value("value"))


@dataclass(frozen=True, slots=True)
class QuestionRefusal:
    """The parent's reply if it cannot answer a question: the function gets a `CallError`."""

    code: str
    """One of `error_codes`, such as `not_found`."""
    message: str

    def encode(self) -> dict[str, Plain]:
        return {KIND: "refusal", "code": self.code, "message": self.message}

    @classmethod
    def decode(cls, fields: MessageFields) -> QuestionRefusal:
        return cls(fields.text("code"), fields.text("message"))


ToWorker: TypeAlias = WorkerSetup | FunctionCall | QuestionAnswer | QuestionRefusal


def decode_for_worker(fields: MessageFields) -> ToWorker:
    """Return the message of the parent with these fields. `kind` says which one it is."""
    kind = fields.text(KIND)
    match kind:
        case "setup":
            return WorkerSetup.decode(fields)
        case "call":
            return FunctionCall.decode(fields)
        case "answer":
            return QuestionAnswer.decode(fields)
        case "refusal":
            return QuestionRefusal.decode(fields)
        case _:
            raise unknown_kind(kind)


# From the process


@dataclass(frozen=True, slots=True)
class FunctionQuestion:
    """The running function asks the parent, for example for the texts of some files."""

    arguments: list[Any]
    """For texts of files, their paths: `["/a.md", "/b.md"]`."""

    def encode(self) -> dict[str, Plain]:
        return {KIND: "question", "arguments": self.arguments}

    @classmethod
    def decode(cls, fields: MessageFields) -> FunctionQuestion:
        return cls(fields.items("arguments"))


@dataclass(frozen=True, slots=True)
class ReturnedValue:
    """The function returned this value."""

    value: Plain

    def encode(self) -> dict[str, Plain]:
        return {KIND: "result", "value": self.value}

    @classmethod
    def decode(cls, fields: MessageFields) -> ReturnedValue:
        return cls(fields.value("value"))


@dataclass(frozen=True, slots=True)
class FunctionError:
    """The function failed, so the call in the parent raises a `CallError`."""

    code: str
    """One of `error_codes`, such as `invalid_argument`."""
    message: str
    process_must_end: bool
    """True if the error was unexpected: the data that the process keeps may be half changed."""

    def encode(self) -> dict[str, Plain]:
        return {
            KIND: "error",
            "code": self.code,
            "message": self.message,
            "process_must_end": self.process_must_end,
        }

    @classmethod
    def decode(cls, fields: MessageFields) -> FunctionError:
        return cls(
            fields.text("code"), fields.text("message"), fields.flag("process_must_end")
        )


FromWorker: TypeAlias = FunctionQuestion | ReturnedValue | FunctionError


def decode_from_worker(fields: MessageFields) -> FromWorker:
    """Return the message of an untrusted worker process with these fields. Raises `Forged`.

    `{"kind": "result", "value": 3}` -> `FunctionResult(3)`.
    """
    kind = fields.text(KIND)
    match kind:
        case "question":
            return FunctionQuestion.decode(fields)
        case "result":
            return ReturnedValue.decode(fields)
        case "error":
            return FunctionError.decode(fields)
        case _:
            raise unknown_kind(kind)
