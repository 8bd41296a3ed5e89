"""What the journal records of each call of a trial, and of each decision of its user.

The trial makes four calls: one is invalid, one reads a mail, one pays and is refused by the user, and
one pays and is approved. See the table of its events in `paying_trial.py`.
"""

from __future__ import annotations

import pytest

from controlplane.agent.events import CallEvent, CallStopped
from tests.agent.evidence.tape.paying_trial import (
    APPROVED_ACCOUNT,
    REFUSED_ACCOUNT,
    PayingTrial,
    approvals_in,
)


@pytest.fixture(scope="module")
def trial() -> PayingTrial:
    """Return the trial after it has made its four calls."""
    return PayingTrial().run()


class TestCalls:
    """The journal has an event for each thing that happens to a call, in their order.

    A call that changes something has two: one that announces it, and one with its result.
    """

    def test_the_journal_has_the_events_of_each_call_in_their_order(
        self, trial: PayingTrial
    ) -> None:
        event_types = [type(event).__name__ for event in trial.events]

        assert event_types == [
            "CallEvent",  # the invalid call
            "CallEvent",  # the mail is read
            "CallApproval",  # the user refuses the first payment,
            "CallStopped",  # which is stopped
            "CallApproval",  # the user approves of the second payment
            "CallStopped",  # the model has gone on without the stopped call
            "CallEvent",  # the second payment is announced
            "CallEvent",  # and made
            "StepDone",
        ]

    def test_the_journal_records_what_became_of_each_call(
        self, trial: PayingTrial
    ) -> None:
        """A call that changes something is announced before it is made (`under_way`), so that a
        killed process does not make it twice. A call that the user refuses has other events."""
        states: list[str] = []
        for event in trial.events:
            if isinstance(event, CallEvent):
                states.append(event.state)

        assert states == [
            "not_made",  # the invalid call
            "made",  # reading the mail
            "under_way",  # the payment that the user approves
            "made",  # the same payment
        ]

    def test_only_the_approved_payment_is_made(self, trial: PayingTrial) -> None:
        assert trial.paid == [APPROVED_ACCOUNT]


class TestDecisions:
    """The journal has what the user was asked, and decided, and why a call was stopped.

    The user refuses a payment to `REFUSED_ACCOUNT`, and then approves of one to `APPROVED_ACCOUNT`.
    """

    def test_the_journal_records_what_the_user_decided(
        self, trial: PayingTrial
    ) -> None:
        refused, approved = approvals_in(trial.events)

        assert refused.arguments["recipient"] == REFUSED_ACCOUNT
        assert refused.answer == "refused"
        assert approved.arguments["recipient"] == APPROVED_ACCOUNT
        assert approved.answer == "approved"

    def test_the_journal_records_what_the_user_was_asked(
        self, trial: PayingTrial
    ) -> None:
        recorded_questions = [approval.text for approval in approvals_in(trial.events)]

        assert recorded_questions == trial.questions

    def test_the_journal_records_why_a_call_was_stopped(
        self, trial: PayingTrial
    ) -> None:
        """An event of this type without an objection says later what became of a stopped call."""
        stopped_accounts: list[object] = []
        for event in trial.events:
            if isinstance(event, CallStopped) and event.objection:
                stopped_accounts.append(event.arguments["recipient"])

        assert stopped_accounts == [REFUSED_ACCOUNT]
