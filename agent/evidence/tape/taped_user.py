"""Returns the recorded decisions of the user about calls, or asks the user."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controlplane.agent.events import CallApproval, Emit
from controlplane.agent.evidence.tape.tape import Tape, entry_at


@dataclass(frozen=True, slots=True)
class TapedUser:
    """Asks the user about calls, unless the decision is recorded on the tape."""

    tape: Tape
    write: Emit
    """Writes an event to the journal."""

    def approves(
        self, step: int, number: int, text: str, ask: Callable[[str], bool] | None
    ) -> bool:
        """Return True if the user approves the call that `text` describes.

        `number` is the position of the decision in its step. `ask` is None if there is
        no user to ask. The call is then not approved.
        """
        recorded = entry_at(self.tape.step(step).approvals, number)
        if recorded is not None:
            self.tape.comparison.note_if_different(
                step, "approvals", recorded.text, text
            )
            return recorded.answer == "approved"
        if ask is None or not self.tape.may_go_on(step):
            return False
        return ask(text)

    def record(self, event: CallApproval, number: int) -> None:
        """Record the user's decision about a call, unless it is on the tape."""
        recorded = entry_at(self.tape.step(event.step).approvals, number)
        if recorded is None and self.tape.takes_new(
            event.step, "approvals", event.answer
        ):
            self.write(event)
