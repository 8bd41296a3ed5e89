"""One process from which children are forked: started by exec, asked over a control socket."""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import controlplane
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.frames import (
    REPLY,
    REQUEST,
    Closed,
    Forged,
    FrameReader,
    Overdue,
)
from controlplane.sandbox.parent.child_process import (
    UNKNOWN_END,
    ChildEnd,
    ChildProcess,
    SandboxBroken,
)

_START_S: Final = 20.0
"""Seconds until a server process has imported everything, on a busy machine."""
_REPLY_S: Final = 10.0
"""Seconds until a server process answers a request."""

_CLOSED_ON_EXEC: Final = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
"""Set at once, so that no program started by another thread inherits the socket of a child."""

_BOOT: Final = """
import gc, sys
gc.disable()
sys.path += {paths!r}
# From Python 3.15 on, imports may be lazy. The filter makes all of them at once, because a child
# cannot read files.
if hasattr(sys, "set_lazy_imports_filter"):
    sys.set_lazy_imports_filter(lambda *asked: False)
from controlplane.sandbox.child.fork_server_process import main
main({descriptor}, with_kernel={with_kernel}, modules={modules!r}, for_workers={for_workers})
"""
"""What a server process runs."""

_ENVIRONMENT: Final = {
    "PYTHONHASHSEED": "0",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    "PYTHONUTF8": "1",
    # Otherwise every child looks up the C library's functions at their first use.
    "LD_BIND_NOW": "1",
}


class ServerProcess:
    """One process from which children are forked, and the lock around its control socket.

    Started when it is first needed, and once more if it died.
    """

    def __init__(self, modules: tuple[str, ...], *, with_kernel: bool, for_workers: bool) -> None:
        self._modules = modules
        self._with_kernel = with_kernel
        self._for_workers = for_workers
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._is_ready = False
        self._report: dict[str, str] = {}
        self._generation = 0
        """How often the process was started."""

    def launch(self) -> None:
        """Start the process without waiting for it. A failure shows when it is needed."""
        with self._lock, contextlib.suppress(SandboxBroken):
            self._running_control()

    def start(self) -> dict[str, str]:
        """Return the parts of the kernel layer, once the process is ready. Raises `SandboxBroken`."""
        with self._lock:
            self._ready_control()
            return dict(self._report)

    def spawn(self) -> ChildProcess:
        """Return a new child. Raises `SandboxBroken`."""
        with self._lock:
            try:
                return self._ask_for_child(self._ready_control())
            except OSError:
                self._stop()
            try:
                return self._ask_for_child(self._ready_control())
            except OSError as error:
                self._stop()
                msg = f"the fork server died twice in a row: {error}"
                raise SandboxBroken(msg) from error

    def end(self, child: ChildProcess) -> ChildEnd:
        """Kill a child of this process if it is alive, and return how it ended."""
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
        """End the process, and its children with it."""
        with self._lock:
            self._stop()

    # With the lock

    def _running_control(self) -> socket.socket:
        """Return the control socket of the process, which is started if it does not run."""
        if self._control is not None:
            return self._control
        ours, theirs = socket.socketpair()
        try:
            self._process = self._start_process(theirs.fileno())
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

    def _start_process(self, descriptor: int) -> subprocess.Popen[bytes]:
        """Start the process with its end of the control socket. Raises `OSError`."""
        boot = _BOOT.format(
            paths=_search_paths(self._modules),
            descriptor=descriptor,
            with_kernel=self._with_kernel,
            modules=self._modules,
            for_workers=self._for_workers,
        )
        # No unsafe path, no folders of a user, no `site`, no warnings.
        command = [sys.executable, "-P", "-s", "-S", "-W", "ignore", "-c", boot]
        with fixed_addresses():
            return subprocess.Popen(
                command,
                pass_fds=(descriptor,),
                env=_ENVIRONMENT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd="/",
                # Ctrl-C at the terminal must not reach it, not even while it starts.
                process_group=0,
            )

    def _ready_control(self) -> socket.socket:
        """Return the control socket of a process that takes requests. Raises `SandboxBroken`."""
        control = self._running_control()
        if self._is_ready:
            return control

        # The first message says that everything is imported and which parts of the kernel layer
        # work, or why it cannot start.
        deadline = time.monotonic() + _START_S
        try:
            kind, report = FrameReader(control).receive(bounds.MOST_REQUEST_BYTES, deadline)
        except (Closed, Overdue, Forged) as error:
            self._stop()
            msg = f"the fork server ended before it was ready: {error}"
            raise SandboxBroken(msg) from error
        if kind == "broken":
            self._stop()
            raise SandboxBroken(report)

        self._report = report
        control.settimeout(_REPLY_S)
        self._is_ready = True
        return control

    def _ask_for_child(self, control: socket.socket) -> ChildProcess:
        """Return a new child. Raises `OSError` if the process is gone, and `SandboxBroken`."""
        control.sendall(REQUEST.pack(b"+", 0))
        reply, descriptors, _, _ = socket.recv_fds(control, REPLY.size, 1, _CLOSED_ON_EXEC)
        if len(reply) != REPLY.size:
            msg = "the fork server is gone"
            raise OSError(msg)
        pid, _, _ = REPLY.unpack(reply)

        if not descriptors:
            # The connection was lost on this side; the server works.
            control.sendall(REQUEST.pack(b"-", pid))
            control.recv(REPLY.size, socket.MSG_WAITALL)
            msg = "this process can open no more files for the connections to its children (ulimit -n)"
            raise SandboxBroken(msg)

        os.set_inheritable(descriptors[0], False)
        connection = socket.socket(fileno=descriptors[0])
        return ChildProcess(pid, connection, FrameReader(connection), self, self._generation)

    def _stop(self) -> None:
        """End the process, if it runs; its children end with it."""
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


# The request for this thread's personality, and the flag in it (sys/personality.h)
_READ_PERSONALITY: Final = 0xFFFFFFFF
_NO_RANDOM_ADDRESSES: Final = 0x0040000


@contextlib.contextmanager
def fixed_addresses() -> Iterator[None]:
    """Start programs of this thread meanwhile without random addresses, if the kernel allows it.

    The hash of a type is its address, so sets of types have one order in every run then.
    """
    library = ctypes.CDLL(None)
    if not hasattr(library, "personality"):  # It is Linux's own.
        yield
        return
    personality: Callable[[int], int] = library.personality
    before = personality(_READ_PERSONALITY)
    if before == -1:
        yield
        return
    personality(before | _NO_RANDOM_ADDRESSES)
    try:
        yield
    finally:
        personality(before)


def _search_paths(modules: tuple[str, ...]) -> list[str]:
    """Return where a server process finds our packages and these modules, which may be a user's."""
    restricted_python = find_spec("RestrictedPython")
    if restricted_python is None or restricted_python.origin is None:
        msg = "the package RestrictedPython is not installed here"
        raise SandboxBroken(msg)
    our_place = Path(controlplane.__file__).absolute().parents[1]
    its_place = Path(restricted_python.origin).resolve().parent.parent

    paths = [str(our_place), str(its_place)]
    if modules:
        for entry in sys.path:
            paths.append(str(Path(entry).resolve()))
        for module in modules:
            paths.extend(_places_of(module))
    without_repetition = dict.fromkeys(paths)
    return list(without_repetition)


def _places_of(module: str) -> list[str]:
    """Return the folders in which a module's package is found."""
    package = module.partition(".")[0]
    spec = find_spec(package)
    if spec is None:
        return []
    locations = spec.submodule_search_locations or [spec.origin or ""]
    return [str(Path(location).parent.resolve()) for location in locations]
