"""A child process of the sandbox as its parent sees it, and how it ended."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from controlplane.sandbox.interface.messages.frames import FrameReader

_PEAK_MEMORY: Final = "VmHWM"
"""The line with the most memory that a process has used, in its file `status`."""


class SandboxBroken(Exception):
    """The sandbox itself does not work: its server cannot be started, or died twice in a row."""

    leaves_step = True
    """`results.guarded` looks at this: if a call of a script raises the error, it is not passed to
    the script, which can do nothing about it, but to the caller of the step."""


class ChildEnd(NamedTuple):
    """The end of a child."""

    code: int | None
    """Its exit code (negative: a signal), or None if its server is gone."""
    cpu_s: float


UNKNOWN_END: Final = ChildEnd(None, 0.0)


class _ChildMaker(Protocol):
    """The fork server's process that made a child, and ends it."""

    def end(self, child: ChildProcess) -> ChildEnd:
        """Kill the child if it is alive, and return how it ended."""
        ...


@dataclass(frozen=True, slots=True)
class ChildProcess:
    """A child: an isolated process for the scripts or the worker of a trial."""

    pid: int
    connection: socket.socket
    """The parent's end of the connection to it."""
    reader: FrameReader
    """Receives the child's messages over the connection."""
    server: _ChildMaker
    generation: int
    """Which start of its server process made the child: 1 for the first. When the process is
    started again, it has the next number, and the child is gone."""
    busy_s: float = 0.0
    """Seconds of all calls that the child has served. After a call,
    `Worker` replaces this object by one with the new sum."""

    def end(self) -> ChildEnd:
        """Kill the child if it is alive, close its connection, and return how it ended."""
        # Close the connection last. The child would notice it and end itself, so that it would
        # not be known how it ended.
        end = self.server.end(self)
        self.connection.close()
        return end

    def peak_memory_bytes(self) -> int | None:
        """Return the most memory, in bytes, that the child has used; None if it is not known.

        Only Linux says it, in the line `VmHWM:  20480 kB` of a file of the process.
        """
        try:
            status = Path(f"/proc/{self.pid}/status").read_text("ascii", "replace")
        except OSError:
            return None
        for line in status.splitlines():
            name, _, value = line.partition(":")
            kilobytes = value.removesuffix("kB").strip()
            if name == _PEAK_MEMORY and kilobytes.isdecimal():
                return int(kilobytes) * 1024
        return None
