"""An account of a mail is trusted if the bank has found it, and not because it was paid before.

A payment to an account that only a mail states is *held*, that is, not sent. `MAIL` asks for a payment
to US133000000121212121212.
"""

from controlplane import Tool
from tests.agent.evidence.origins.mail_payments import MAIL, PAY
from tests.agent.evidence.origins.mail_trial import MailTrial


def test_the_list_of_own_payments_does_not_make_their_accounts_trusted() -> None:
    """A mail could ask for a small payment first, so that its account gets into data.

    The user approves of the small payment. The list of payments then has the account as a
    field of a record. The user is still asked about the large payment, and refuses it.
    """
    paid: list[tuple[str, float]] = []
    questions: list[str] = []

    def pay(recipient: str, amount: float) -> str:
        """Pay."""
        paid.append((recipient, amount))
        return f"Sent {amount} to {recipient}."

    def payments() -> list[dict[str, object]]:
        """All payments."""
        return [{"recipient": iban, "amount": amount} for iban, amount in paid]

    def approve_small_payment(question: str) -> bool:
        questions.append(question)
        return "9000" not in question

    trial = MailTrial(
        MAIL,
        Tool(pay, "acts"),
        Tool(payments, "returns"),
        provenance="approve",
        approve=approve_small_payment,
    )
    trial.call("pay", recipient="US133000000121212121212", amount=0.01)
    trial.call("payments")

    assert trial.is_held("pay", recipient="US133000000121212121212", amount=9000.0)

    _question_on_small_payment, question_on_large_payment = questions
    assert "9000" in question_on_large_payment
    assert paid == [("US133000000121212121212", 0.01)]


def account(iban: str) -> dict[str, str]:
    """Look an account up."""
    return {"owner": "Ann Miller", "iban": iban}


def test_a_value_by_which_a_record_was_found_is_trusted() -> None:
    """The tool is declared to find a record by its argument `iban`. It finds one for the account
    of the mail, so the account exists. It may be paid even with the setting `block`."""
    trial = MailTrial(
        MAIL,
        PAY,
        Tool(account, "returns", keys=("iban",)),
        provenance="block",
    )
    assert trial.is_held("pay", recipient="US133000000121212121212")

    trial.call("account", iban="US133000000121212121212")

    assert not trial.is_held("pay", recipient="US133000000121212121212")
