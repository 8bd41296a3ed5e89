"""Makes the processes of trials, calls functions in their workers, and reports which layers work.

Children are forked from server processes, which are started by exec, asked over a control socket, and started again
once if they died. A worker computes on untrusted data; one that overruns is killed and made again at the next call.
Thread-safe; usable from a process with many threads, because nothing here forks.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

import controlplane
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import INTERNAL, RESOURCE_EXHAUSTED, CallError
from controlplane.sandbox.interface.frames import (
    REPLY,
    REQUEST,
    Closed,
    Forged,
    FrameReader,
    Overdue,
    json_bytes,
    limit_wait,
    read_message,
    send_body,
    send_frame,
)
from controlplane.sandbox.interface.host import ALL_LAYERS, Layer, WorkerLimits
from controlplane.sandbox.interface.operations import Plain

_CLOSED_ON_EXEC: Final = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
"""Set at once, so that no program started by another thread inherits the socket of a child."""
_PERSONALITY, _NO_RANDOM_ADDRESSES = 0xFFFFFFFF, 0x0040000
"""The request for this thread's personality, and the flag in it."""

_BOOT: Final = (
    "import gc,sys;gc.disable();sys.path+={paths!r};"
    "getattr(sys,'set_lazy_imports_filter',id)(lambda *asked:False);"
    "from controlplane.sandbox.child.fork_server_process import main;"
    "main({descriptor},with_kernel={with_kernel},modules={modules!r},for_workers={for_workers})"
)
"""From Python 3.15 on, imports may be lazy; the filter makes all of them at once, because a child cannot read files."""
_ENVIRONMENT: Final = {
    "PYTHONHASHSEED": "0",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    "PYTHONUTF8": "1",
    "LD_BIND_NOW": "1",  # Otherwise every child looks up the C library's functions at their first use.
}


class SandboxBroken(Exception):
    """The sandbox itself does not work: its server cannot be started, or died twice in a row."""

    leaves_step = True


class ChildEnd(NamedTuple):
    """The end of a child."""

    code: int | None
    """Its exit code (negative: a signal), or None if its server is gone."""
    cpu_s: float


UNKNOWN_END: Final = ChildEnd(None, 0.0)


@dataclass(frozen=True, slots=True)
class ChildProcess:
    """A child that waits for its first message."""

    pid: int
    connection: socket.socket
    reader: FrameReader
    """Receives the child's messages over the connection."""
    server: ServerProcess
    generation: int
    """The number of the server process's start that made the child."""
    busy_s: float = 0.0
    """Seconds of the calls that the child has served."""

    def end(self) -> ChildEnd:
        """Kill the child if it is alive, close its connection, and return how it ended."""
        end = self.server.end(
            self
        )  # First, so that the child does not wake to find its connection closed.
        self.connection.close()
        return end


class WorkerSetting(NamedTuple):
    """The isolation and limits of a worker's process."""

    with_kernel: bool
    limits: WorkerLimits


class ForkServer(contextlib.AbstractContextManager["ForkServer"]):
    """Makes the processes of any number of trials; a context manager.

    It has a server process for scripts and one for workers, each with and without the kernel layer; one starts when it
    is first needed. `worker_modules` are imported for workers before the isolation begins: `Worker.call` may name their
    functions. `function_modules` are imported so for scripts: `Sandbox.compute` may name their functions.
    """

    def __init__(
        self, worker_modules: Iterable[str] = (), function_modules: Iterable[str] = ()
    ) -> None:
        self.worker_modules, self.function_modules = tuple(worker_modules), tuple(function_modules)
        self._processes = {
            (kernel, for_workers): ServerProcess(
                modules, with_kernel=kernel, for_workers=for_workers
            )
            for kernel in (True, False)
            for for_workers, modules in (
                (False, self.function_modules),
                (True, self.worker_modules),
            )
        }
        self.idle: defaultdict[WorkerSetting, list[ChildProcess]] = defaultdict(list)
        """Workers between calls, which serve any trial with the same setting."""

    def __exit__(self, *failure: object) -> None:
        self.close()

    def launch(self, *, with_kernel: bool = True) -> None:
        """Start the server processes that will be needed, without waiting for them. Failures show at `spawn`."""
        for for_workers in (False, True):
            self._processes[with_kernel, for_workers].launch()

    def kernel_report(self) -> dict[str, str]:
        """Return the parts of the kernel layer: "" for a part that works, else the reason why it does not.

        Starts the server process unless it runs. Raises `SandboxBroken`."""
        return self._processes[True, False].start()

    def spawn(self, *, with_kernel: bool = True, for_workers: bool = False) -> ChildProcess:
        """Return a ready child for scripts, or for a worker. A server process that died is started again once.

        Raises `SandboxBroken`."""
        return self._processes[with_kernel, for_workers].spawn()

    def idle_worker(self, setting: WorkerSetting) -> ChildProcess | None:
        """Return the child of a worker between calls, if there is one."""
        with contextlib.suppress(IndexError):
            while True:
                child = self.idle[setting].pop()
                if not child.reader.has_unread():
                    return child
                child.end()
        return None

    def close(self) -> None:
        """End the server processes and every child."""
        for child in itertools.chain.from_iterable(self.idle.values()):
            child.end()
        self.idle.clear()
        for process in self._processes.values():
            process.close()


