"""`ForkServer`: makes the processes in which scripts and workers run.

It starts up to four server processes: for scripts and for workers, each with and without the
*kernel layer* of the isolation (namespaces, seccomp and other means of Linux). A server process
has everything imported, and forks a child whenever one is asked for. This process itself never
forks, so it may have any number of threads.
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
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

import controlplane
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.frames import Closed, Connection, Forged, Overdue
from controlplane.sandbox.interface.limits import ALL_LAYERS, Layer
from controlplane.sandbox.interface.messages import (
    CHILD_REPLY,
    CHILD_REQUEST,
    Failed,
    Message,
    Returned,
    WorkerSetting,
)
from controlplane.sandbox.parent.child_process import (
    UNKNOWN_END,
    ChildEnd,
    ChildProcess,
    SandboxBroken,
    parsed_body,
)

# Processes of workers that no trial uses at the moment.
#
# Starting a process takes longer than most calls. So a trial gives its process back after a call, and
# the next call, of any trial, may use it.

_MAX_IDLE_WORKERS: Final = 2
"""The most idle children of one setting that are kept between calls. Each takes memory."""


# Programs without random addresses in memory, so that a replay prints the same.
#
# Linux places a program at random addresses. They decide, for example, in which order Python
# prints the set `{int, str}`, because the hash of a type is its address.

# From sys/personality.h
_READ_PERSONALITY: Final = 0xFFFFFFFF
"""The argument with which `personality` only returns the current flags."""
_NO_RANDOM_ADDRESSES: Final = 0x0040000
"""The flag that turns address space randomization off."""


@contextlib.contextmanager
def _fixed_addresses() -> Iterator[None]:
    """Let programs that are started within the block have no random addresses in memory.

    They inherit that from this process. Where the kernel does not allow it, the block runs
    as usual.
    """
    library = ctypes.CDLL(None)
    if not hasattr(library, "personality"):  # Only Linux has it.
        yield
        return
    # `personality(flags)` sets flags of this process, and returns the flags before.
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


# Starts a fork server process: its program, its folders of packages, and its environment.
#
# The process runs `controlplane.sandbox.child.fork_server_process`.


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
    """Return the folders in which a server process looks for our packages and for these modules.

    Without modules: `["/x", "/venv/lib/python3.13/site-packages"]`, if `/x/controlplane` is our
    package. Raises `SandboxBroken` if a package is missing.
    """
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

    each_once = dict.fromkeys(paths)
    return list(each_once)


def _folders_of_package(module: str) -> list[str]:
    """Return the folders in which the package of a module is found.

    For example `["/home/anna/project"]` for the module `own.functions`, if the package is
    there as `own/`. Empty if there is no such package.
    """
    package = module.partition(".")[0]
    spec = find_spec(package)
    if spec is None:
        return []

    # A package has one folder or several, such as `/home/anna/project/own`. A module
    # without a package has a file, such as `/home/anna/project/own.py`. The folder in which
    # either is found is the parent: `/home/anna/project`.
    locations = spec.submodule_search_locations
    if not locations:
        locations = [spec.origin or ""]
    return [str(Path(location).parent.resolve()) for location in locations]


# One process from which children are forked, and the control socket, over which it gets requests.

_START_TIMEOUT_S: Final = 60.0
"""The longest time until a process has imported everything, on a busy machine.

