"""The messages between a fork server's process and its parent.

When the process is ready it sends one JSON message: a `StartReport` or a
`StartFailure`. From then on both sides send records of a fixed length: the parent asks
for a child, or for the end of a child, and the process replies with a `ChildReply`.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from controlplane.sandbox.interface.messages.message_fields import (
    KIND,
    MessageFields,
    unknown_kind,
)
from controlplane.sandbox.interface.parameters import Plain

# The first message of the process


@dataclass(frozen=True, slots=True)
class StartReport:
    """The process is ready: it has imported and confined everything."""

    kernel_parts: dict[str, str]
    """The parts of the kernel layer: "" for a part that works, else the reason why not."""

    def encode(self) -> dict[str, Plain]:
        return {KIND: "ready", "kernel_parts": dict(self.kernel_parts)}

    @classmethod
    def decode(cls, fields: MessageFields) -> StartReport:
        return cls(fields.mapping("kernel_parts"))


@dataclass(frozen=True, slots=True)
class StartFailure:
    """The process cannot start, for example because a module cannot be imported."""

    reason: str

    def encode(self) -> dict[str, Plain]:
        return {KIND: "broken", "reason": self.reason}

    @classmethod
    def decode(cls, fields: MessageFields) -> StartFailure:
        return cls(fields.text("reason"))


def decode_start(fields: MessageFields) -> StartReport | StartFailure:
    """Return the first message of a fork server's process."""
    kind = fields.text(KIND)
    match kind:
        case "ready":
            return StartReport.decode(fields)
        case "broken":
            return StartFailure.decode(fields)
        case _:
            raise unknown_kind(kind)


# Requests for children


class ServerAction(Enum):
    """What the parent asks the fork server's process to do, as one byte."""

    NEW_CHILD = b"+"
    END_CHILD = b"-"


@dataclass(frozen=True, slots=True)
class ChildRequest:
    """The parent's request for a new child, or for the end of the child `pid`."""

    action: ServerAction
    pid: int = 0
    """The process number of the child to end; 0 in a request for a new child."""

    # one byte, and an unsigned integer of 4 bytes
    FORMAT: ClassVar = struct.Struct("!cI")
    SIZE: ClassVar = FORMAT.size

    def encode(self) -> bytes:
        return self.FORMAT.pack(self.action.value, self.pid)

    @classmethod
    def decode(cls, record: bytes) -> ChildRequest:
        action, pid = cls.FORMAT.unpack(record)
        return cls(ServerAction(action), pid)


@dataclass(frozen=True, slots=True)
class ChildReply:
    """The reply to both requests: which child is new, or how the child `pid` ended.

    For a new child, the other fields are 0, and the descriptor of the connection to it
    is sent with the record.
    """

    pid: int
    exit_code: int = 0
    """The exit code of the ended child, or the negative number of the signal that ended it."""
    cpu_ms: int = 0
    """Milliseconds of CPU that the ended child used."""

    # integers of 4 bytes; only the exit code has a sign
    FORMAT: ClassVar = struct.Struct("!IiI")
    SIZE: ClassVar = FORMAT.size

    def encode(self) -> bytes:
        return self.FORMAT.pack(self.pid, self.exit_code, self.cpu_ms)

    @classmethod
    def decode(cls, record: bytes) -> ChildReply:
        pid, exit_code, cpu_ms = cls.FORMAT.unpack(record)
        return cls(pid, exit_code, cpu_ms)
