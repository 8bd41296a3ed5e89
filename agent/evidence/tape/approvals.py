"""Asks the user about calls with untrusted values, unless the answer is recorded.

A mail could say "pay to DE12", and its author need not be the user. With `--provenance approve`,
the user is asked about each call with a value that only such a text has:

    send_money(to='DE12', amount=420) is to be sent. to: 'DE12' is only in the text of /m.md ...

If the process of a trial was killed, the next one repeats its recorded steps, and takes the user's
answers from there. A *replay* repeats a finished trial. It asks nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from controlplane.agent.events import CallApproval, Emit
from controlplane.agent.evidence.tape.tape_reader import TapeReader
from controlplane.sandbox.interface import Plain


@dataclass(frozen=True, slots=True)
class Approvals:
    """Asks the user about calls of one trial."""

    trial_id: str
    reader: TapeReader
    """Has the recorded step, if the current one repeats it."""
    emit: Emit
    """Writes an event to the journal."""

    def ask_or_repeat(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        text: str,
        ask: Callable[[str], bool] | None,
    ) -> bool:
        """Return True if the user approves a call, which `text` describes.

        `ask` shows the text to the user, and returns True if the user approves. It is None if
        there is no user to ask. It is not called if the answer is recorded, or in a replay.
        """
        step = self.reader.step_log
        refusal = CallApproval(
            trial_id=self.trial_id,
            step=step.number,
            number=step.call_count,  # The call would be the next one of the step.
            operation=operation,
            arguments=dict(arguments),
            text=text,
            answer="refused",
        )
        # Returns the recorded decision about the same call. A replay without one gets `refusal`.
        decision = self.reader.take(refusal)
        if decision is None:  # The question is new.
            is_approved = ask is not None and ask(text)
            answer = "approved" if is_approved else "refused"
            decision = refusal.model_copy(update={"answer": answer})
            self.emit(decision)
        self.add(decision)
        return decision.answer == "approved"

    def add(self, decision: CallApproval) -> None:
        """Add a decision of the user, which may be a recorded one, to the current step."""
        self.reader.current_step.approvals.append(decision)
