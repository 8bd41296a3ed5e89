"""The parent's handle on a trial's worker, the process that computes on untrusted data.

The parent sends a bounded message and waits for a bounded one. A worker that overruns is killed and made again at the
next call; the overrunning call fails, and the trial goes on.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Final, NoReturn, TypeAlias

from sandbox.interface.error_codes import INTERNAL, RESOURCE_EXHAUSTED, CallError
from sandbox.interface.frames import (
    Closed,
    Forged,
    Overdue,
    json_bytes,
    limit_wait,
    read_message,
    send_body,
    send_frame,
)
from sandbox.interface.host import ALL_LAYERS, Layer, WorkerLimits
from sandbox.interface.operations import Plain
from sandbox.parent.fork_server import UNKNOWN_END, ChildEnd, ChildProcess, ForkServer, WorkerSetting

DEFAULT_LIMITS: Final = WorkerLimits()


Serve: TypeAlias = Callable[[list[Any]], Plain]
"""Answers a question that a function asks while it runs. May raise `CallError`."""


def _serve_nothing(question: list[Any]) -> Plain:
    raise CallError(INTERNAL, "nothing may be asked inside this call")


class Worker(AbstractContextManager["Worker"]):
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
                msg = f"the calls of this trial used more than {self._limits.trial_cpu_s:g} s of CPU"
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

    def _tell(self, child: ChildProcess, serve: Serve, question: list[Any], deadline: float) -> None:
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
            self._child = idle or self._server.spawn(with_kernel=self._setting.with_kernel, for_workers=True)
            left = self._limits._replace(trial_cpu_s=self._limits.trial_cpu_s - self._cpu_s)
            send_frame(self._child.connection, ["setting", left._asdict(), self._setting.with_kernel], 1 << 16)
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
