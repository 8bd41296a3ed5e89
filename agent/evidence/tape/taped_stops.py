"""Decides whether an objection stops a call.

A check, such as the environment's rules, may object to `transfer(amount=500)` before it is sent:
"over the limit". Then the call is *stopped*, and the model reads the objection.

If the process of the trial was killed, the next one repeats its recorded steps, the *tape*, and
checks their calls again. There, what was recorded counts: a call that was sent then is sent again,
even if the check objects to it today.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from controlplane.agent.evidence.calls.stop_key import CheckName
from controlplane.agent.evidence.tape.comparison import Comparison
from controlplane.agent.evidence.tape.recorded_stops import RecordedStops
from controlplane.agent.evidence.tape.stop_events import StopEvents


@dataclass(frozen=True, slots=True)
class TapedStops:
    """Decides which calls of one trial are stopped."""

    recorded: RecordedStops
    """Finds what is recorded next in the current step."""
    events: StopEvents
    """The events of stopped calls, to which new ones are added."""
    comparison: Comparison
    """Notes what differs from the record."""

    def decide(
        self,
        check: CheckName,
        operation: str,
        arguments: Mapping[str, Any],
        objection: str,
    ) -> str:
        """Return the objection with which a check stops a call; empty if it may be sent.

        `objection` is what the check says now; empty if it does not object.

        | what the tape has next in this step | the call |
        |---|---|
        | that the check stopped this call | is stopped, with the recorded objection |
        | a call that was sent | is sent |
        | nothing: the step is new, or ends here | is stopped if there is an objection |
        """
        recorded = self.recorded.stop_of(check, operation, arguments)
        if recorded is not None:
            self._compare(recorded.objection, objection)
            self.events.add(recorded)
            return recorded.objection or ""
        if self.recorded.has_next_call():
            self._compare(None, objection)
            return ""
        if objection:
            self.events.add_new_stop(check, operation, arguments, objection)
        return objection

    def _compare(self, recorded: str | None, objection: str) -> None:
        """Note a difference if the check does not say today what is recorded."""
        step = self.events.step.number
        self.comparison.compare_outcome(step, "stopped", recorded, objection or None)
