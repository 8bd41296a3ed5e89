"""The clock of a remote trial, which stands still: the output of the program `/bin/date`.

The first message of a trial shows this output, too. So the program runs only once, and both
use its result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Final

from controlplane.benchmarks.bitgn.client.connection.wire_errors import Message
from controlplane.sandbox.interface import CallError, Plain

CLOCK: Final = "/bin/date"


def reads_clock(operation: str, arguments: Mapping[str, Plain]) -> bool:
    """Return True if a call prints the time."""
    return operation == "exec" and dict(arguments) == {"path": CLOCK}


class TrialClock:
    """The time of one trial. It is read once, because it stands still."""

    def __init__(self, run_program: Callable[[], Message]) -> None:
        """Set up the clock. `run_program` runs `/bin/date` and returns its result.

        For example, this is `{"stdout": "2026-05-04T12:00:00Z", ...}`.
        """
        self._run_program = run_program
        self._now: datetime | None = None

    def share(self, finish: Callable[[], Message]) -> Callable[[], Message]:
        """Take the time from a call that runs the program and has begun already.

        `finish` waits for the result of this call. Return a function that does the same,
        but shares one result with the clock.
        """
        finish_once = cache(finish)
        self._run_program = finish_once
        return finish_once

    def now(self) -> datetime | None:
        """Return the time, in UTC unless it names another time zone; None if it can't be read."""
        if self._now is not None:
            return self._now
        try:
            result = self._run_program()
            moment = datetime.fromisoformat(str(result["stdout"]).strip())
        except (CallError, ValueError):
            return None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        self._now = moment
        return moment