class ServerProcess:
    """One process from which children are forked, and the lock around its control socket."""

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

    def launch(self) -> None:
        with self._lock, contextlib.suppress(SandboxBroken):
            self._launched()

    def start(self) -> dict[str, str]:
        with self._lock:
            self._make_ready()
            return dict(self._report)

    def spawn(self) -> ChildProcess:
        with self._lock:
            for attempt in (1, 2):
                control = self._make_ready()
                try:
                    return self._ask_for_child(control)
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

    def _launched(self) -> socket.socket:
        """Return the control socket of the process, which is started if it does not run."""
        if self._control is not None:
            return self._control
        ours, theirs = socket.socketpair()
        try:
            options = {
                "descriptor": theirs.fileno(),
                "with_kernel": self._with_kernel,
                "for_workers": self._for_workers,
            }
            boot = _BOOT.format(
                paths=_search_paths(self._modules), modules=self._modules, **options
            )
            with fixed_addresses():
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-s", "-S", "-W", "ignore", "-c", boot],
                    pass_fds=(theirs.fileno(),),
                    env=_ENVIRONMENT,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    cwd="/",
                    process_group=0,  # Ctrl-C at the terminal must not reach it, not even while it starts.
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

    def _make_ready(self) -> socket.socket:
        """Return the control socket of a process that takes requests, started now if it does not run."""
        control = self._launched()
        if self._is_ready:
            return control
        try:
            kind, report = FrameReader(control).receive(
                bounds.MOST_REQUEST_BYTES, time.monotonic() + 20.0
            )
        except (Closed, Overdue, Forged) as error:
            self._stop()
            msg = f"the fork server ended before it was ready: {error}"
            raise SandboxBroken(msg) from error
        if kind == "broken":
            self._stop()
            raise SandboxBroken(report)
        self._report = report
        control.settimeout(10.0)
        self._is_ready = True
        return control

    def _ask_for_child(self, control: socket.socket) -> ChildProcess:
        control.sendall(REQUEST.pack(b"+", 0))
        reply, descriptors, _, _ = socket.recv_fds(control, REPLY.size, 1, _CLOSED_ON_EXEC)
        if len(reply) != REPLY.size:
            msg = "the fork server is gone"
            raise OSError(msg)
        pid = REPLY.unpack(reply)[0]
        if not descriptors:  # The connection was lost on this side; the server works.
            control.sendall(REQUEST.pack(b"-", pid))
            control.recv(REPLY.size, socket.MSG_WAITALL)
            msg = "this process can open no more files for the connections to its children (ulimit -n)"
            raise SandboxBroken(msg)
        os.set_inheritable(descriptors[0], False)
        connection = socket.socket(fileno=descriptors[0])
        return ChildProcess(pid, connection, FrameReader(connection), self, self._generation)

    def _stop(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@contextlib.contextmanager
def fixed_addresses() -> Iterator[None]:
    """Start programs of this thread meanwhile without random addresses, where the kernel allows it.

    The hash of a type is its address, so sets of types have one order in every run then.
    """
    personality: Callable[[int], int] = getattr(ctypes.CDLL(None), "personality", lambda flags: -1)
    before = personality(_PERSONALITY)
    if before != -1:
        personality(before | _NO_RANDOM_ADDRESSES)
    try:
        yield
    finally:
        if before != -1:
            personality(before)


def _search_paths(modules: tuple[str, ...]) -> list[str]:
    """Return where a server process finds our packages and these modules, which may be a user's own."""
    spec = find_spec("RestrictedPython")
    if spec is None or spec.origin is None:
        msg = "the package RestrictedPython is not installed here"
        raise SandboxBroken(msg)
    paths = [
        str(Path(controlplane.__file__).absolute().parents[1]),
        str(Path(spec.origin).resolve().parent.parent),
    ]
    if modules:
        specs = [find_spec(module.partition(".")[0]) for module in modules]
        places = [
            place
            for spec in specs
            if spec
            for place in spec.submodule_search_locations or [spec.origin or ""]
        ]
        paths += [
            str(Path(entry).resolve())
            for entry in (*sys.path, *(str(Path(place).parent) for place in places))
        ]
    return list(dict.fromkeys(paths))


DEFAULT_LIMITS: Final = WorkerLimits()
Serve: TypeAlias = Callable[[list[Any]], Plain]
"""Answers a question that a function asks while it runs. May raise `CallError`."""


def _serve_nothing(question: list[Any]) -> Plain:
    raise CallError(INTERNAL, "nothing may be asked inside this call")


class Worker(contextlib.AbstractContextManager["Worker"]):
    """The worker of one trial; its process starts at the first call. A context manager. Any thread may call; calls are
    made one after another."""

    def __init__(
        self,
        server: ForkServer,
        *,
        isolation: frozenset[Layer] = ALL_LAYERS,
        limits: WorkerLimits = DEFAULT_LIMITS,
        is_shared: bool = False,
    ) -> None:
        """With `is_shared`, the process serves other trials between calls, unless it was prepared for this one: the
        called functions keep nothing."""
        self._server = server
        self._setting = WorkerSetting(Layer.KERNEL in isolation, limits)
        self._limits = limits
        self._is_shared = is_shared
        self._lock = threading.RLock()
        self._child: ChildProcess | None = None
        self._starting: list[Callable[[], None]] = []
        self._cpu_s = 0.0

    def __exit__(self, *failure: object) -> None:
        self.close()

    def when_started(self, prepare: Callable[[], None]) -> None:
        """Have `prepare` called whenever a process has been made, before the first call of the process."""
        with self._lock:
            self._starting.append(prepare)
            if self._child is not None:
                prepare()

    def call(self, function: str, *arguments: Any, serve: Serve = _serve_nothing) -> Any:
        """Run `function` (`module:name`, of a module that the server was given) in the worker and return its result.

        Raises `CallError`: the function's own; `resource_exhausted` if it overruns; `internal` if it fails or dies. A
        module that the server was not given is a `LookupError`.
        """
        if function.partition(":")[0] not in self._server.worker_modules:
            msg = f"the fork server was not given the module of {function}"
            raise LookupError(msg)
        with self._lock:
            if self._cpu_s > self._limits.trial_cpu_s:
                msg = (
                    f"the calls of this trial used more than {self._limits.trial_cpu_s:g} s of CPU"
                )
                raise CallError(RESOURCE_EXHAUSTED, msg)
            began = time.monotonic()
            try:
                value = self._converse(["call", function, list(arguments)], serve)
            except Overdue:
                what = f"the call took longer than {self._limits.call_wall_s:g} s and was ended"
                self._fail(RESOURCE_EXHAUSTED, what)
            except Forged as error:
                self._fail(INTERNAL, f"the process that worked on the call sent {error}")
            except Closed:
                raise _death(self._drop(), self._limits.call_cpu_s) from None
            except CallError:
                raise
            except BaseException:
                self._drop()  # The process may still be in the middle of the call.
                raise
            self._pass_on(time.monotonic() - began)
            return value

    def close(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            self._drop()

    def _pass_on(self, busy_s: float) -> None:
        """Leave the process to the next call of any trial, if it may serve one."""
        child = self._child
        if child is None or not self._is_shared or self._starting:
            return
        self._child = child = replace(child, busy_s=child.busy_s + busy_s)
        idle = self._server.idle[self._setting]
        # After a second of calls a process serves no other trial, since the limit on CPU is the process's own; each
        # of those that wait for a call takes memory.
        if child.busy_s <= 1.0 and len(idle) < 2:
            self._child = None
            idle.append(child)

    def _converse(self, message: list[Plain], serve: Serve) -> Any:
        child = self._ready()
        deadline = time.monotonic() + self._limits.call_wall_s
        self._send(child, message, deadline)
        for _ in range(self._limits.call_questions + 1):
            body = child.reader.receive_body(self._limits.reply_bytes, deadline)
            match read_message(body):
                case ["done", value]:
                    return value
                case ["failed", str(code), str(text)]:
                    raise CallError(code, text)
                case ["broken", str(code), str(text)]:
                    self._fail(code, text)  # The function's data may be half changed.
                case ["ask", list(question)]:
                    self._tell(child, serve, question, deadline)
                case _:
                    msg = "a message of another form"
                    raise Forged(msg)
        return self._fail(
            RESOURCE_EXHAUSTED,
            f"the call needs more than {self._limits.call_questions} files or batches of files; narrow it to a folder",
        )

    def _tell(
        self, child: ChildProcess, serve: Serve, question: list[Any], deadline: float
    ) -> None:
        try:
            answer = serve(question)
        except CallError as error:
            self._send(child, ["refused", error.code, error.message], deadline)
            return
        self._send(child, ["told", answer], deadline)

    def _send(self, child: ChildProcess, message: list[Plain], deadline: float) -> None:
        limit_wait(child.connection, deadline)
        try:
            send_body(child.connection, json_bytes(message), self._limits.message_bytes)
        except ValueError as error:
            if message[0] != "call":
                self._drop()  # The process waits for its answer.
            raise CallError(RESOURCE_EXHAUSTED, str(error)) from None

    def _ready(self) -> ChildProcess:
        if self._child is None:
            idle = self._server.idle_worker(self._setting) if self._is_shared else None
            self._child = idle or self._server.spawn(
                with_kernel=self._setting.with_kernel, for_workers=True
            )
            left = self._limits._replace(trial_cpu_s=self._limits.trial_cpu_s - self._cpu_s)
            message: list[Plain] = ["setting", left._asdict(), self._setting.with_kernel]
            send_frame(self._child.connection, message, bounds.MOST_REQUEST_BYTES)
            for prepare in self._starting:
                prepare()
        return self._child

    def _fail(self, code: str, message: str) -> NoReturn:
        """End the process, and raise the failure of its call."""
        self._drop()
        raise CallError(code, message) from None

    def _drop(self) -> ChildEnd:
        child, self._child = self._child, None
        end = UNKNOWN_END if child is None else child.end()
        self._cpu_s += end.cpu_s
        return end


def _death(end: ChildEnd, cpu_s: float) -> CallError:
    if end.code == -signal.SIGPROF:
        return CallError(RESOURCE_EXHAUSTED, f"the call used more than {cpu_s:.2g} s of CPU")
    if end.code == -signal.SIGXCPU:
        return CallError(RESOURCE_EXHAUSTED, "the calls of this trial used too much CPU")
    return CallError(INTERNAL, "the process that worked on the call died")


NEEDED_OF_KERNEL: Final = ("no_new_privs", "seccomp")
"""The parts that the kernel layer needs to count as working; the others add depth."""


class IsolationReport(NamedTuple):
    """The layers that work on this machine."""

    working: frozenset[Layer]
    parts: dict[str, str]
    """The parts of the kernel layer: "" for a part that works, else the reason why it does not."""


def working_layers(server: ForkServer) -> IsolationReport:
    """Return which layers work, as a server finds when it starts. Raises `SandboxBroken`."""
    parts = server.kernel_report()
    has_kernel = all(parts.get(part, "missing") == "" for part in NEEDED_OF_KERNEL)
    return IsolationReport(ALL_LAYERS if has_kernel else ALL_LAYERS - {Layer.KERNEL}, parts)


def missing_layer(server: ForkServer, wanted: frozenset[Layer]) -> str:
    """Return which wanted layer does not work, why, and how to do without it; empty if all work.

    The first two work everywhere, so only the kernel layer waits for the server. Raises `SandboxBroken`.
    """
    if Layer.KERNEL not in wanted:
        return ""
    report = working_layers(server)
    if Layer.KERNEL in report.working:
        return ""
    decisive = {part: report.parts.get(part, "") for part in (*NEEDED_OF_KERNEL, "kernel")}
    reasons = "; ".join(f"{part}: {reason}" for part, reason in decisive.items() if reason)
    fewer = ",".join(layer for layer in Layer if layer in wanted & report.working) or "none"
    return (
        f"the kernel layer does not work here ({reasons}), and untrusted scripts need it; to repair it, see "
        f"`python -m controlplane.sandbox doctor`; to run without it, at your own risk: --isolation {fewer}"
    )
