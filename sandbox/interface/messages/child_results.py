"""What a script's process tells after a task: the result of a function or of `verify`, the end of a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.sandbox.interface.host import Ending, VerifyReply
from controlplane.sandbox.interface.messages.frames import Forged
from controlplane.sandbox.interface.messages.message_fields import (
    KIND,
    MessageFields,
)
from controlplane.sandbox.interface.parameters import Plain

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
    """The child's last message of a step: how its script ended.

    The child is untrusted, so the parent accepts only the endings that a child can know.
    """

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