The libraries for documents take two seconds of a core that has nothing else to do."""
_REPLY_TIMEOUT_S: Final = 10.0
"""The longest time until a process replies to a request."""

_CLOSE_ON_EXEC: Final = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
"""A flag: programs that other threads start meanwhile
do not inherit received sockets. Linux only."""


class _ServerProcess:
    """Keeps one process from which the children of trials are forked. Usable from any thread.

    The process is started when it is first needed, and started again if it died. `launch` does
    not wait until it is ready, `start` does, and `spawn` also asks it for a child.
    """

    def __init__(
        self, modules: tuple[str, ...], *, with_kernel: bool, for_workers: bool
    ) -> None:
        self._modules = modules
        """The modules that the process imports for its children."""
        self._with_kernel = with_kernel
        """True if the kernel layer confines its children."""
        self._for_workers = for_workers
        """True if its children are workers. The others run scripts."""
        self._lock = threading.Lock()
        """Protects the attributes below. Methods whose names begin with `_` need it."""
        self._process: subprocess.Popen[bytes] | None = None
        """The process; None if none runs."""
        self._control: socket.socket
        """Our end of the control socket of the process."""
        self._kernel_parts: dict[str, str] | None = None
        """The parts of the kernel layer; None until the process is ready. A part is "" if it
        works, else the reason why not."""
        self._generation = 0
        """How often the process was started. Each child has the number of its process. If it is
        lower than this one, the child's process is gone, and the child with it."""

    def launch(self) -> None:
        """Start the process if it does not run, without waiting until it is ready.

        If that fails, the next `start` or `spawn` raises the error.
        """
        with self._lock, contextlib.suppress(SandboxBroken):
            self._start()

    def start(self) -> dict[str, str]:
        """Start the process if it does not run, and wait until it is ready.

        Returns which parts of the isolation by the kernel work here, by name: "" for one
        that works, else the reason why not. Raises `SandboxBroken`.
        """
        with self._lock:
            return dict(self._ready())

    def spawn(self) -> ChildProcess:
        """Return a new child, forked by the process.

        If the process has died, another one is started. Raises `SandboxBroken` if that
        one cannot be started, or dies, too.
        """
        with self._lock:
            # 1. Ask the process that runs, if there is one.
            try:
                return self._new_child()
            except OSError:
                self._stop()  # It died since the last request.

            # 2. Ask a new process.
            try:
                return self._new_child()
            except OSError as error:
                self._stop()
                msg = f"the fork server died twice in a row: {error}"
                raise SandboxBroken(msg) from error

    def end(self, child: ChildProcess) -> ChildEnd:
        """Kill a child if it is alive, and return its exit code and CPU time (`ChildEnd`).

        If the process that forked it is gone, nobody knows these: `UNKNOWN_END`.
        """
        with self._lock:
            if self._process is None or child.generation != self._generation:
                # The kernel kills a child when the process that forked it ends.
                return UNKNOWN_END
            try:
                return self._end_child(child.pid)
            except OSError:
                self._stop()
                return UNKNOWN_END

    def close(self) -> None:
        """End the process, and its children with it."""
        with self._lock:
            self._stop()

    def _start(self) -> None:
        """Start the process if it does not run. Raises `SandboxBroken`."""
        if self._process is not None:
            return
        our_end, their_end = socket.socketpair()
        try:
            self._process = self._started(their_end.fileno())
        except OSError as error:
            our_end.close()
            msg = f"the fork server cannot be started: {error}"
            raise SandboxBroken(msg) from error
        finally:
            their_end.close()
        self._control = our_end
        self._kernel_parts = None
        self._generation += 1

    def _started(self, descriptor: int) -> subprocess.Popen[bytes]:
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
        with _fixed_addresses():
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

    def _ready(self) -> dict[str, str]:
        """Return the parts of the kernel layer once the process takes requests.

        Raises `SandboxBroken`.
        """
        self._start()
        if self._kernel_parts is not None:
            return self._kernel_parts
        try:
            self._kernel_parts = _kernel_parts_told_by(Connection(self._control))
        except SandboxBroken:
            self._stop()
            raise
        self._control.settimeout(_REPLY_TIMEOUT_S)
        return self._kernel_parts

    def _new_child(self) -> ChildProcess:
        """Return a new child.

        Raises `OSError` if the process is gone, and `SandboxBroken` if it cannot be started, or if
        this process can open no further connection.
        """
        self._ready()
        self._control.sendall(CHILD_REQUEST.pack(0))
        # The reply comes with a copy of a descriptor: the parent's end of the child's connection.
        record, descriptors, _, _ = socket.recv_fds(
            self._control, CHILD_REPLY.size, 1, _CLOSE_ON_EXEC
        )
        pid, *_ = _decoded(record)
        if not descriptors:
            # The connection was lost, because this process has no descriptor left for it.
            # The server still works, so it need not be stopped. It only ends the child.
            self._end_child(pid)
            msg = "this process can open no more files for the connections to its children (ulimit -n)"
            raise SandboxBroken(msg)

        os.set_inheritable(descriptors[0], False)
        connection = Connection(socket.socket(fileno=descriptors[0]))
        return ChildProcess(pid, connection, self.end, self._generation)

    def _end_child(self, pid: int) -> ChildEnd:
        """Kill a child if it is alive, and return how it ended.

        Raises `OSError` if the process is gone.
        """
        self._control.sendall(CHILD_REQUEST.pack(pid))
        record = self._control.recv(CHILD_REPLY.size, socket.MSG_WAITALL)
        _, exit_code, cpu_ms, peak_kib = _decoded(record)
        return ChildEnd(exit_code, cpu_ms / 1000, peak_kib * 1024 or None)

    def _stop(self) -> None:
        """End the process, if it runs; its children end with it."""
        if self._process is not None:
            self._control.close()
            self._process.kill()
            self._process.wait()
            self._process = None


