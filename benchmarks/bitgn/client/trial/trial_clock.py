"""The clock of a remote trial, which stands still: the output of the program `/bin/date`.

The first message of a trial shows this output, too. So the program is called once, and
both use its result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Final

from controlplane.benchmarks.bitgn.client.connection.wire_errors import Message
from controlplane.sandbox.interface import CallError, Plain

CLOCK: Final = "/bin/date"


def reads_clock(operation: str, arguments: Mapping[str, Plain]) -> bool:
    """Return True if a call prints the time."""
    return operation == "exec" and dict(arguments) == {"path": CLOCK}


class SharedResult:
    """The result of a call that two parts of the program need, so that it is made only once.

    The first that asks waits for it; the other gets the same result.
    """

    def __init__(self, finish: Callable[[], Message]) -> None:
        self._finish = finish
        self._result: Message | None = None

    def get(self) -> Message:
        """Return the result. Raises `CallError`."""
        if self._result is None:
            self._result = self._finish()
        return self._result


class TrialClock:
    """The time of one trial. It is read once, because it stands still."""

    def __init__(self, read: Callable[[], Message]) -> None:
        """Set up the clock. `read` runs the program and returns its result."""
        self._read = read
        self._now: datetime | None = None

    def use_result(self, result: SharedResult) -> None:
        """Take the time from a call of the program that has begun already."""
        self._read = result.get

    def now(self) -> datetime | None:
        """Return the time, in UTC unless it names another time zone; None if it can't be read."""
        if self._now is not None:
            return self._now
        try:
            result = self._read()
            moment = datetime.fromisoformat(str(result["stdout"]).strip())
        except (CallError, ValueError):
            return None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        self._now = moment
        return moment
