"""Asks the user about calls with untrusted values, and remembers which values are approved.

A value is untrusted if it is only in running text, such as the account number in a mail:
its author may not be the user. Once the user has approved a transfer to this account, a
later call may use the number without a question.
"""

from __future__ import annotations

from collections.abc import Callable

from controlplane.agent.events import CallApproval
from controlplane.agent.evidence.calls.current_step import CurrentStep
from controlplane.agent.evidence.checks.accepted_values import AcceptedValues
from controlplane.agent.evidence.checks.changing_call import ChangingCall
from controlplane.agent.evidence.tape import TapedUser


class UserApprovals:
    """The user's decisions about the calls of one trial."""

    def __init__(self, trial_id: str, step: CurrentStep, user: TapedUser) -> None:
        self._trial_id = trial_id
        self._step = step
        self._user = user
        """Asks the user, unless the decision is recorded."""
        self.values = AcceptedValues()
        """The untrusted values of the calls that the user has approved."""

    def decide(
        self, call: ChangingCall, text: str, ask: Callable[[str], bool] | None
    ) -> bool:
        """Ask the user about a call, and return True if it is approved. The journal has the decision.

        `text` describes the call. `ask` shows it to the user, and returns True if the user
        approves; it is None if there is no user to ask.
        """
        question = CallApproval(
            trial_id=self._trial_id,
            step=self._step.number,
            number=self._step.call_count,  # The call would be the next one of the step.
            operation=call.operation,
            arguments=dict(call.arguments),
            text=text,
            answer="refused",  # until the user approves it
        )
        earlier_questions = len(self._step.trial_step.approvals)
        decided = self._user.decide(question, earlier_questions, ask)
        self.add_event(decided)
        is_approved = decided.answer == "approved"
        if is_approved:
            self.add_values(call, decided.step)
        return is_approved

    def add_event(self, event: CallApproval) -> None:
        """Add a decision of the user to the step."""
        self._step.trial_step.approvals.append(event)

    def add_values(self, call: ChangingCall, step: int) -> None:
        """Remember the values of a call that was approved in a step."""
        self.values.add(call.values_to_accept(), step)
