"""The parent's handle on the fork server: starts it, asks it for children, and starts it again once if it died.

Thread-safe; usable from a process with many threads, because nothing here forks: the server is started by exec.
"""

from __future__ import annotations

import array
import os
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from sandbox.forking import REPLY, REQUEST

START_TIMEOUT_S: Final = 20.0
REPLY_TIMEOUT_S: Final = 10.0

_BOOT: Final = "import sys;sys.path[:0]={paths!r};from sandbox.forking import main;main({descriptor})"


class SandboxBroken(Exception):  # noqa: N818 - the sandbox's state
    """The sandbox itself does not work: its server cannot be started, or died twice in a row."""


@dataclass(frozen=True, slots=True)
class ChildProcess:
    """A child that waits for its first message."""

    pid: int
    connection: socket.socket
    server: int
    """The number of the server process that it belongs to."""


class ForkServer:
    """One server process for any number of sandboxes; a context manager. It starts at the first use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._generation = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def start(self) -> None:
        """Start the server process unless it runs. Raises `SandboxBroken`."""
        with self._lock:
            if self._control is None:
                self._start()

    def spawn(self) -> ChildProcess:
        """Return a ready child. A server that died is started again once. Raises `SandboxBroken`."""
        with self._lock:
            if self._control is None:
                self._start()
            try:
                return self._ask_for_child()
            except OSError:
                self._stop()
                self._start()
            try:
                return self._ask_for_child()
            except OSError as error:
                self._stop()
                raise SandboxBroken(f"the fork server died twice in a row: {error}") from error

    def end(self, child: ChildProcess) -> int | None:
        """Kill the child if it lives; return its exit code (negative: a signal), or None where nobody knows."""
        with self._lock:
            if self._control is None or child.server != self._generation:
                return None
            try:
                self._control.sendall(REQUEST.pack(b"-", child.pid))
                reply = self._control.recv(REPLY.size, socket.MSG_WAITALL)
            except OSError:
                reply = b""
            if len(reply) != REPLY.size:
                self._stop()
                return None
            code: int = REPLY.unpack(reply)[1]
            return code

    def close(self) -> None:
        """End the server process and every child."""
        with self._lock:
            self._stop()

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        try:
            command = [sys.executable, "-P", "-s", "-S", "-c", _boot_code(theirs.fileno())]
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
                command,
                pass_fds=(theirs.fileno(),),
                env={"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd="/",
            )
        except OSError as error:
            ours.close()
            raise SandboxBroken(f"the fork server cannot be started: {error}") from error
        finally:
            theirs.close()
        ours.settimeout(START_TIMEOUT_S)
        self._control = ours
        self._generation += 1
        try:
            ready = ours.recv(1)
        except OSError:
            ready = b""
        if ready != b"!":
            self._stop()
            msg = "the fork server ended before it was ready"
            raise SandboxBroken(msg)
        ours.settimeout(REPLY_TIMEOUT_S)

    def _ask_for_child(self) -> ChildProcess:
        control = self._control
        if control is None:
            msg = "no server"
            raise OSError(msg)
        control.sendall(REQUEST.pack(b"+", 0))
        space = socket.CMSG_SPACE(array.array("i", [0]).itemsize)
        reply, extra, _, _ = control.recvmsg(REPLY.size, space)
        if len(reply) != REPLY.size or not extra:
            msg = "the fork server is gone"
            raise OSError(msg)
        descriptors = array.array("i")
        descriptors.frombytes(extra[0][2])
        os.set_inheritable(descriptors[0], False)
        return ChildProcess(REPLY.unpack(reply)[0], socket.socket(fileno=descriptors[0]), self._generation)

    def _stop(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            try:
                self._process.wait(timeout=1.0)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None


def _boot_code(descriptor: int) -> str:
    import RestrictedPython

    ours = str(Path(__file__).resolve().parent.parent)
    theirs = str(Path(RestrictedPython.__file__).resolve().parent.parent)
    return _BOOT.format(paths=list(dict.fromkeys([ours, theirs])), descriptor=descriptor)
