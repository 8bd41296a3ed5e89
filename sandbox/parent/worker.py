"""`Worker`: runs our own functions on untrusted data, such as PDF files, in an isolated process.

A call names a function, as in `worker.call("package.pdf:text_of", data)`. The first call starts
the process. A call that takes too long or breaks ends it, and the next one starts another.

The process cannot read files. So while a function runs, it may ask its caller: a search asks
`["/a.md", "/b.md"]`, and gets the texts of these files. The caller of `Worker.call` passes the
function `serve`, which answers such questions in this process.
"""

from __future__ import annotations

import contextlib
import math
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
from controlplane.sandbox.interface.isolation_layers import ALL_LAYERS, Layer
from controlplane.sandbox.interface.json_documents import json_bytes
from controlplane.sandbox.interface.limits import WorkerLimits
from controlplane.sandbox.interface.messages.frames import (
    Closed,
    Forged,
    Overdue,
    TooLong,
    limit_wait,
    send_body,
    send_frame,
)
from controlplane.sandbox.interface.messages.message_fields import (
    MessageFields,
    read_message,
)
from controlplane.sandbox.interface.messages.worker_messages import (
    FunctionCall,
    FunctionError,
    FunctionQuestion,
    QuestionAnswer,
    QuestionRefusal,
    ReturnedValue,
    ToWorker,
    WorkerSetup,
    decode_from_worker,
)
from controlplane.sandbox.interface.parameters import Plain
from controlplane.sandbox.parent.child_process import (
    UNKNOWN_END,
    ChildEnd,
    ChildProcess,
)
from controlplane.sandbox.parent.fork_server import ForkServer, WorkerSetting

# The process of a worker: started when it is needed, and perhaps shared with other trials.

_MAX_SHARED_S: Final = 1.0
"""A process that used more seconds is not shared with other trials: the kernel
limits the total CPU time of a process, so a later trial would have less."""


class _WorkerChild:
    """Starts, shares and ends the process in which a worker runs functions for one trial.

    The trial may have several, one after another. Their CPU time is added up, since its
    limit is that of the trial. Between two calls, another trial may use a shared process.
    """

    def __init__(
        self, server: ForkServer, setting: WorkerSetting, *, is_shared: bool
    ) -> None:
        self._server = server
        """Forks processes, and keeps those that no trial uses at the moment."""
        self._setting = setting
        """The limits of the process. Only workers with the same setting may share one."""
        self._is_shared = is_shared
        """True if another trial may use the process between two calls."""
        self._child: ChildProcess | None = None
        """The present process; None if there is none, or if it was left to others."""
        self._preparations: list[Callable[[], None]] = []
        """Called whenever a process has started."""
        self._cpu_s = 0.0
        """CPU seconds of the processes that have ended."""

    @property
    def is_time_over(self) -> bool:
        """True if the trial has used all its CPU time."""
        return self._cpu_s > self._setting.limits.trial_cpu_s

    def when_started(self, prepare: Callable[[], None]) -> None:
        """Call `prepare` whenever a process has started, and now if one is running."""
        self._preparations.append(prepare)
        if self._child is not None:
            prepare()

    def ready(self) -> ChildProcess:
        """Return the process. If there is none, start one and prepare it for the trial.

        Raises `SandboxBroken` if none can be started.
        """
        if self._child is not None:
            return self._child

        # The preparations below make calls, which call this method again. It must then return
        # this process and not start another, so the process is stored now.
        child = self._idle_or_new_child()
        self._child = child

        # Send it the limits, less the CPU time of the trial's earlier processes.
        limits = self._setting.limits
        remaining_cpu_s = limits.trial_cpu_s - self._cpu_s
        remaining_limits = limits._replace(trial_cpu_s=remaining_cpu_s)
        setup = WorkerSetup(remaining_limits, self._setting.with_kernel)
        send_frame(child.connection, setup.encode(), bounds.MOST_REQUEST_BYTES)

        for prepare in self._preparations:
            prepare()
        return child

    def _idle_or_new_child(self) -> ChildProcess:
        """Take over a process that another trial left, or start a new one."""
        if self._is_shared:
            child = self._server.idle_worker(self._setting)
            if child is not None:
                return child
        return self._server.spawn(
            with_kernel=self._setting.with_kernel, for_workers=True
        )

    def leave_to_others(self, busy_s: float) -> None:
        """Give a shared process back to the fork server, for the next call of any trial.

        `busy_s` is the duration of the last call. This trial keeps the process in three cases:
        it was prepared with data of this trial, it has worked for too long, or the server has
        enough idle processes already.
        """
        if not self._is_shared or self._preparations or self._child is None:
            return
        # `busy_s` of the process counts all its calls, also those of other trials.
        child = replace(self._child, busy_s=self._child.busy_s + busy_s)
        self._child = child
        if child.busy_s > _MAX_SHARED_S:
            return
        is_given_back = self._server.keep_idle_worker(self._setting, child)
        if is_given_back:
            self._child = None

    def end(self) -> ChildEnd:
        """End the process, if there is one, and add its CPU time to that of the trial."""
        child = self._child
        self._child = None
        end = UNKNOWN_END if child is None else child.end()
        self._cpu_s += end.cpu_s
        return end


