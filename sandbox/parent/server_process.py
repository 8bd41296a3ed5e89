"""The parent's side of one fork server process: starts it, asks it for children, and ends it.

The process runs `controlplane.sandbox.child.fork_server_process`. Parent and process
talk over a socket pair, the control socket.
"""

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
from controlplane.sandbox.interface.fork_server_messages import (
    Action,
    ChildReply,
    ChildRequest,
    StartFailure,
    decode_start,
)
from controlplane.sandbox.interface.frames import Closed, Forged, FrameReader, Overdue
from controlplane.sandbox.interface.message_fields import MessageFields
from controlplane.sandbox.parent.child_process import (
    UNKNOWN_END,
    ChildEnd,
    ChildProcess,
    SandboxBroken,
)

_START_TIMEOUT_S: Final = 20.0
"""The longest time until a process has imported everything, on a busy machine."""
_REPLY_TIMEOUT_S: Final = 10.0
"""The longest time until a process replies to a request."""

_CLOSE_ON_EXEC: Final = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
"""A flag: programs that other threads start meanwhile
do not inherit received sockets. Linux only."""


class ServerProcess:
    """One process from which children are forked. Usable from any thread.

    The process is started when it is first needed, and started again if it died.
    """

    def __init__(
        self, modules: tuple[str, ...], *, with_kernel: bool, for_workers: bool
    ) -> None:
        self._modules = modules
        self._with_kernel = with_kernel
        self._for_workers = for_workers

        self._lock = threading.Lock()
        """Protects the control socket and the attributes below."""
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        """The control socket, over which the process gets requests; None if none runs."""
        self._is_ready = False
        """True once the process has reported that it takes requests."""
        self._kernel_parts: dict[str, str] = {}
        """For each part of the kernel layer: "" if it works, else the reason why not."""
        self._generation = 0
        """How often the process was started. Each child keeps the number at its fork,
        by which a child of an earlier process is recognized."""

    def launch(self) -> None:
        """Start the process if it does not run, without waiting until it is ready.

        If that fails, the next `start` or `spawn` raises the error.
        """
        with self._lock, contextlib.suppress(SandboxBroken):
            self._running_control()

    def start(self) -> dict[str, str]:
        """Start the process if it does not run, and wait until it is ready.

        Returns the parts of the kernel layer: "" for a part that works, else the reason
        why not. Raises `SandboxBroken`.
        """
        with self._lock:
            self._ready_control()
            return dict(self._kernel_parts)

    def spawn(self) -> ChildProcess:
        """Return a new child. Raises `SandboxBroken`."""
        with self._lock:
            # 1. Ask the process that runs, if there is one.
            try:
                return self._ask_for_child(self._ready_control())
            except OSError:
                self._stop()  # It died since the last request.

            # 2. Ask a new process.
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
                # The process that forked the child is gone, and the child with it.
                return UNKNOWN_END
            try:
                self._control.sendall(
                    ChildRequest(Action.END_CHILD, child.pid).encode()
                )
                record = self._control.recv(ChildReply.SIZE, socket.MSG_WAITALL)
            except OSError:
                self._stop()
                return UNKNOWN_END
            if len(record) != ChildReply.SIZE:
                self._stop()
                return UNKNOWN_END
            reply = ChildReply.decode(record)
            return ChildEnd(reply.exit_code, reply.cpu_ms / 1000)

    def close(self) -> None:
        """End the process, and its children with it."""
        with self._lock:
            self._stop()

    # The methods below need the lock

    def _running_control(self) -> socket.socket:
        """Return the control socket of the process, which is started if it does not run.

        The process may not be ready yet. Raises `SandboxBroken`.
        """
        if self._control is not None:
            return self._control

        our_end, their_end = socket.socketpair()
        try:
            self._process = self._start_process(their_end.fileno())
        except OSError as error:
            our_end.close()
            msg = f"the fork server cannot be started: {error}"
            raise SandboxBroken(msg) from error
        finally:
            their_end.close()
        self._control = our_end
        self._is_ready = False
        self._generation += 1
        return our_end

    def _start_process(self, descriptor: int) -> subprocess.Popen[bytes]:
        """Start the process with its end of the control socket. Raises `OSError`."""
        program = _PROGRAM.format(  # Python's source code: a few lines that call `main`
            paths=_search_paths(self._modules),
            descriptor=descriptor,
            with_kernel=self._with_kernel,
            modules=self._modules,
            for_workers=self._for_workers,
        )
        command = [
            sys.executable,
            "-P",  # does not search the working folder for modules
            "-s",  # nor the user's own packages
            "-S",  # nor any installed package; the program adds the folders that are needed
            "-W",
            "ignore",  # prints no warnings
            "-c",
            program,
        ]
        with fixed_addresses():  # so that a replay prints the same
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
        """Return the control socket once the process takes requests. Raises `SandboxBroken`."""
        control = self._running_control()
        if self._is_ready:
            return control

        deadline = time.monotonic() + _START_TIMEOUT_S
        try:
            message = FrameReader(control).receive(bounds.MOST_REQUEST_BYTES, deadline)
            start = decode_start(MessageFields(message))
        except (Closed, Overdue, Forged) as error:
            self._stop()
            msg = f"the fork server ended before it was ready: {error}"
            raise SandboxBroken(msg) from error
        if isinstance(start, StartFailure):
            self._stop()
            raise SandboxBroken(start.reason)

        self._kernel_parts = start.kernel_parts
        control.settimeout(_REPLY_TIMEOUT_S)
        self._is_ready = True
        return control

    def _ask_for_child(self, control: socket.socket) -> ChildProcess:
        """Return a new child. Raises `OSError` if the process is gone, and `SandboxBroken`."""
        control.sendall(ChildRequest(Action.NEW_CHILD).encode())
        record, descriptors, _, _ = socket.recv_fds(
            control, ChildReply.SIZE, 1, _CLOSE_ON_EXEC
        )
        if len(record) != ChildReply.SIZE:
            msg = "the fork server is gone"
            raise OSError(msg)
        pid = ChildReply.decode(record).pid

        if not descriptors:
            # The connection was lost, because this process has no descriptor left for it.
            # The server still works, so it need not be stopped. It only ends the child.
            control.sendall(ChildRequest(Action.END_CHILD, pid).encode())
            control.recv(ChildReply.SIZE, socket.MSG_WAITALL)
            msg = "this process can open no more files for the connections to its children (ulimit -n)"
            raise SandboxBroken(msg)

        os.set_inheritable(descriptors[0], False)
        connection = socket.socket(fileno=descriptors[0])
        return ChildProcess(
            pid, connection, FrameReader(connection), self, self._generation
        )

    def _stop(self) -> None:
        """End the process, if it runs; its children end with it."""
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


