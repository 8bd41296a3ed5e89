"""One process that children are forked from, as its parent sees it.

It is started by exec, asked for children over its control socket, and started again once if it died. Thread-safe;
usable from a process with many threads, because nothing here forks.
"""

from __future__ import annotations

import array
import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from sandbox.child.fork_server_process import ONE_DESCRIPTOR, REPLY, REQUEST
from sandbox.process.frames import Closed, Forged, FrameReader, Overdue, receive_frame

_CLOSED_ON_EXEC: Final = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
"""Set at once, so that no program that another thread starts inherits the socket of a child."""
START_TIMEOUT_S: Final = 20.0
REPLY_TIMEOUT_S: Final = 10.0

_BOOT: Final = (
    "import gc,sys;gc.disable();sys.path+={paths!r};"
    "getattr(sys,'set_lazy_imports_filter',id)(lambda *asked:False);"
    "from sandbox.child.fork_server_process import main;"
    "main({descriptor},with_kernel={with_kernel},aide_modules={aide_modules!r})"
)
"""From Python 3.15 on, imports may be lazy; the filter makes all of them at once, because a child can read no file."""
_ENVIRONMENT: Final = {
    "PYTHONHASHSEED": "0",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    "PYTHONUTF8": "1",
    "PYTHONTZPATH": "",
    "LD_BIND_NOW": "1",  # Else every child looks up the C library's functions at their first use.
}


class SandboxBroken(Exception):
    """The sandbox itself does not work: its server cannot be started, or died twice in a row."""

    leaves_step = True


@dataclass(frozen=True, slots=True)
class ChildProcess:
    """A child that waits for its first message."""

    pid: int
    connection: socket.socket
    reader: FrameReader
    """Receives what it sends over the connection."""
    server: ServerProcess
    generation: int
    """The start of the server process that made it, counted."""


@dataclass(frozen=True, slots=True)
class ChildEnd:
    """How a child ended."""

    code: int | None
    """Its exit code (negative: a signal), or None if its server is gone."""
    cpu_s: float


UNKNOWN_END: Final = ChildEnd(None, 0.0)


