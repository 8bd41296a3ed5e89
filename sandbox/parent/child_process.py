"""A process of the sandbox as its parent sees it, and the processes of one trial."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from pydantic_core import from_json

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.frames import Closed, Connection, Forged
from controlplane.sandbox.interface.json_documents import is_larger
from controlplane.sandbox.interface.limits import Layer
from controlplane.sandbox.interface.messages import (
    Message,
    ScriptSetting,
    WorkerSetting,
    message_bytes,
)

if TYPE_CHECKING:
    from controlplane.sandbox.parent.fork_server import ForkServer

_PEAK_MEMORY: Final = "\nVmHWM:"
"""Begins the line with the most memory that a process has used, in its file `status`."""

_MAX_FAULT_CHARS: Final = 200
"""Characters kept of a parser's message, which may quote a long text."""


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
    peak_memory_bytes: int | None = None
    """The most memory that it has used; None if it is not known."""


UNKNOWN_END: Final = ChildEnd(None, 0.0)


@dataclass(slots=True, eq=False)
class ChildProcess:
    """A child: an isolated process for the scripts or the worker of a trial."""

    pid: int
    connection: Connection
    """The parent's end of the connection to it."""
    end_in_server: Callable[[ChildProcess], ChildEnd]
    """Has the server process that forked it kill it if it is alive. Returns how it ended."""
    generation: int
    """Which start of its server process made the child: 1 for the first. When the process is
    started again, it has the next number, and the child is gone."""
    busy_s: float = 0.0
    """Seconds of all calls that the child has served."""

    def receive(self, limit: int, deadline: float) -> Message:
        """Return the child's next message. Raises `Closed`, `Overdue` and `Forged`."""
        return Message.decode(parsed_body(self.connection.receive(limit, deadline)))

    def end(self) -> ChildEnd:
        """Kill the child if it is alive, close its connection, and return how it ended."""
        # Close the connection last. The child would notice it and end itself, so that it would
        # not be known how it ended.
        end = self.end_in_server(self)
        self.connection.socket.close()
        return end

    def peak_memory_bytes(self) -> int | None:
        """Return the most memory, in bytes, that the child has used; None if it is not known.

        Only Linux says it, in the line `VmHWM:  20480 kB` of a file of the process.
        """
        try:
            status = Path(f"/proc/{self.pid}/status").read_text("ascii", "replace")
        except OSError:
            return None
        _, _, status_from_peak = status.partition(_PEAK_MEMORY)
        kilobytes = status_from_peak.partition("kB")[0].strip()
        return int(kilobytes) * 1024 if kilobytes.isdecimal() else None


def parsed_body(body: bytes | bytearray) -> dict[str, object]:
    """Return the object in the body of an untrusted process's frame: `b'{"printed": "a"}'` -> a dict.

    It must be strict JSON with at most 200 levels, which is the limit of the parser. Its
    values are counted before any of them becomes a Python object. Raises `Forged`.
    """
    if is_larger(body):
        msg = f"more than {bounds.MOST_PARTS} lists and mappings, or {bounds.MOST_VALUES} values"
        raise Forged(msg)
    try:
        message = from_json(body, allow_inf_nan=False, cache_strings="keys")
    except ValueError as error:
        msg = f"no JSON: {error}"
        raise Forged(msg[:_MAX_FAULT_CHARS]) from error
    if not isinstance(message, dict):
        msg = "a message that is not an object"
        raise Forged(msg)
    return message


class TrialProcess:
    """Starts and ends the processes in which the scripts of a trial run, or the calls of its worker.

    A trial may have several, one after another, because a process that exceeds a limit or breaks
    is ended. Their CPU time is added up, since its limit is that of the trial.
    """

    def __init__(
        self, server: ForkServer, setting: ScriptSetting | WorkerSetting
    ) -> None:
        self._server = server
        self._setting = setting
        """Sent to each process first."""
        self.child: ChildProcess | None = None
        """None if there is no process at the moment."""
        self.cpu_s = 0.0
        """CPU seconds of the processes that have ended."""
        self._ended_peak_bytes: int | None = None
        """The most memory of the process that ended last; None if it is not known."""
        self.interruption = ""
        """Why the running script was interrupted; empty if it was not."""

    @property
    def is_time_over(self) -> bool:
        """True if the trial has used all its CPU time."""
        return self.cpu_s > self._setting.limits.trial_cpu_s

    def ready(self) -> ChildProcess:
        """Return the process after starting it if there is none.

        A new one gets the CPU time that the earlier ones have left. Raises `Closed` if it
        dies at once, and `SandboxBroken` if none can be started.
        """
        if self.child is not None:
            return self.child
        setting = self._setting
        self.child = self._server.spawn(
            with_kernel=Layer.KERNEL in setting.isolation,
            for_workers=isinstance(setting, WorkerSetting),
        )

        remaining_cpu_s = max(setting.limits.trial_cpu_s - self.cpu_s, 0.0)
        limits = setting.limits._replace(trial_cpu_s=remaining_cpu_s)
        fields = setting.encode()
        fields["limits"] = limits._asdict()
        body = message_bytes(fields)
        self.child.connection.send(body, bounds.MOST_REQUEST_BYTES)
        return self.child

    def connected(self) -> ChildProcess:
        """Return the process, without starting one. Raises `Closed` if it was ended in this step."""
        if self.child is None:
            raise Closed
        return self.child

    def end(self) -> ChildEnd:
        """End the process, if there is one. Returns its exit code and CPU time (`ChildEnd`)."""
        child = self.child
        if child is None:
            return UNKNOWN_END
        self.child = None
        end = child.end()
        self._ended_peak_bytes = end.peak_memory_bytes
        self.cpu_s += end.cpu_s
        return end

    @property
    def peak_memory_bytes(self) -> int | None:
        """The most memory of the process or, if there is none, of the one that ended last."""
        if self.child is None:
            return self._ended_peak_bytes
        return self.child.peak_memory_bytes()

    def interrupt(self, reason: str) -> None:
        """End the running script by closing its connection. Any thread may call this.

        The thread that runs the step finds the connection closed, and ends the process.
        """
        child = self.child
        if child is None:
            return
        self.interruption = reason
        with suppress(OSError):
            child.connection.socket.shutdown(socket.SHUT_RDWR)
