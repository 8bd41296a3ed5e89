"""The messages from a trial (the parent) to the process that runs its scripts (the child).

The first message is the `Setting`. Then the parent gives tasks (`RunStep`,
`RunFunction`, `RunVerify`) and answers the child's requests (`Answered`, `Refused`).
The child trusts what the parent sends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from controlplane.sandbox.interface.isolation_layers import Layer
from controlplane.sandbox.interface.json_documents import json_bytes
from controlplane.sandbox.interface.limits import Limits
from controlplane.sandbox.interface.messages.message_fields import (
    KIND,
    MessageFields,
    unknown_kind,
)
from controlplane.sandbox.interface.operations import Operation, operation_of
from controlplane.sandbox.interface.parameters import Plain

# The first message


@dataclass(frozen=True, slots=True)
class Setting:
    """What a child must know before its first task."""

    operations: tuple[Operation, ...]
    limits: Limits
    now_us: int | None
    """The pinned clock, in microseconds since 1970 in UTC; None if there is no clock."""
    seed: int
    isolation: frozenset[Layer]
    executables: Mapping[str, str] = field(default_factory=dict)
    """The purpose of each declared tool, by its path, for the benchmark's functions."""

    def with_trial_cpu(self, trial_cpu_s: float) -> Setting:
        """Return this setting with another limit for the CPU time of the trial."""
        return replace(self, limits=self.limits._replace(trial_cpu_s=trial_cpu_s))

    def encode(self) -> dict[str, Plain]:
        return {
            "operations": [operation.as_data() for operation in self.operations],
            "limits": self.limits._asdict(),
            "now_us": self.now_us,
            "seed": self.seed,
            "isolation": [layer.value for layer in Layer if layer in self.isolation],
            "executables": dict(self.executables),
        }

    @classmethod
    def decode(cls, fields: MessageFields) -> Setting:
        operations = [
            operation_of(operation) for operation in fields.items("operations")
        ]
        return cls(
            operations=tuple(operations),
            limits=Limits(**fields.mapping("limits")),
            now_us=fields.value("now_us"),
            seed=fields.integer("seed"),
            isolation=frozenset(Layer(layer) for layer in fields.items("isolation")),
            executables=fields.mapping("executables"),
        )


# Tasks


@dataclass(frozen=True, slots=True)
class RunStep:
    """Tells the child to run a script, as one step of a trial."""

    number: int
    """The number of the step, from 1. It pins the randomness of the script."""
    source: str
    """The script's code."""
    scratchpad: Plain
    """The dict that scripts keep between steps, as it was at the end of the step before, encoded."""

    def encode(self) -> dict[str, Plain]:
        return {
            KIND: "step",
            "number": self.number,
            "source": self.source,
            "scratchpad": self.scratchpad,
        }

    @classmethod
    def decode(cls, fields: MessageFields) -> RunStep:
        return cls(
            fields.integer("number"), fields.text("source"), fields.value("scratchpad")
        )


@dataclass(frozen=True, slots=True)
class KnownCall:
    """A call of an earlier step with its result, which a function need not make again."""

    operation: str
    arguments: Mapping[str, Plain]
    result: Mapping[str, Plain]

    def encode(self) -> dict[str, Plain]:
        return {
            "operation": self.operation,
            "arguments": dict(self.arguments),
            "result": dict(self.result),
        }

    @classmethod
    def decode(cls, fields: MessageFields) -> KnownCall:
        return cls(
            fields.text("operation"),
            fields.mapping("arguments"),
            fields.mapping("result"),
        )


@dataclass(frozen=True, slots=True)
class RunFunction:
    """Tells the child to run a function of the benchmark, alone or while a script waits for it."""

    function: str
    """`module:name`."""
    arguments: dict[str, Plain]
    known_calls: list[KnownCall]
    """Calls that the function may want to make, with their results."""

    def encode(self) -> dict[str, Plain]:
        return {
            KIND: "function",
            "function": self.function,
            "arguments": self.arguments,
            "known_calls": [call.encode() for call in self.known_calls],
        }

    @classmethod
    def decode(cls, fields: MessageFields) -> RunFunction:
        known_calls = []
        for call in fields.items("known_calls"):
            known_calls.append(KnownCall.decode(MessageFields(call)))
        return cls(fields.text("function"), fields.mapping("arguments"), known_calls)


@dataclass(frozen=True, slots=True)
class RunVerify:
    """Tells the child to call `verify`, the function by which the script checks its own answer."""

    is_blank: bool
    """True to call it without the submitted values. A `verify` that then says yes checks nothing."""

    def encode(self) -> dict[str, Plain]:
        return {KIND: "verify", "is_blank": self.is_blank}

    @classmethod
    def decode(cls, fields: MessageFields) -> RunVerify:
        return cls(fields.flag("is_blank"))


# Answers to requests


@dataclass(slots=True)
class Answered:
    """The parent's reply to a request that succeeded, such as to make a call."""

    value: Any
    """For a call, its result."""

    def encode(self) -> dict[str, Plain]:
        return {KIND: "ok", "value": self.value}

    @classmethod
    def decode(cls, fields: MessageFields) -> Answered:
        return cls(fields.value("value"))


@dataclass(frozen=True, slots=True)
class Refused:
    """The parent's reply to a request that is refused, or whose call failed."""

    code: str
    """One of `error_codes`, or `UNBOUND`, or `NOT_ACCEPTED`."""
    message: str

    def encode(self) -> dict[str, Plain]:
        return {KIND: "fail", "code": self.code, "message": self.message}

    @classmethod
    def decode(cls, fields: MessageFields) -> Refused:
        return cls(fields.text("code"), fields.text("message"))


UNBOUND: Final = "unbound"
"""The arguments of a call do not fit its declaration. Raised in the script as `TypeError`."""

NOT_ACCEPTED: Final = "refused"
"""The citation or the answer is not accepted. Raised as `CitationError` or `GateRejection`."""


def answer_bytes(value_as_json: bytes) -> bytes:
    """Return an encoded `Answered` for a value that is JSON already.

    `b"[1,2]"` -> `b'{"kind":"ok","value":[1,2]}'`.
    A long result is not parsed and written again.
    """
    return b'{"kind":"ok","value":%b}' % value_as_json


def refusal_bytes(code: str, message: str) -> bytes:
    """Return an encoded `Refused`: `{"kind":"fail","code":"not_found","message":"..."}`."""
    return json_bytes(Refused(code, message).encode())


ParentMessage: TypeAlias = RunStep | RunFunction | RunVerify | Answered | Refused


def decode_parent_message(fields: MessageFields) -> ParentMessage:
    """Return a message of the parent after its setting."""
    kind = fields.text(KIND)
    match kind:
        case "step":
            return RunStep.decode(fields)
        case "function":
            return RunFunction.decode(fields)
        case "verify":
            return RunVerify.decode(fields)
        case "ok":
            return Answered.decode(fields)
        case "fail":
            return Refused.decode(fields)
        case _:
            raise unknown_kind(kind)
