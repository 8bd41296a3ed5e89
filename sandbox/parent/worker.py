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
from typing import Any, Final, TypeAlias

from controlplane.sandbox.interface.error_codes import (
    INTERNAL,
    RESOURCE_EXHAUSTED,
    CallError,
)
from controlplane.sandbox.interface.frames import Closed, Forged, Overdue, TooLong
from controlplane.sandbox.interface.limits import ALL_LAYERS, Layer, WorkerLimits
from controlplane.sandbox.interface.messages import (
    Failed,
    Question,
    Returned,
    RunFunction,
    ToProcess,
    WorkerSetting,
    reply_bytes,
)
from controlplane.sandbox.interface.operations import Plain
from controlplane.sandbox.parent.child_process import (
    ChildEnd,
    ChildProcess,
    TrialProcess,
)
from controlplane.sandbox.parent.fork_server import ForkServer

_MAX_SHARED_S: Final = 1.0
"""A process that used more seconds is not shared with other trials: the kernel
limits the total CPU time of a process, so a later trial would have less."""

# The messages of one call of a worker: the call, questions of its function, and the result.
#
# The process is isolated, so a function that needs the text of a file asks for it. The parent
# answers by `serve`, which the caller passes.

_Serve: TypeAlias = Callable[[list[Any]], Plain]
"""Answers a question of the running function, such as the paths of files whose texts
it needs: `["/a.md", "/b.md"]`. May raise `CallError`."""


