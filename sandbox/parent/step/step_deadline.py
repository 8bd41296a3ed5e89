"""The time of a step.

A script is ended by timers in its own process. The parent waits a little longer than they, by
`SCRIPT_GRACE_S`, so that the process can still say that its time is over.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from controlplane.sandbox.interface import bounds


class StepDeadline:
    """When a step must have ended."""

    def __init__(self, step_wall_s: float) -> None:
        self._step_wall_s = step_wall_s
        self.moment = 0.0
        """The deadline, on `time.monotonic()`."""
        self.restart()

    def restart(self) -> None:
        """Let the time of the step begin now."""
        self.moment = time.monotonic() + self._step_wall_s + bounds.SCRIPT_GRACE_S

    def extend(self, seconds: float) -> None:
        """Give the step more time, because the time of a call does not count."""
        self.moment += seconds

    @property
    def for_sending(self) -> float:
        """The deadline of the step, but at least `SCRIPT_GRACE_S` from now.

        Even if the time of the step is over,
        the child can then be told why its call failed.
        """
        return max(self.moment, end_of_grace())

    def leave_time_for_last_messages(self) -> None:
        """Extend the deadline to `SCRIPT_GRACE_S` from now if it is earlier."""
        self.moment = self.for_sending

    @contextlib.contextmanager
    def replaced_by(self, moment: float) -> Iterator[None]:
        """Within the block, let the step have another deadline."""
        moment_before = self.moment
        self.moment = moment
        try:
            yield
        finally:
            self.moment = moment_before


def end_of_grace() -> float:
    """Return the time at which a grace that begins now is over."""
    return time.monotonic() + bounds.SCRIPT_GRACE_S
