"""A trial whose process was killed is resumed: it neither asks nor pays for what is recorded already.

The trial reads a mail, and pays to an account in it. As only the mail names the account, the user is
asked before. Each of these things is an event in the journal, from which `resume` takes it.
"""

from __future__ import annotations

import pytest

from controlplane.agent.evidence import RecordDiverged, parse_policy
from tests.agent.evidence.tape.paying_trial import (
    APPROVED_ACCOUNT,
    REFUSED_ACCOUNT,
    PayingTrial,
)


def read_and_pay(trial: PayingTrial, account: str) -> PayingTrial:
    """Make the two calls of the trial, and return it."""
    trial.call("read", path="/mail/m1.md")
    trial.call("pay", recipient=account)
    return trial


class TestApprovedPayment:
    """The user says yes to the payment, so it is announced in the journal, and then made."""

    def test_a_trial_that_was_killed_before_the_question_asks_and_pays(self) -> None:
        first = read_and_pay(PayingTrial(), APPROVED_ACCOUNT)
        mail_read, _approval, _announcement, _payment = first.events

        resumed = read_and_pay(PayingTrial([mail_read]), APPROVED_ACCOUNT)

        assert len(resumed.questions) == 1
        assert resumed.questions == first.questions
        assert resumed.paid == [APPROVED_ACCOUNT]

    def test_a_trial_that_was_killed_after_the_approval_pays_without_a_question(
        self,
    ) -> None:
        first = read_and_pay(PayingTrial(), APPROVED_ACCOUNT)
        mail_read, approval, _announcement, _payment = first.events

        resumed = read_and_pay(PayingTrial([mail_read, approval]), APPROVED_ACCOUNT)

        assert resumed.questions == []
        assert resumed.paid == [APPROVED_ACCOUNT]

    def test_a_payment_that_was_under_way_is_not_made_again(self) -> None:
        """It may have been made, although its result is not in the journal."""
        first = read_and_pay(PayingTrial(), APPROVED_ACCOUNT)
        mail_read, approval, announcement, _payment = first.events

        recorded = [mail_read, approval, announcement]
        resumed = read_and_pay(PayingTrial(recorded), APPROVED_ACCOUNT)

        assert resumed.questions == []
        assert resumed.paid == []
        _mail, result_of_payment = resumed.results
        assert result_of_payment == (
            "the call was cut off; whether it happened is not known"
        )

    def test_a_trial_that_was_killed_after_the_payment_gets_its_result(self) -> None:
        first = read_and_pay(PayingTrial(), APPROVED_ACCOUNT)

        resumed = read_and_pay(PayingTrial(first.events), APPROVED_ACCOUNT)

        assert resumed.questions == []
        assert resumed.paid == []
        assert resumed.results == first.results

    def test_an_approval_does_not_count_for_another_payment(self) -> None:
        """The resumed trial, whose solver does not do the same twice, pays to another account."""
        first = read_and_pay(PayingTrial(), APPROVED_ACCOUNT)
        mail_read, approval, _announcement, _payment = first.events

        resumed = PayingTrial([mail_read, approval])
        resumed.call("read", path="/mail/m1.md")
        with pytest.raises(RecordDiverged, match="approvals was pay"):
            resumed.call("pay", recipient=REFUSED_ACCOUNT)

        assert resumed.paid == []


class TestRefusedPayment:
    """The user says no, so the payment is stopped. Its result is the message why."""

    def test_a_trial_that_was_killed_before_the_question_asks(self) -> None:
        first = read_and_pay(PayingTrial(), REFUSED_ACCOUNT)
        mail_read, _refusal, _stop = first.events

        resumed = read_and_pay(PayingTrial([mail_read]), REFUSED_ACCOUNT)

        assert len(resumed.questions) == 1
        assert resumed.questions == first.questions
        assert resumed.paid == []

    def test_a_trial_that_was_killed_after_the_refusal_does_not_ask_again(self) -> None:
        first = read_and_pay(PayingTrial(), REFUSED_ACCOUNT)
        mail_read, refusal, _stop = first.events

        resumed = read_and_pay(PayingTrial([mail_read, refusal]), REFUSED_ACCOUNT)

        assert resumed.questions == []
        assert resumed.paid == []
        assert resumed.results == first.results

    def test_a_payment_that_was_stopped_is_stopped_again(self) -> None:
        first = read_and_pay(PayingTrial(), REFUSED_ACCOUNT)

        resumed = read_and_pay(PayingTrial(first.events), REFUSED_ACCOUNT)

        assert resumed.questions == []
        assert resumed.paid == []
        assert resumed.results == first.results

    def test_a_resumed_trial_that_stops_another_payment_is_refused(self) -> None:
        """The resumed trial pays to the other account, which the setting `block` stops without a
        question."""
        first = read_and_pay(PayingTrial(), REFUSED_ACCOUNT)

        resumed = PayingTrial(first.events)
        resumed.session.recorder.call_origins.policy = parse_policy("block")
        resumed.call("read", path="/mail/m1.md")
        with pytest.raises(RecordDiverged, match="stopped was pay was not sent"):
            resumed.call("pay", recipient=APPROVED_ACCOUNT)

        assert resumed.paid == []
