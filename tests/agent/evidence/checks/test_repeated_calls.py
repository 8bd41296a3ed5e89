"""A call that was held is sent if the model, which has read why, makes it again.

A call that changes something is *held* (not sent) if a value of it is only in running text, here a mail
that asks for a payment. The model reads why when its step, the run of one script, has ended. If it makes
the same call again in a later step, it insists, and the call is sent.
"""

from controlplane import Tool
from controlplane.agent.events import CallStopped
from tests.agent.evidence.origins.mail_payments import MAIL, PAY
from tests.agent.evidence.origins.mail_trial import MailTrial


def test_a_held_call_is_sent_if_it_is_repeated_in_a_later_step() -> None:
    paid: list[str] = []

    def pay(recipient: str) -> None:
        """Pay."""
        paid.append(recipient)

    trial = MailTrial(MAIL, Tool(pay, "acts"))
    assert trial.is_held("pay", recipient="US133000000121212121212")
    assert paid == []
    trial.end_step()

    assert not trial.is_held("pay", recipient="US133000000121212121212")
    assert paid == ["US133000000121212121212"]


def test_a_held_call_is_not_sent_if_it_is_repeated_in_the_same_step() -> None:
    """A script may repeat the call as often as it likes: the model has not read the objection
    yet."""
    trial = MailTrial(MAIL, PAY)

    assert trial.is_held("pay", recipient="US133000000121212121212")
    assert trial.is_held("pay", recipient="US133000000121212121212")
    assert trial.is_held("pay", recipient="US133000000121212121212")


def test_a_model_without_scripts_insists_by_its_next_call() -> None:
    """It has read the objection before it makes the next call."""
    trial = MailTrial(MAIL, PAY)
    account = "US133000000121212121212"

    first_objection = trial.call("pay", recipient=account, in_script=False)
    second_objection = trial.call("pay", recipient=account, in_script=False)

    assert first_objection != ""
    assert second_objection == ""


def test_a_call_held_before_an_interruption_is_sent_when_it_is_repeated() -> None:
    """The process is killed after the call was held. Another process resumes the trial, and
    learns from the events which call was held, and that the model has read why."""
    killed_trial = MailTrial(MAIL, PAY)
    assert killed_trial.is_held("pay", recipient="US133000000121212121212")

    resumed_trial = MailTrial(MAIL, PAY)
    for event in killed_trial.events:
        if isinstance(event, CallStopped):
            resumed_trial.checks.remember_stop(event)
    resumed_trial.end_step()

    assert not resumed_trial.is_held("pay", recipient="US133000000121212121212")
