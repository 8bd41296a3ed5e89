"""The process that works on a run: when it began, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.errors import BudgetExhausted, Unreachable


@dataclass(slots=True)
class RunProcess:
    """The last process that worked on a run. Each resumption of the run is a new one."""

    began_ms: int = 0
    """Its start; 0 if it is not known."""
    last_ms: int = 0
    """The time of the latest event of the run."""
    closed: str = ""
    """How it ended, as it recorded itself: finished, interrupted, failed. Empty while it works,
    or if it was killed. `ended` says more precisely what failed, by the exit code."""
    error: str = ""
    """The error message with which it ended; empty without an error."""
    exit_code: int = 0
    """The exit code of the last process that has ended."""

    def note_time(self, at_ms: int) -> None:
        """Note the time of an event of the run."""
        self.last_ms = max(self.last_ms, at_ms)

    def end(self, how: str, error: str, exit_code: int) -> None:
        """Note how the process has ended."""
        self.closed = how
        self.error = error
        self.exit_code = exit_code

    def begin_anew(self, at_ms: int) -> None:
        """Note that another process has resumed the run."""
        self.began_ms = at_ms
        self.closed = ""
        self.error = ""

    @property
    def wall_ms(self) -> int:
        """Milliseconds from its start to the latest event."""
        if not self.began_ms:
            return 0
        return max(self.last_ms - self.began_ms, 0)

    @property
    def ended(self) -> str:
        """How it ended; empty until it has closed the run.

        One of `finished`, `interrupted`, `limit reached`, `failed` and `paused`. A run is
        paused if the model or the benchmark cannot be reached, or the disk is full.
        """
        if self.closed != "failed":
            return self.closed
        if self.exit_code == BudgetExhausted.exit_code:
            return "limit reached"
        # `JournalUnwritable`, the error of a full disk, has the same exit code.
        if self.exit_code == Unreachable.exit_code:
            return "paused"
        return "failed"