def _kernel_parts_told_by(connection: Connection) -> dict[str, str]:
    """Wait for a process's message that it is ready, which has the parts of the kernel layer.

    Raises `SandboxBroken`.
    """
    deadline = time.monotonic() + _START_TIMEOUT_S
    try:
        body = connection.receive(bounds.MOST_REQUEST_BYTES, deadline)
        start = Message.decode(parsed_body(body)).body
    except (Closed, Overdue, Forged) as error:
        msg = f"the fork server ended before it was ready: {error}"
        raise SandboxBroken(msg) from error
    if isinstance(start, Failed):
        raise SandboxBroken(start.message)
    assert isinstance(
        start, Returned
    )  # The process, which runs no scripts, is trusted.
    kernel_parts: dict[str, str] = start.value
    return kernel_parts


def _decoded(record: bytes) -> tuple[int, int, int, int]:
    """Return the fields of a reply. Raises `OSError` if it is not whole."""
    if len(record) != CHILD_REPLY.size:
        msg = "the fork server is gone"
        raise OSError(msg)
    fields: tuple[int, int, int, int] = CHILD_REPLY.unpack(record)
    return fields


class ForkServer(contextlib.AbstractContextManager["ForkServer"]):
    """Makes the processes (children) of any number of trials. A context manager for any thread.

    Server processes, which have everything imported, fork the children. There is one for
    each of four kinds: for scripts or for workers, confined by the kernel or not. It is
    started when it is first needed.
    """

    def __init__(
        self, worker_modules: Iterable[str] = (), function_modules: Iterable[str] = ()
    ) -> None:
        """Name the modules to import before the isolation begins; it permits no import later.

        `Worker.call` may run functions of the `worker_modules`, and `Sandbox.compute` those
        of the `function_modules`.
        """
        self.worker_modules = tuple(worker_modules)
        self.function_modules = tuple(function_modules)
        self._processes: dict[tuple[bool, bool], _ServerProcess] = {}
        """One of each kind, by `with_kernel` and `for_workers`. None of them runs yet."""
        for with_kernel in (True, False):
            for for_workers in (True, False):
                modules = self.worker_modules if for_workers else self.function_modules
                self._processes[with_kernel, for_workers] = _ServerProcess(
                    modules, with_kernel=with_kernel, for_workers=for_workers
                )
        self._idle_workers: defaultdict[WorkerSetting, list[ChildProcess]] = (
            defaultdict(list)
        )
        """Children for workers that no trial uses at the moment."""

    def __exit__(self, *failure: object) -> None:
        self.close()

    def launch(self, *, with_kernel: bool = True) -> None:
        """Start the server processes that will be needed, without waiting for them.

        If one cannot be started, `spawn` raises the error.
        """
        for for_workers in (False, True):
            self._processes[with_kernel, for_workers].launch()

    def kernel_report(self) -> dict[str, str]:
        """Return which parts of the kernel layer work here: "" if one does, else why it does not.

        For example `{"seccomp": "", "user namespace": "unshare: EPERM (...)"}`.
        Starts the server process unless it runs. Raises `SandboxBroken`.
        """
        return self._processes[True, False].start()

    def spawn(
        self, *, with_kernel: bool = True, for_workers: bool = False
    ) -> ChildProcess:
        """Return a new child for scripts, or for a worker.

        A server process that died is started again once. If that one dies, too, raises
        `SandboxBroken`.
        """
        return self._processes[with_kernel, for_workers].spawn()

    def idle_worker(self, setting: WorkerSetting) -> ChildProcess | None:
        """Return a child that no trial uses at the moment; None if none has this setting.

        The caller has it for itself until `keep_idle_worker` takes it back.
        """
        while True:
            # `pop` alone, without asking before whether the list is empty: another
            # thread might take the last child in between.
            try:
                child = self._idle_workers[setting].pop()
            except IndexError:
                return None
            if not child.connection.has_unread():
                return child
            # It has died, or it sent something that nobody asked for. Try the next one.
            child.end()

    def keep_idle_worker(self, setting: WorkerSetting, child: ChildProcess) -> bool:
        """Keep a child for the next trial. Returns False if enough children are kept already."""
        children = self._idle_workers[setting]
        if len(children) >= _MAX_IDLE_WORKERS:
            return False
        children.append(child)
        return True

    def close(self) -> None:
        """End the server processes and every child."""
        for children in list(self._idle_workers.values()):
            for child in children:
                child.end()
        self._idle_workers.clear()
        for process in self._processes.values():
            process.close()


