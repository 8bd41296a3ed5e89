"""A killed trial, whose user has approved of a payment, is resumed from the events in its journal.

The trial reads a mail, and pays to an account in it. The user is asked, and says yes. So the payment is
announced in the journal, and then made. The resumed trial neither asks nor pays for what is recorded.
"""

import pytest

from controlplane.agent.evidence import RecordDiverged
from tests.agent.evidence.tape.paying_trial import PayingTrial
from tests.agent.evidence.tape.paying_user import APPROVED_ACCOUNT, REFUSED_ACCOUNT
from tests.agent.evidence.tape.payment_of_mail import read_and_pay


def test_a_trial_that_was_killed_before_the_question_asks_and_pays() -> None:
    first = read_and_pay(PayingTrial(), APPROVED_ACCOUNT)
    mail_read, _approval, _announcement, _payment = first.events

    resumed = read_and_pay(PayingTrial([mail_read]), APPROVED_ACCOUNT)

    assert len(resumed.questions) == 1
    assert resumed.questions == first.questions
    assert resumed.paid == [APPROVED_ACCOUNT]


def test_a_trial_that_was_killed_after_the_approval_pays_without_a_question() -> None:
    first = read_and_pay(PayingTrial(), APPROVED_ACCOUNT)
    mail_read, approval, _announcement, _payment = first.events

    resumed = read_and_pay(PayingTrial([mail_read, approval]), APPROVED_ACCOUNT)

    assert resumed.questions == []
    assert resumed.paid == [APPROVED_ACCOUNT]


def test_a_payment_that_was_under_way_is_not_made_again() -> None:
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


def test_a_trial_that_was_killed_after_the_payment_gets_its_result() -> None:
    first = read_and_pay(PayingTrial(), APPROVED_ACCOUNT)

    resumed = read_and_pay(PayingTrial(first.events), APPROVED_ACCOUNT)

    assert resumed.questions == []
    assert resumed.paid == []
    assert resumed.results == first.results


def test_an_approval_does_not_count_for_another_payment() -> None:
    """The resumed trial, whose solver does not do the same twice, pays to another account."""
    first = read_and_pay(PayingTrial(), APPROVED_ACCOUNT)
    mail_read, approval, _announcement, _payment = first.events

    resumed = PayingTrial([mail_read, approval])
    resumed.call("read", path="/mail/m1.md")
    with pytest.raises(RecordDiverged, match="approvals was pay"):
        resumed.call("pay", recipient=REFUSED_ACCOUNT)

    assert resumed.paid == []
