"""`Worker`: runs our own functions on untrusted data, such as PDF files, in an isolated process.

A trial that needs no call has no process. A call that takes too long or breaks ends the
process; the next call starts another one. While a function runs, it may ask questions
that `serve` answers, for example for the text of a file.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeAlias

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    INTERNAL,
    RESOURCE_EXHAUSTED,
    CallError,
)
from controlplane.sandbox.interface.frames import (
    Closed,
    Forged,
    Overdue,
    TooLong,
    limit_wait,
    read_message,
    send_body,
    send_frame,
)
from controlplane.sandbox.interface.host import ALL_LAYERS, Layer, WorkerLimits
from controlplane.sandbox.interface.json_documents import json_bytes
from controlplane.sandbox.interface.message_fields import MessageFields
from controlplane.sandbox.interface.operations import Plain
from controlplane.sandbox.interface.worker_messages import (
    FunctionCall,
    FunctionError,
    FunctionResult,
    Question,
    QuestionAnswer,
    QuestionRefusal,
    ToWorker,
    WorkerSetup,
    decode_from_worker,
)
from controlplane.sandbox.parent.child_process import (
    UNKNOWN_END,
    ChildEnd,
    ChildProcess,
)
from controlplane.sandbox.parent.fork_server import ForkServer, WorkerSetting

DEFAULT_LIMITS: Final = WorkerLimits()

_MAX_SHARED_S: Final = 1.0
"""A process that used more seconds is not shared with other trials: the kernel
limits the total CPU time of a process, so a later trial would have less."""

Serve: TypeAlias = Callable[[list[Any]], Plain]
"""Answers a question of the running function, such as the paths of files whose texts
it needs: `["/a.md", "/b.md"]`. May raise `CallError`."""


def _serve_nothing(question: list[Any]) -> Plain:
    """Refuse every question: the default for functions that ask none."""
    raise CallError(INTERNAL, "nothing may be asked inside this call")


class ProcessMustEnd(CallError):
    """A call failed, and its process cannot be used for another call."""


class Worker(contextlib.AbstractContextManager["Worker"]):
    """The worker of one trial. A context manager; usable from any thread, one call at a time."""

    def __init__(
        self,
        server: ForkServer,
        *,
        isolation: frozenset[Layer] = ALL_LAYERS,
        limits: WorkerLimits = DEFAULT_LIMITS,
        is_shared: bool = False,
    ) -> None:
        """Nothing is started yet: the process starts at the first call.

        With `is_shared`, another trial may use the process between two calls, so the
        called functions must not keep data in it. Otherwise, or if `when_started` was
        called, no other trial uses the process.
        """
        self._server = server
        self._setting = WorkerSetting(Layer.KERNEL in isolation, limits)
        """Only workers with the same setting may share a process."""
        self._limits = limits
        self._is_shared = is_shared
        self._lock = threading.RLock()
        """Reentrant, because a function given to `when_started`
        makes calls while a call waits for the process."""
        self._child: ChildProcess | None = None
        self._preparations: list[Callable[[], None]] = []
        """The functions given to `when_started`."""
        self._cpu_s = 0.0
        """CPU seconds of the processes that have ended."""

    def __exit__(self, *failure: object) -> None:
        self.close()

    def when_started(self, prepare: Callable[[], None]) -> None:
        """Call `prepare` whenever a process has started, and now if one is running."""
        with self._lock:
            self._preparations.append(prepare)
            if self._child is not None:
                prepare()

    def call(
        self, function: str, *arguments: Any, serve: Serve = _serve_nothing
    ) -> Any:
        """Run `function` (`module:name`) in the process and return its result.

        Raises `CallError`: that of the function, or with the code `resource_exhausted`
        if the function takes too long, or `internal` if it raises anything else
        or its process dies. Raises `LookupError` for a module that the fork
        server was not given.
        """
        module = function.partition(":")[0]
        if module not in self._server.worker_modules:
            msg = f"the fork server was not given the module of {function}"
            raise LookupError(msg)
        with self._lock:
            if self._cpu_s > self._limits.trial_cpu_s:
                maximum = f"{self._limits.trial_cpu_s:g} s of CPU"
                message = f"the calls of this trial used more than {maximum}"
                raise CallError(RESOURCE_EXHAUSTED, message)
            began = time.monotonic()
            value = self._call(FunctionCall(function, list(arguments)), serve)
            busy_s = time.monotonic() - began
            if self._is_shared and not self._preparations:
                self._leave_process_to_others(busy_s)
            return value

    def close(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            self._end_process()

    # Methods that need the lock

    def _call(self, call: FunctionCall, serve: Serve) -> Any:
        """Make a call, and end the process if it cannot be used again. Raises `CallError`."""
        try:
            return self._converse(call, serve)

        # 1. The call took too long, or its process sent something wrong, died, or is damaged.
        except Overdue:
            self._end_process()
            text = f"the call took longer than {self._limits.call_wall_s:g} s and was ended"
            raise CallError(RESOURCE_EXHAUSTED, text) from None
        except Forged as error:
            self._end_process()
            text = f"the process that worked on the call sent {error}"
            raise CallError(INTERNAL, text) from None
        except Closed:
            end = self._end_process()
            raise _error_of_death(end, self._limits.call_cpu_s) from None
        except ProcessMustEnd as error:
            self._end_process()
            raise CallError(error.code, error.message) from None

        # 2. The function failed in an orderly way. Its process can be used again.
        except CallError:
            raise

        # 3. Anything else, such as Ctrl-C. The process may still be in the middle of the call.
        except BaseException:
            self._end_process()
            raise

    def _converse(self, call: FunctionCall, serve: Serve) -> Any:
        """Send a call, answer the questions of its function, and return its result."""
        child = self._ready_child()
        deadline = time.monotonic() + self._limits.call_wall_s
        try:
            self._send(child, call, deadline)
        except TooLong as error:
            raise CallError(RESOURCE_EXHAUSTED, str(error)) from None

        # After the last permitted question, the result may still come. So the loop goes
        # on for one message more, and ends only if that is a question, too.
        answered_questions = 0
        while answered_questions <= self._limits.call_questions:
            body = child.reader.receive_body(self._limits.reply_bytes, deadline)
            match decode_from_worker(MessageFields(read_message(body))):
                case FunctionResult(value):
                    return value
                case FunctionError(code, text, process_must_end):
                    if process_must_end:
                        raise ProcessMustEnd(code, text)
                    raise CallError(code, text)
                case Question(arguments):
                    answered_questions += 1
                    self._answer_question(child, serve, arguments, deadline)

        # In all calls that ask questions, each is for a file or a batch of files.
        raise ProcessMustEnd(
            RESOURCE_EXHAUSTED,
            f"the call needs more than {self._limits.call_questions} files or batches of files; "
            "narrow it to a folder",
        )

    def _answer_question(
        self, child: ChildProcess, serve: Serve, question: list[Any], deadline: float
    ) -> None:
        """Answer a question of the running function by `serve`, or refuse it if `serve` raises."""
        answer: QuestionAnswer | QuestionRefusal
        try:
            answer = QuestionAnswer(serve(question))
        except CallError as error:
            answer = QuestionRefusal(error.code, error.message)
        try:
            self._send(child, answer, deadline)
        except TooLong as error:
            # The process waits for an answer that cannot be sent.
            raise ProcessMustEnd(RESOURCE_EXHAUSTED, str(error)) from None

    def _send(self, child: ChildProcess, message: ToWorker, deadline: float) -> None:
        limit_wait(child.connection, deadline)
        send_body(
            child.connection, json_bytes(message.encode()), self._limits.message_bytes
        )

    def _ready_child(self) -> ChildProcess:
        """Return the process, and start one if there is none. Raises `SandboxBroken`."""
        if self._child is not None:
            return self._child

        # 1. Take over a process that another trial left, or start a new one.
        child = None
        if self._is_shared:
            child = self._server.idle_worker(self._setting)
        if child is None:
            child = self._server.spawn(
                with_kernel=self._setting.with_kernel, for_workers=True
            )

        # The functions of step 3 make calls, which call this method again. It must then
        # return the same process, so store the process now.
        self._child = child

        # 2. Send it the limits, less the CPU time of the trial's earlier processes.
        remaining_cpu_s = self._limits.trial_cpu_s - self._cpu_s
        remaining_limits = self._limits._replace(trial_cpu_s=remaining_cpu_s)
        setup = WorkerSetup(remaining_limits, self._setting.with_kernel)
        send_frame(child.connection, setup.encode(), bounds.MOST_REQUEST_BYTES)

        # 3. Let the owner of the worker load its data (`when_started`).
        for prepare in self._preparations:
            prepare()
        return child

    def _leave_process_to_others(self, busy_s: float) -> None:
        """Give the process back to the fork server, for the next call of any trial.

        `busy_s` is the duration of the last call. This trial keeps the process if it was
        used for too long, or if the server has enough idle processes already.
        """
        if self._child is None:
            return
        child = replace(self._child, busy_s=self._child.busy_s + busy_s)
        self._child = child
        if child.busy_s > _MAX_SHARED_S:
            return
        is_given_back = self._server.keep_idle_worker(self._setting, child)
        if is_given_back:
            self._child = None

    def _end_process(self) -> ChildEnd:
        """End the process, if there is one, and add its CPU time to that of the trial."""
        child = self._child
        self._child = None
        end = UNKNOWN_END if child is None else child.end()
        self._cpu_s += end.cpu_s
        return end


def _error_of_death(end: ChildEnd, call_cpu_s: float) -> CallError:
    """Return the error of a call whose process died.

    The kernel ends a process that exceeds the CPU time of a call by `SIGPROF`, and one
    that exceeds that of the trial by `SIGXCPU`.
    """
    if end.code == -signal.SIGPROF:
        message = f"the call used more than {call_cpu_s:.2g} s of CPU"
        return CallError(RESOURCE_EXHAUSTED, message)
    if end.code == -signal.SIGXCPU:
        return CallError(
            RESOURCE_EXHAUSTED, "the calls of this trial used too much CPU"
        )
    return CallError(INTERNAL, "the process that worked on the call died")
