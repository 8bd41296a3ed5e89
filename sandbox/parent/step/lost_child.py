"""How a step ends if its child is lost: it exceeded its time, broke the rules, or died."""

from __future__ import annotations

import signal
from typing import Final, NamedTuple

from controlplane.sandbox.interface.host import Ending
from controlplane.sandbox.interface.limits import Limits
from controlplane.sandbox.interface.messages.child_results import StepReport
from controlplane.sandbox.interface.messages.frames import Closed, Forged, Overdue
from controlplane.sandbox.parent.child_process import ChildEnd
from controlplane.sandbox.parent.step.conversation import LimitExceeded
from controlplane.sandbox.parent.trial_process import TrialProcess

CHILD_FAILURES: Final = (Overdue, LimitExceeded, Forged, Closed, OSError)
"""Raised if the child exceeded its time (`Overdue`) or another limit (`LimitExceeded`), sent a
forbidden message (`Forged`), or is gone (`Closed`, `OSError`). The step then ends."""

_MAX_REASON_CHARS: Final = 200


class StepEnd(NamedTuple):
    """How a step ended, and why: `StepEnd(Ending.LIMIT, "the step ran longer than 60 s")`."""

    ending: Ending
    """For example `LIMIT` (beyond a limit) or `KILLED` (the child died, or broke the rules)."""
    error: str
    """The reason, as the model is shown it."""


class LostChild:
    """Ends the child of a step, its process, after a failure, and says how the step ends.

    The first reason counts. If the child is lost while it runs a function or the script's
    `verify`, the request of the script that waits for it fails, too, but that is only a
    consequence.
    """

    def __init__(self, process: TrialProcess, limits: Limits) -> None:
        self._process = process
        self._limits = limits
        self._step_end: StepEnd | None = None
        """How the step ends; None while the child is alive."""

    def end_child(self, failure: Exception) -> StepEnd:
        """End a child that exceeded its time, sent a forbidden message or is gone.

        `failure` is one of `CHILD_FAILURES`. Returns how the step ends; if an earlier failure
        has decided that already, as it did.
        """
        child_end = self._process.end()
        if self._step_end is None:
            self._step_end = self._end_after(failure, child_end)
        return self._step_end

    def set_time_over(self, text: str) -> None:
        """Decide that the step ends because its time is over, before its child is ended.

        `text` is the reason. It is more precise than `end_child` could know, which is called
        next.
        """
        self._step_end = StepEnd(Ending.LIMIT, text)

    def _end_after(self, failure: Exception, child_end: ChildEnd) -> StepEnd:
        """Return how a step ends, given the failure of its child and how the child ended."""
        # 1. The parent has a reason of its own to end the child.
        if isinstance(failure, Forged):
            text = f"the script's process sent what it may not send ({failure}) and was ended"
            return StepEnd(Ending.KILLED, text)
        if isinstance(failure, LimitExceeded):
            return StepEnd(Ending.LIMIT, str(failure))
        if isinstance(failure, Overdue):
            text = f"the step ran longer than {self._limits.step_wall_s:g} s"
            return StepEnd(Ending.LIMIT, text)
        if self._process.interruption:
            return StepEnd(Ending.LIMIT, self._process.interruption)

        # 2. The kernel ended the child: each limit of CPU time has its own signal.
        if child_end.code == -signal.SIGXCPU:
            text = f"the trial used more than {self._limits.trial_cpu_s:g} s of CPU"
            return StepEnd(Ending.LIMIT, text)
        if child_end.code == -signal.SIGVTALRM:
            text = f"the step used more than {self._limits.step_cpu_s:g} s of CPU"
            return StepEnd(Ending.LIMIT, text)

        # 3. The child died.
        reason = _death_reason(child_end.code)
        text = f"the script's process died ({reason}); what it had at its last call is kept"
        return StepEnd(Ending.KILLED, text)


def unexpected_message() -> Forged:
    """Return the exception for a result of the child that nothing has requested.

    For example, the child sends a reply of `verify` although `verify` was not called.
    """
    return Forged("a message that nobody waits for")


def early_end(report: StepReport) -> Exception:
    """Return the exception if the child ends the step while a function or `verify` runs.

    A genuine child does so only if the time of the step is over. Any other end is forged.
    Both exceptions are among `CHILD_FAILURES`, for which the step ends.
    """
    if report.ending is Ending.LIMIT:
        return LimitExceeded(report.error[:_MAX_REASON_CHARS])
    return Forged("the end of a step that still runs")


def _death_reason(exit_code: int | None) -> str:
    """Return how a process died: `-11` -> `signal 11, SIGSEGV`."""
    if exit_code is None:
        return "its server ended"
    if exit_code >= 0:
        return f"exit code {exit_code}"
    number = -exit_code
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = "real-time"
    return f"signal {number}, {name}"