class ServerProcess:
    """One server process and the lock around its control socket."""

    def __init__(self, *, with_kernel: bool, aide_modules: tuple[str, ...] | None) -> None:
        self._with_kernel = with_kernel
        self._aide_modules = aide_modules
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._is_ready = False
        self._is_copy = False
        self._report: dict[str, str] = {}
        self._generation = 0

    def launch(self) -> None:
        with self._lock:
            if self._control is None:
                with contextlib.suppress(SandboxBroken):
                    self._launch()

    def copied(self, core: int | None) -> ServerProcess:
        """Return a copy of the process, which is launched unless it runs. A copy that fails is started on its own."""
        copy = ServerProcess(with_kernel=self._with_kernel, aide_modules=self._aide_modules)
        with self._lock, contextlib.suppress(SandboxBroken, OSError):
            control = self._launch() if self._control is None else self._control
            copy._control, theirs = socket.socketpair()
            copy._generation, copy._is_copy = 1, True
            with theirs:
                attached = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [theirs.fileno()]))]
                control.sendmsg([REQUEST.pack(b"&", 0 if core is None else core + 1)], attached)
        return copy

    def leave(self) -> None:
        with self._lock:
            if self._control is not None:
                self._control.close()
            if self._process is not None:
                self._process.poll()  # Notes that it is no child of this process.
            self._control = self._process = None

    def start(self) -> dict[str, str]:
        with self._lock:
            self._make_ready()
            return dict(self._report)

    def spawn(self) -> ChildProcess:
        with self._lock:
            for attempt in (1, 2):
                self._make_ready()
                try:
                    return self._ask_for_child()
                except OSError as error:
                    self._stop()
                    if attempt == 2:
                        msg = f"the fork server died twice in a row: {error}"
                        raise SandboxBroken(msg) from error
        raise AssertionError

    def end(self, child: ChildProcess) -> ChildEnd:
        with self._lock:
            if self._control is None or child.generation != self._generation:
                return UNKNOWN_END
            try:
                self._control.sendall(REQUEST.pack(b"-", child.pid))
                reply = self._control.recv(REPLY.size, socket.MSG_WAITALL)
            except OSError:
                reply = b""
            if len(reply) != REPLY.size:
                self._stop()
                return UNKNOWN_END
            _, code, cpu_ms = REPLY.unpack(reply)
            return ChildEnd(code, cpu_ms / 1000)

    def close(self) -> None:
        with self._lock:
            self._stop()

    def _launch(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        try:
            boot = _boot_code(theirs.fileno(), with_kernel=self._with_kernel, aide_modules=self._aide_modules)
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-s", "-S", "-W", "ignore", "-c", boot],
                pass_fds=(theirs.fileno(),),
                env=_ENVIRONMENT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd="/",
                process_group=0,  # Ctrl-C at the terminal is not for it, not even while it starts.
            )
        except OSError as error:
            ours.close()
            msg = f"the fork server cannot be started: {error}"
            raise SandboxBroken(msg) from error
        finally:
            theirs.close()
        self._control = ours
        self._is_ready = False
        self._generation += 1
        return ours

    def _make_ready(self) -> None:
        """Have a server process that takes requests, started now unless it runs."""
        control = self._launch() if self._control is None else self._control
        if self._is_ready:
            return
        try:
            self._report = receive_frame(control, 1 << 16, time.monotonic() + START_TIMEOUT_S)[1]
        except (Closed, Overdue, Forged) as error:
            was_copy = self._is_copy
            self._stop()
            if was_copy:  # One of its own tells what is wrong.
                self._make_ready()
                return
            msg = f"the fork server ended before it was ready: {error}"
            raise SandboxBroken(msg) from error
        if "broken" in self._report:
            self._stop()
            raise SandboxBroken(self._report["broken"])
        control.settimeout(REPLY_TIMEOUT_S)
        self._is_ready = True

    def _ask_for_child(self) -> ChildProcess:
        control = self._control
        if control is None:
            msg = "no server"
            raise OSError(msg)
        control.sendall(REQUEST.pack(b"+", 0))
        reply, extra, _, _ = control.recvmsg(REPLY.size, ONE_DESCRIPTOR, _CLOSED_ON_EXEC)
        if len(reply) != REPLY.size:
            msg = "the fork server is gone"
            raise OSError(msg)
        if not extra:  # The descriptor was lost on this side; the server works.
            control.sendall(REQUEST.pack(b"-", REPLY.unpack(reply)[0]))
            control.recv(REPLY.size, socket.MSG_WAITALL)
            msg = "this process can open no more files for the connections to its children (ulimit -n)"
            raise SandboxBroken(msg)
        descriptors = array.array("i")
        descriptors.frombytes(extra[0][2])
        os.set_inheritable(descriptors[0], False)
        connection = socket.socket(fileno=descriptors[0])
        return ChildProcess(REPLY.unpack(reply)[0], connection, FrameReader(connection), self, self._generation)

    def _stop(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self._is_copy = False


def _boot_code(descriptor: int, *, with_kernel: bool, aide_modules: tuple[str, ...] | None) -> str:
    found = find_spec("RestrictedPython")
    if found is None or found.origin is None:
        msg = "the package RestrictedPython is not installed here"
        raise SandboxBroken(msg)
    paths = [str(Path(__file__).resolve().parents[2]), str(Path(found.origin).resolve().parent.parent)]
    if aide_modules is not None:  # They may be a user's own, which this process finds.
        paths += [str(Path(each).resolve()) for each in sys.path]
    return _BOOT.format(
        paths=list(dict.fromkeys(paths)), descriptor=descriptor, with_kernel=with_kernel, aide_modules=aide_modules
    )
