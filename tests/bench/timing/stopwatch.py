"""A stopwatch around methods of the product, which adds up their CPU time by phase.

Timed methods may call each other. If a method of "gates" takes 5 s, of which 2 s are spent in a
method of "model" that it calls, "gates" gets 3 s and "model" 2 s. The open calls are those that have
not returned yet; each thread has a stack of its own of them.
"""

import functools
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module

from tests.bench.timing.open_calls import OpenCall, OpenCalls, phase_within
from tests.bench.timing.phases import PHASES


@dataclass
class Stopwatch:
    """CPU seconds and calls by phase, over all threads."""

    seconds: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    _open_calls: OpenCalls = field(default_factory=OpenCalls)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def timed(self, method: Callable[..., object], phase: str) -> Callable[..., object]:
        """Return a method that does the same as `method` and is timed."""

        @functools.wraps(method)
        def timed_method(*args: object, **kwargs: object) -> object:
            stack = self._open_calls.stack
            # A call for the initial prompt counts in another phase than the same call of a script.
            call = OpenCall(phase_within(stack, phase))
            stack.append(call)
            started_s = time.thread_time()
            try:
                return method(*args, **kwargs)
            finally:
                spent_s = time.thread_time() - started_s
                stack.pop()
                if stack:
                    stack[-1].inner_s += spent_s
                self._add(call.phase, spent_s - call.inner_s)

        return timed_method

    def _add(self, phase: str, seconds: float) -> None:
        with self._lock:
            self.seconds[phase] += seconds
            self.calls[phase] += 1


def time_phases(stopwatch: Stopwatch) -> None:
    """Replace the methods in `PHASES` by timed ones, for the rest of this process."""
    for target, phase in PHASES.items():
        # controlplane.journal.journal_writer:JournalWriter.write
        module_name, _, path = target.partition(":")
        owner = import_module(module_name)
        class_name, _, method_name = path.rpartition(".")
        if class_name:  # Else it is a function, which the module calls.
            owner = getattr(owner, class_name)
        method = getattr(owner, method_name)
        setattr(owner, method_name, stopwatch.timed(method, phase))