# The messages of one call of a worker: the call, questions of its function, and the result.
#
# The process is isolated, so a function that needs the text of a file asks for it. The parent
# answers by `serve`, which the caller passes.

Serve: TypeAlias = Callable[[list[Any]], Plain]
"""Answers a question of the running function, such as the paths of files whose texts
it needs: `["/a.md", "/b.md"]`. May raise `CallError`."""


def _serve_nothing(question: list[Any]) -> Plain:
    """Refuse every question: for functions that ask none."""
    raise CallError(INTERNAL, "nothing may be asked inside this call")


class _ProcessMustEnd(CallError):
    """A call failed, and its process cannot be used for another call."""


class _WorkerExchange:
    """Exchanges the messages of one call with the isolated process of a worker.

    The call is sent. Before its result comes, the function may ask questions, such as for the
    texts of files: each is answered by `serve`. All of it has one deadline.
    """

    def __init__(self, child: ChildProcess, limits: WorkerLimits, serve: Serve) -> None:
        self._child = child
        self._limits = limits
        self._serve = serve
        self._deadline = time.monotonic() + limits.call_wall_s

    def result_of(self, call: FunctionCall) -> Any:
        """Send a call, answer the questions of its function, and return its result.

        Raises `CallError` if the function fails, and `_ProcessMustEnd` if the process cannot be
        used again. `Overdue`, `Forged` and `Closed` mean that the process itself is lost.
        """
        try:
            self._send(call)
        except TooLong as error:
            raise CallError(RESOURCE_EXHAUSTED, str(error)) from None

        # After the last permitted question, the result may still come. So the loop goes
        # on for one message more, and ends only if that is a question, too.
        answered_questions = 0
        while answered_questions <= self._limits.call_questions:
            body = self._child.reader.receive_body(
                self._limits.reply_bytes, self._deadline
            )
            match decode_from_worker(MessageFields(read_message(body))):
                case ReturnedValue(value):
                    return value
                case FunctionError(code, text, process_must_end):
                    if process_must_end:
                        raise _ProcessMustEnd(code, text)
                    raise CallError(code, text)
                case FunctionQuestion(arguments):
                    answered_questions += 1
                    self._answer_question(arguments)

        # The message speaks of files, because all functions that ask do so for files.
        raise _ProcessMustEnd(
            RESOURCE_EXHAUSTED,
            f"the call needs more than {self._limits.call_questions} files or batches of files; "
            "narrow it to a folder",
        )

    def _answer_question(self, question: list[Any]) -> None:
        """Answer a question of the running function by `serve`, or refuse it if `serve` raises."""
        answer: QuestionAnswer | QuestionRefusal
        try:
            answer = QuestionAnswer(self._serve(question))
        except CallError as error:
            answer = QuestionRefusal(error.code, error.message)
        try:
            self._send(answer)
        except TooLong as error:
            # The process waits for an answer that cannot be sent.
            raise _ProcessMustEnd(RESOURCE_EXHAUSTED, str(error)) from None

    def _send(self, message: ToWorker) -> None:
        """Send a message to the process. Raises `TooLong` before anything is sent."""
        connection = self._child.connection
        limit_wait(connection, self._deadline)
        send_body(connection, json_bytes(message.encode()), self._limits.message_bytes)


