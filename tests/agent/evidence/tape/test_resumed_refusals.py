"""A killed trial, whose user has refused a payment, is resumed from the events in its journal.

The trial reads a mail, and wants to pay to an account in it. The user is asked, and says no. So the
payment is stopped, and its result is the message why. The resumed trial does not ask again.
"""

import pytest

from controlplane.agent.evidence import RecordDiverged
from tests.agent.evidence.tape.paying_trial import PayingTrial
from tests.agent.evidence.tape.paying_user import APPROVED_ACCOUNT, REFUSED_ACCOUNT
from tests.agent.evidence.tape.payment_of_mail import read_and_pay


def test_a_trial_that_was_killed_before_the_question_asks() -> None:
    first = read_and_pay(PayingTrial(), REFUSED_ACCOUNT)
    mail_read, _refusal, _stop = first.events

    resumed = read_and_pay(PayingTrial([mail_read]), REFUSED_ACCOUNT)

    assert len(resumed.questions) == 1
    assert resumed.questions == first.questions
    assert resumed.paid == []


def test_a_trial_that_was_killed_after_the_refusal_does_not_ask_again() -> None:
    first = read_and_pay(PayingTrial(), REFUSED_ACCOUNT)
    mail_read, refusal, _stop = first.events

    resumed = read_and_pay(PayingTrial([mail_read, refusal]), REFUSED_ACCOUNT)

    assert resumed.questions == []
    assert resumed.paid == []
    assert resumed.results == first.results


def test_a_payment_that_was_stopped_is_stopped_again() -> None:
    first = read_and_pay(PayingTrial(), REFUSED_ACCOUNT)

    resumed = read_and_pay(PayingTrial(first.events), REFUSED_ACCOUNT)

    assert resumed.questions == []
    assert resumed.paid == []
    assert resumed.results == first.results


def test_a_resumed_trial_that_stops_another_payment_is_refused() -> None:
    """The resumed trial pays to the other account, which the setting `block` stops without a
    question."""
    first = read_and_pay(PayingTrial(), REFUSED_ACCOUNT)

    resumed = PayingTrial(first.events, provenance="block")
    resumed.call("read", path="/mail/m1.md")
    with pytest.raises(RecordDiverged, match="stopped was pay was not sent"):
        resumed.call("pay", recipient=APPROVED_ACCOUNT)

    assert resumed.paid == []
