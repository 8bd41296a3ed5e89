"""Asks the environment for what a trial needs first, unless an earlier attempt has recorded it.

A trial first needs the time of its environment's clock, and the results of the calls that the
initial prompt shows. Both may take long, so the calls are started before the clock is asked:

    start.begin_early("read", {"path": "/docs/fees.md"})     the call is sent, and runs
    start.clock()                                            asks the environment, and waits
    the initial prompt makes the same call                   and gets the result of the first line

If the trial is resumed after its process was killed, both are on the *tape*, its recorded steps.
Then nothing is asked, and scripts see the same time as before.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from controlplane.agent.evidence.calls.live_calls import LiveCalls
from controlplane.agent.evidence.tape.tape import Tape
from controlplane.agent.record.recorded_start import start_time
from controlplane.sandbox.interface import CallError, Plain, guarded


@dataclass(frozen=True, slots=True)
class TrialStart:
    """Gets the start time of one trial, and starts the calls of its initial prompt early."""

    tape: Tape
    """The recorded steps. Empty in a new trial."""
    live: LiveCalls
    """Reaches the environment."""

    def clock(self) -> datetime | None:
        """Return the time that scripts see at the start: recorded, or from the environment.

        None if the environment has no clock. A time without a time zone is in UTC.
        """
        if self.tape.record.has_begun:
            return start_time(self.tape.record)
        with suppress(CallError):
            # `guarded` turns any exception of the environment into a `CallError`.
            now = guarded("now", self.live.environment.now)
            if isinstance(now, datetime):
                return now if now.tzinfo else now.replace(tzinfo=UTC)
        return None

    def begin_early(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Start a call of the initial prompt before its turn, so that it runs beside other work.

        `CallSender.send` takes over the started call, once the initial prompt makes the same one.
        Does nothing if the initial prompt is recorded: then the results of its calls are
        recorded, too.
        """
        if self.tape.record.initial_prompt is None:
            self.live.begin_early(operation, arguments)