_DEFAULT_LIMITS: Final = WorkerLimits()


class Worker(contextlib.AbstractContextManager["Worker"]):
    """Calls library functions on untrusted data in an isolated process, for one trial.

    `worker.call("package.pdf:text_of", data)` runs the function there, and returns its result.
    A context manager, usable from any thread, for one call at a time.
    """

    def __init__(
        self,
        server: ForkServer,
        *,
        isolation: frozenset[Layer] = ALL_LAYERS,
        limits: WorkerLimits = _DEFAULT_LIMITS,
        is_shared: bool = False,
    ) -> None:
        """Nothing is started yet: the process starts at the first call.

        With `is_shared`, another trial may use the process between two calls, so the
        called functions must not keep data in it. After `when_started`, the process has data
        of this trial, so no other trial uses it.
        """
        self._modules = server.worker_modules
        self._limits = limits
        self._lock = threading.RLock()
        """Reentrant, because a function given to `when_started`
        makes calls while a call waits for the process."""
        setting = WorkerSetting(Layer.KERNEL in isolation, limits)
        self._child = _WorkerChild(server, setting, is_shared=is_shared)

    def __exit__(self, *failure: object) -> None:
        self.close()

    def when_started(self, prepare: Callable[[], None]) -> None:
        """Call `prepare` whenever a process has started, and now if one is running."""
        with self._lock:
            self._child.when_started(prepare)

    def call(
        self,
        function: str,
        *arguments: Any,
        serve: Serve = _serve_nothing,
        most_s: float = math.inf,
    ) -> Any:
        """Run `function` (`module:name`) in the process and return its result.

        `serve` answers questions of the function, such as `["/a.md"]` for the text of this file;
        without it, a question fails. The call ends after `most_s` seconds, or by the worker's own limit
        if that is sooner. Raises `CallError`: that of the function, or with the code `resource_exhausted` if it takes too
        long, or `internal` if it raises anything else or its process dies. Raises
        `LookupError` for a module that the fork server was not given.
        """
        module = function.partition(":")[0]
        if module not in self._modules:
            msg = f"the fork server was not given the module of {function}"
            raise LookupError(msg)
        with self._lock:
            if self._child.is_time_over:
                maximum = f"{self._limits.trial_cpu_s:g} s of CPU"
                message = f"the calls of this trial used more than {maximum}"
                raise CallError(RESOURCE_EXHAUSTED, message)
            began = time.monotonic()
            value = self._call(FunctionCall(function, list(arguments)), serve, most_s)
            self._child.leave_to_others(busy_s=time.monotonic() - began)
            return value

    def close(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            self._child.end()

    def _call(self, call: FunctionCall, serve: Serve, most_s: float) -> Any:
        """Make a call, and end the process if it cannot be used again. Raises `CallError`.

        The lock is held.
        """
        wall_s = min(most_s, self._limits.call_wall_s)
        limits = self._limits._replace(call_wall_s=wall_s)
        try:
            exchange = _WorkerExchange(self._child.ready(), limits, serve)
            return exchange.result_of(call)

        # 1. The call took too long, or its process sent something wrong, died, or is damaged.
        except Overdue:
            self._child.end()
            text = f"the call took longer than {wall_s:.3g} s and was ended"
            raise CallError(RESOURCE_EXHAUSTED, text) from None
        except Forged as error:
            self._child.end()
            text = f"the process that worked on the call sent {error}"
            raise CallError(INTERNAL, text) from None
        except Closed:
            end = self._child.end()
            raise _error_of_death(end, self._limits.call_cpu_s) from None
        except _ProcessMustEnd as error:
            self._child.end()
            raise CallError(error.code, error.message) from None

        # 2. The function failed in an orderly way. Its process can be used again.
        except CallError:
            raise

        # 3. Anything else, such as Ctrl-C. The process may still be in the middle of the call.
        except BaseException:
            self._child.end()
            raise


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
