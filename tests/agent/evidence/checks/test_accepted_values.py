"""A value on which the model insisted is accepted from then on, in the same argument.

A call that changes something is *held* (not sent) if a value of it is only in running text, here a mail.
If the model makes the same call again in a later step, it insists, and the call is sent.
"""

from controlplane import Tool
from tests.agent.evidence.origins.mail_payments import MAIL, PAY
from tests.agent.evidence.origins.mail_trial import MailTrial


def note(text: str) -> str:
    """Keep a note."""
    return "kept"


def test_a_value_is_accepted_in_the_argument_in_which_the_model_insisted() -> None:
    """The model may pay to this account again, also other amounts that the request has."""
    trial = MailTrial(
        MAIL,
        PAY,
        instruction="Pay 5 and then 7 as the mail says.",
    )
    trial.insist_on("pay", recipient="US133000000121212121212", amount=5.0)

    assert not trial.is_held("pay", recipient="US133000000121212121212", amount=5.0)
    assert not trial.is_held(
        "pay",
        recipient="US133000000121212121212",
        amount=7.0,
        subject="the second one",
    )


def test_insisting_on_a_value_does_not_make_other_values_accepted() -> None:
    """Neither the request nor the mail has the amount 9000."""
    trial = MailTrial(MAIL, PAY, instruction="Pay 5 as the mail says.")
    trial.insist_on("pay", recipient="US133000000121212121212", amount=5.0)

    assert trial.is_held("pay", recipient="US133000000121212121212", amount=9000.0)


def test_a_value_on_which_the_model_insisted_is_not_accepted_in_other_calls() -> None:
    """The account was accepted as the recipient of a payment, and not as the text of a note."""
    trial = MailTrial(
        MAIL,
        PAY,
        Tool(note, "acts"),
        instruction="Pay 5 as the mail says.",
    )
    trial.insist_on("pay", recipient="US133000000121212121212", amount=5.0)

    assert trial.is_held("note", text="US133000000121212121212")
