"""The records between a fork server's process and its parent, of a fixed length.

When the process is ready, it sends one message (`Returned` or `Failed`, as in `messages`). From then
on, the parent asks for a child, or for the end of a child, and the process replies with a
`ChildReply`.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar


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