# Finds out which isolation layers work on this machine.
#
# The language and the process layer work everywhere. The kernel layer depends on the
# kernel, and in a container on what the container allows.

_NEEDED_OF_KERNEL: Final = ("no_new_privs", "seccomp")
"""The parts without which the kernel layer does not count as working: programs gain no
rights, and system calls are filtered. The others only add protection."""


class IsolationReport(NamedTuple):
    """The layers that work on this machine."""

    working: frozenset[Layer]
    parts: dict[str, str]
    """The parts of the kernel layer: "" for a part that works, else the reason why not."""


def working_layers(server: ForkServer) -> IsolationReport:
    """Return which layers work. Starts a server process if none runs. Raises `SandboxBroken`."""
    parts = server.kernel_report()
    has_kernel = all(parts.get(part) == "" for part in _NEEDED_OF_KERNEL)
    working = ALL_LAYERS if has_kernel else ALL_LAYERS - {Layer.KERNEL}
    return IsolationReport(working, parts)


def missing_layer(server: ForkServer, wanted: frozenset[Layer]) -> str:
    """Return the error message if a wanted layer does not work here; empty if all work.

    It says why, how to repair it, and how to run without the layer. Raises `SandboxBroken`.
    """
    if Layer.KERNEL not in wanted:
        # The other layers work everywhere, so there is no need to start a server.
        return ""
    report = working_layers(server)
    if Layer.KERNEL in report.working:
        return ""

    reasons = []
    for part in (*_NEEDED_OF_KERNEL, "kernel"):
        reason = report.parts.get(part)
        if reason:
            reasons.append(f"{part}: {reason}")
    remaining_layers = [layer for layer in Layer if layer in wanted & report.working]
    choice = ",".join(remaining_layers) or "none"
    return (
        f"the kernel layer does not work here ({'; '.join(reasons)}), and untrusted scripts need "
        "it; to repair it, see `python -m controlplane.sandbox doctor`; to run without it, at your "
        f"own risk: --isolation {choice}"
    )
