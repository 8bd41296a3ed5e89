"""The user's decisions about calls: the recorded ones first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controlplane.agent.evidence.tape.tape import Tape, entry_at


@dataclass(slots=True)
class TapedUser:
    """Asks the user about calls, unless the decision is recorded."""

    tape: Tape

    def approves(
        self, step: int, number: int, text: str, ask: Callable[[str], bool] | None
    ) -> bool:
        """Return whether the user approves of a call that `text` describes.

        `number` counts the approvals of the step. Without `ask` there is no user to ask, and the
        call is not approved.
        """
        recorded = entry_at(self.tape.step(step).approvals, number)
        if recorded is not None:
            self.tape.note_if_different(step, "approvals", recorded.text, text)
            return recorded.answer == "approved"
        if ask is None or not self.tape.may_go_on(step):
            return False
        return ask(text)
