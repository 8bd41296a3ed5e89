"""Asks the user about calls with untrusted values, or takes the recorded answers.

A value is *untrusted* if only running text has it, such as the account number in a mail: its
author may not be the user. With `--provenance approve`, the user is asked:

    send_money(to='DE12', amount=420) is to be sent. to: 'DE12' is only in the text of /m.md ...

If the process of the trial was killed, the next one repeats its recorded steps, the *tape*, and
takes the answer from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from controlplane.agent.events import CallApproval, Emit
from controlplane.agent.evidence.calls.step_log import StepLog
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
        """Return True if the user approves a call, or has approved it when the step was recorded.

        `text` describes the call. `ask` shows it to the user, and returns True if the user
        approves; it is None if there is no user to ask.
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
        # The questions of a step are repeated in order: after two of them, the third is next.
        asked_before = len(self.step.trial_step.approvals)
        recorded = entry_at(self.tape.steps[question.step].approvals, asked_before)
        decided = question
        if recorded is not None:
            self.tape.comparison.compare_outcome(
                question.step, "approvals", recorded.text, text
            )
            decided = question.model_copy(update={"answer": recorded.answer})
        elif self.tape.steps.accepts_new(question.step, "approvals", question.answer):
            # The step is new, or was cut off. In others, a replay asks nobody.
            if ask is not None and ask(text):
                decided = question.model_copy(update={"answer": "approved"})
            self.emit(decided)
        self.add(decided)
        return decided.answer == "approved"

    def add(self, event: CallApproval) -> None:
        """Add a decision of the user to the step."""
        self.step.trial_step.approvals.append(event)
