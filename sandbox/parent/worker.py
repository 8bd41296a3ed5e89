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
from typing import Any, Final

from controlplane.sandbox.interface.error_codes import (
    INTERNAL,
    RESOURCE_EXHAUSTED,
    CallError,
)
from controlplane.sandbox.interface.isolation_layers import ALL_LAYERS, Layer
from controlplane.sandbox.interface.limits import WorkerLimits
from controlplane.sandbox.interface.messages.frames import Closed, Forged, Overdue
from controlplane.sandbox.interface.messages.worker_messages import FunctionCall
from controlplane.sandbox.parent.child_process import ChildEnd
from controlplane.sandbox.parent.fork_server import ForkServer
from controlplane.sandbox.parent.servers.idle_workers import WorkerSetting
from controlplane.sandbox.parent.worker_child import WorkerChild
from controlplane.sandbox.parent.worker_exchange import (
    ProcessMustEnd,
    Serve,
    WorkerExchange,
    serve_nothing,
)

DEFAULT_LIMITS: Final = WorkerLimits()


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
        limits: WorkerLimits = DEFAULT_LIMITS,
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
        self._child = WorkerChild(server, setting, is_shared=is_shared)

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
        serve: Serve = serve_nothing,
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
            exchange = WorkerExchange(self._child.ready(), limits, serve)
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
        except ProcessMustEnd as error:
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
