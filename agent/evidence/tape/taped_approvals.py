"""Asks the user about calls with untrusted values, or takes the recorded answers.

A mail could say "pay to DE12", and its author need not be the user. With `--provenance approve`,
the user is asked about each call with a value that only such a text has:

    send_money(to='DE12', amount=420) is to be sent. to: 'DE12' is only in the text of /m.md ...

A process that repeats the recorded steps of a trial, its *tape*, takes the answers from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from controlplane.agent.events import CallApproval, Emit
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.tape.comparison import NOTHING
from controlplane.agent.evidence.tape.tape import Tape
from controlplane.agent.evidence.tape.taped_steps import entry_at
from controlplane.sandbox.interface import Plain


@dataclass(frozen=True, slots=True)
class TapedApprovals:
    """Asks the user about calls of one trial, unless the answer is on its tape."""

    trial_id: str
    step: StepLog
    tape: Tape
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

        `ask` shows the text to the user, and returns True if the user approves; it is None if
        there is no user to ask. The answer that counts is

        | the tape has as next question of the step | answer |
        |---|---|
        | this one, perhaps with another text, which is noted | the recorded one |
        | nothing, and the step is complete | `RecordDiverged`; a replay asks nobody: refused |
        | nothing, as the step is new, or was cut off | that of the user, which is written |
        """
        question = CallApproval(
            trial_id=self.trial_id,
            step=self.step.number,
            number=self.step.call_count,  # The call would be the next one of the step.
            operation=operation,
            arguments=dict(arguments),
            text=text,
            answer="refused",  # until the user approves it
        )
        asked_before = len(self.step.trial_step.approvals)
        recorded = entry_at(self.tape.steps[question.step].approvals, asked_before)
        if recorded is not None:
            self.tape.comparison.compare_outcome(
                question.step, "approvals", recorded.text, text
            )
            question = question.model_copy(update={"answer": recorded.answer})
        elif self.tape.steps.is_complete(question.step):
            self.tape.comparison.note_or_raise(
                question.step, "approvals", NOTHING, question.answer
            )
        else:
            if ask is not None and ask(text):
                question = question.model_copy(update={"answer": "approved"})
            self.emit(question)
        self.add(question)
        return question.answer == "approved"

    def add(self, event: CallApproval) -> None:
        """Add a decision of the user to the step."""
        self.step.trial_step.approvals.append(event)