def _serve_nothing(question: list[Any]) -> Plain:
    """Refuse every question: for functions that ask none."""
    raise CallError(INTERNAL, "nothing may be asked inside this call")


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
        self._server = server
        """Forks processes, and keeps those that no trial uses at the moment."""
        self._limits = limits
        self._is_shared = is_shared
        self._preparations: list[Callable[[], None]] = []
        """Called whenever a process has started."""
        self._lock = threading.RLock()
        """Reentrant, because a function given to `when_started`
        makes calls while a call waits for the process."""
        # The process layer always confines a worker.
        layers = ALL_LAYERS
        if Layer.KERNEL not in isolation:
            layers = frozenset({Layer.PROCESS})
        self._setting = WorkerSetting(layers, limits)
        """Only workers with the same setting may share a process."""
        self._process = TrialProcess(server, self._setting)

    def __exit__(self, *failure: object) -> None:
        self.close()

    def when_started(self, prepare: Callable[[], None]) -> None:
        """Call `prepare` whenever a process has started, and now if one is running."""
        with self._lock:
            self._preparations.append(prepare)
            if self._process.child is not None:
                prepare()

    def call(
        self,
        function: str,
        *arguments: Any,
        serve: _Serve = _serve_nothing,
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
        if module not in self._server.worker_modules:
            msg = f"the fork server was not given the module of {function}"
            raise LookupError(msg)
        with self._lock:
            if self._process.is_time_over:
                raise CallError(
                    RESOURCE_EXHAUSTED,
                    f"the calls of this trial used more than {self._limits.trial_cpu_s:g} s of CPU",
                )
            began = time.monotonic()
            task = RunFunction(function, list(arguments), {}, [])
            value = self._call(task, serve, most_s)
            self._leave_to_others(busy_s=time.monotonic() - began)
            return value

    def close(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            self._process.end()

    def _call(self, task: RunFunction, serve: _Serve, most_s: float) -> Any:
        """Make a call, and end the process if it cannot be used again. Raises `CallError`.

        The lock is held.
        """
        wall_s = min(most_s, self._limits.call_wall_s)
        try:
            child = self._ready()
            return self._result_of(task, child, time.monotonic() + wall_s, serve)

        # 1. The call took too long, or its process sent something wrong, or died.
        except Overdue:
            text = f"the call took longer than {wall_s:.3g} s and was ended"
            raise self._ended(RESOURCE_EXHAUSTED, text) from None
        except Forged as error:
            text = f"the process that worked on the call sent {error}"
            raise self._ended(INTERNAL, text) from None
        except Closed:
            end = self._process.end()
            raise _error_of_death(end, self._limits.call_cpu_s) from None

        # 2. The function failed. Its process was ended if it cannot be used again.
        except CallError:
            raise

        # 3. Anything else, such as Ctrl-C. The process may still be in the middle of the call.
        except BaseException:
            self._process.end()
            raise

    def _ended(self, code: str, text: str) -> CallError:
        """End the process, and return the error of its call."""
        self._process.end()
        return CallError(code, text)

    def _ready(self) -> ChildProcess:
        """Return the process. If there is none, take over an idle one, or start one; prepare it.

        Raises `SandboxBroken` if none can be started.
        """
        if self._process.child is not None:
            return self._process.child
        if self._is_shared:
            # It has its setting: that of the trial which left it is the same.
            self._process.child = self._server.idle_worker(self._setting)

        # The preparations make calls, which call this method again. It must then return this
        # process and not start another, so the process is stored by now.
        child = self._process.ready()
        for prepare in self._preparations:
            prepare()
        return child

    def _leave_to_others(self, busy_s: float) -> None:
        """Give a shared process back to the fork server, for the next call of any trial.

        `busy_s` is the duration of the last call. This trial keeps the process in three cases:
        it was prepared with data of this trial, it has worked for too long, or the server has
        enough idle processes already.
        """
        child = self._process.child
        if not self._is_shared or self._preparations or child is None:
            return
        child.busy_s += busy_s  # It counts all its calls, also those of other trials.
        if child.busy_s > _MAX_SHARED_S:
            return
        if self._server.keep_idle_worker(self._setting, child):
            self._process.child = None

    def _result_of(
        self, task: RunFunction, child: ChildProcess, deadline: float, serve: _Serve
    ) -> Any:
        """Have a function run in the process, and return its result.

        Before the result comes, the function may ask questions, such as for the texts of files:
        each is answered by `serve`. Raises `CallError` if the function fails. `Overdue`, `Forged`
        and `Closed` mean that the process itself is lost.
        """

        def send(message: ToProcess) -> None:
            """Send a message. Raises `TooLong` before anything is sent."""
            body = reply_bytes(message)
            child.connection.send(body, self._limits.message_bytes, deadline)

        try:
            send(task)
        except TooLong as error:
            raise CallError(RESOURCE_EXHAUSTED, str(error)) from None

        # After the last permitted question, the result may still come. So the loop goes
        # on for one message more, and ends only if that is a question, too.
        answered_questions = 0
        most_questions = self._limits.call_questions
        while answered_questions <= most_questions:
            match child.receive(self._limits.reply_bytes, deadline).body:
                case Returned(value):
                    return value
                case Failed(code, text, must_end):
                    if must_end:
                        raise self._ended(code, text)
                    raise CallError(code, text)
                case Question(question):
                    answered_questions += 1
                    reply: Returned | Failed
                    try:
                        reply = Returned(serve(question))
                    except CallError as error:
                        reply = Failed.of(error)
                    try:
                        send(reply)
                    except TooLong as error:
                        # The process waits for a reply that cannot be sent.
                        raise self._ended(RESOURCE_EXHAUSTED, str(error)) from None
                case _:
                    msg = "a message that nobody waits for"
                    raise Forged(msg)

        # The message speaks of files, because all functions that ask do so for files.
        raise self._ended(
            RESOURCE_EXHAUSTED,
            f"the call needs more than {most_questions} files or batches of files; "
            "narrow it to a folder",
        )


def _error_of_death(end: ChildEnd, call_cpu_s: float) -> CallError:
    """Return the error of a call whose process died.

    The kernel ends a process that exceeds the CPU time of a call by `SIGPROF`, and one
    that exceeds that of the trial by `SIGXCPU`.
    """
    if end.code == -signal.SIGPROF:
        return CallError(
            RESOURCE_EXHAUSTED, f"the call used more than {call_cpu_s:.2g} s of CPU"
        )
    if end.code == -signal.SIGXCPU:
        return CallError(
            RESOURCE_EXHAUSTED, "the calls of this trial used too much CPU"
        )
    return CallError(INTERNAL, "the process that worked on the call died")
