"""Asks the user about calls, or takes the recorded answers.

If `--provenance approve` is set, the user decides about a call whose values come from
running text, such as a mail. If the trial repeats recorded steps, which are on its
*tape*, the recorded answer counts, and the user is not asked again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controlplane.agent.events import CallApproval, Emit
from controlplane.agent.evidence.tape.tape import Tape, entry_at


@dataclass(frozen=True, slots=True)
class TapedUser:
    """The user of one trial, whose earlier answers may be recorded on the tape."""

    tape: Tape
    """The recorded steps. Empty in a new trial."""
    write: Emit
    """Writes an event to the journal."""

    def decide(
        self, question: CallApproval, number: int, ask: Callable[[str], bool] | None
    ) -> CallApproval:
        """Return a question with the user's answer. Write a new answer to the journal.

        In `question`, the answer is `refused`. It stays so if the user does not approve the
        call, or if there is no user to ask (`ask` is None). `number` is the position among the
        questions of the step.
        """
        recorded = entry_at(self.tape.step(question.step).approvals, number)
        if recorded is not None:
            self.tape.comparison.note_if_different(
                question.step, "approvals", recorded.text, question.text
            )
            return question.model_copy(update={"answer": recorded.answer})

        # A complete recorded step has no further questions. Nobody is asked in a replay.
        if not self.tape.accepts_new(question.step, "approvals", question.answer):
            return question
        decided = question
        if ask is not None and ask(question.text):
            decided = question.model_copy(update={"answer": "approved"})
        self.write(decided)
        return decided
