"""The time of one step in a script's process: timers that end it, and more time for long calls.

A step is one script. `StepTimers` calls a function of the step when its time is over, so that
it can still report its results. `longer_call` stops counting while the parent makes a call
that may take long, such as a search.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from controlplane.sandbox.interface.limits import Limits

_REPORT_S: Final = 0.2
"""CPU seconds that a step over its limit has to report its results, before the kernel ends it."""

_HINT: Final = "; clocks stand still in scripts, so bound a search by its rounds"
"""The end of a message for a step over its time: a script cannot watch the time itself."""


class StepTimers:
    """The timers of this process, which end a step that takes too long.

    signal       sent after                  effect
    SIGALRM      the step's wall-clock time  calls `expire`
    SIGPROF      the step's CPU time         calls `expire`
    SIGVTALRM    a little more CPU time      ends the process

    Python calls `expire` only between two of its own instructions, so a step that is busy in
    C code goes on. The last signal ends such a step.
    """

    def __init__(self, limits: Limits) -> None:
        """Set the handlers of the signals, which stay for all steps of this process."""
        self._limits = limits
        self._expire: Callable[[str], None]
        """Ends the running step, or the last one."""
        self._wall_s = limits.step_wall_s
        """Wall-clock seconds of the same step."""
        signal.signal(signal.SIGALRM, self._expire_wall)
        signal.signal(signal.SIGPROF, self._expire_cpu)

    @contextmanager
    def during_step(
        self, expire: Callable[[str], None], wall_s: float
    ) -> Iterator[None]:
        """Within the block, call `expire(reason)` when the time of the step is over.

        `wall_s` are the wall-clock seconds of this step.
        """
        limits = self._limits
        self._expire = expire
        self._wall_s = wall_s
        signal.setitimer(signal.ITIMER_REAL, wall_s)  # sends SIGALRM
        signal.setitimer(signal.ITIMER_PROF, limits.step_cpu_s)  # sends SIGPROF
        # Sends SIGVTALRM, which no handler catches, so that it ends the process.
        signal.setitimer(signal.ITIMER_VIRTUAL, limits.step_cpu_s + _REPORT_S)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    def _expire_wall(self, signal_number: int, frame: object) -> None:
        self._expire(f"the step ran longer than {self._wall_s:g} s{_HINT}")

    def _expire_cpu(self, signal_number: int, frame: object) -> None:
        cpu_s = self._limits.step_cpu_s
        self._expire(f"the step used more than {cpu_s:g} s of CPU{_HINT}")


@contextmanager
def longer_call(longest_s: float) -> Iterator[None]:
    """Within the block, which makes a call, give the step up to `longest_s` more wall-clock time.

    With 5 s before a call of at most 60 s, the step may wait 65 s. It goes on with 5 s after a
    call of 20 s, and with 3 s after one of 62 s.
    """
    before_call_s, _ = signal.getitimer(signal.ITIMER_REAL)
    if before_call_s == 0:  # The step has no timer.
        yield
        return

    signal.setitimer(signal.ITIMER_REAL, before_call_s + longest_s)
    try:
        yield
    finally:
        after_call_s, _ = signal.getitimer(signal.ITIMER_REAL)
        if after_call_s == 0:
            after_call_s = 0.001  # Setting 0 would turn the timer off.
        # After a call of 20 s, 45 of the 65 s are left, but the step gets only its own 5 back.
        # After one of 62 s, 3 s are left.
        signal.setitimer(signal.ITIMER_REAL, min(before_call_s, after_call_s))