# How the process is started

# `!r` writes a value as Python source: `['/home/anna/project']`.
_PROGRAM: Final = """
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

_ENVIRONMENT: Final = {
    # A replay must give the same output, so settings that vary between machines are fixed.
    "PYTHONHASHSEED": "0",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    "PYTHONUTF8": "1",
    # The process looks up the C library's functions when it starts. Otherwise every
    # child would do so again, at the first use of a function.
    "LD_BIND_NOW": "1",
}
"""All environment variables of the process. It does not inherit any of the user's."""


def _search_paths(modules: tuple[str, ...]) -> list[str]:
    """Return the folders in which the process looks for our packages and for these modules."""
    # 1. Our own package and RestrictedPython. Of `/x/controlplane/__init__.py`, `parents[1]` is `/x`.
    restricted_python = find_spec("RestrictedPython")
    if restricted_python is None or restricted_python.origin is None:
        msg = "the package RestrictedPython is not installed here"
        raise SandboxBroken(msg)
    folder_of_controlplane = Path(controlplane.__file__).absolute().parents[1]
    folder_of_restricted_python = Path(restricted_python.origin).resolve().parents[1]
    paths = [str(folder_of_controlplane), str(folder_of_restricted_python)]

    # 2. The modules, which may be a user's. They may import anything that this process can import.
    if modules:
        for entry in sys.path:
            paths.append(str(Path(entry).resolve()))
        for module in modules:
            paths.extend(_folders_of_package(module))

    without_repetition = dict.fromkeys(paths)
    return list(without_repetition)


def _folders_of_package(module: str) -> list[str]:
    """Return the folders in which the package of a module is found.

    For example `["/home/anna/project"]` for
    `own.functions`, if the package is there as `own/`.
    """
    package = module.partition(".")[0]
    spec = find_spec(package)
    if spec is None:
        return []

    # A package has one folder or several, such as `/home/anna/project/own`. A module
    # without a package has a file, such as `/home/anna/project/own.py`.
    locations = spec.submodule_search_locations
    if not locations:
        locations = [spec.origin or ""]
    return [str(Path(location).parent.resolve()) for location in locations]


# From sys/personality.h
_READ_PERSONALITY: Final = 0xFFFFFFFF
"""The argument with which `personality` only returns the current flags."""
_NO_RANDOM_ADDRESSES: Final = 0x0040000
"""The flag that turns address space randomization off."""


@contextlib.contextmanager
def fixed_addresses() -> Iterator[None]:
    """Start programs without random addresses within the block, if the kernel allows that.

    The hash of a type is its address. With fixed addresses, a set of types has the same
    order in every run, so a replay prints the same.
    """
    library = ctypes.CDLL(None)
    if not hasattr(library, "personality"):  # Only Linux has it.
        yield
        return
    personality: Callable[[int], int] = library.personality
    flags_before = personality(_READ_PERSONALITY)
    if flags_before == -1:
        yield
        return
    personality(flags_before | _NO_RANDOM_ADDRESSES)
    try:
        yield
    finally:
        personality(flags_before)
