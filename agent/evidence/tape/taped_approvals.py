"""Asks the user about calls with untrusted values, or takes the recorded answers.

A value is untrusted if it is only in running text, such as the account number in a mail:
its author may not be the user. With `--provenance approve`, the user is asked:

    send_money(to='DE12', amount=420) is to be sent. to: 'DE12' is only in the text of /m.md ...
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from controlplane.agent.events import CallApproval, Emit
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.tape.tape import Tape
from controlplane.agent.evidence.tape.taped_steps import entry_at
from controlplane.sandbox.interface import Plain


class TapedApprovals:
    """Asks the user about calls of one trial, unless the answer is on the tape.

    The *tape* has the recorded steps that the trial repeats. The user is asked only once.
    """

    def __init__(self, trial_id: str, step: StepLog, tape: Tape, write: Emit) -> None:
        self._trial_id = trial_id
        self._step = step
        self._tape = tape
        """The recorded steps. Empty in a new trial."""
        self._write = write
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
        approves; it is None if there is no user to ask. A new decision is written to the journal.
        """
        question = CallApproval(
            trial_id=self._trial_id,
            step=self._step.number,
            number=self._step.call_count,  # The call would be the next one of the step.
            operation=operation,
            arguments=dict(arguments),
            text=text,
            answer="refused",  # until the user approves it
        )
        decided = self._recorded_decision(question)
        if decided is None:
            decided = self._ask_now(question, ask)
        self.add(decided)
        return decided.answer == "approved"

    def add(self, event: CallApproval) -> None:
        """Add a decision of the user to the step."""
        self._step.trial_step.approvals.append(event)

    def _recorded_decision(self, question: CallApproval) -> CallApproval | None:
        """Return the question with the answer that is recorded; None if none is recorded.

        The questions of a step are repeated in order: after two of them, the third is next.
        """
        earlier_questions = len(self._step.trial_step.approvals)
        recorded_step = self._tape.steps[question.step]
        recorded = entry_at(recorded_step.approvals, earlier_questions)
        if recorded is None:
            return None
        self._tape.comparison.compare_outcome(
            question.step, "approvals", recorded.text, question.text
        )
        return question.model_copy(update={"answer": recorded.answer})

    def _ask_now(
        self, question: CallApproval, ask: Callable[[str], bool] | None
    ) -> CallApproval:
        """Ask the user, write the decision to the journal, and return it.

        A complete recorded step has no further questions. So there, a replay asks nobody, and
        the answer stays `refused`.
        """
        if not self._tape.steps.accepts_new(
            question.step, "approvals", question.answer
        ):
            return question
        decided = question
        if ask is not None and ask(question.text):
            decided = question.model_copy(update={"answer": "approved"})
        self._write(decided)
        return decided
