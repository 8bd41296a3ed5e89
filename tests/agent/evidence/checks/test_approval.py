"""`--provenance approve` asks the user about a call with a value that only running text has.

Such a text is a mail: `MAIL` asks for a payment to US133000000121212121212. `approve` is the function
that asks the user, and is true if the call may be sent.
"""

from controlplane import Tool
from tests.agent.evidence.origins.mail_payments import MAIL, PAY
from tests.agent.evidence.origins.mail_trial import MailTrial


def test_approve_asks_the_user_once_about_the_same_call() -> None:
    paid: list[tuple[str, float]] = []
    questions: list[str] = []

    def pay(recipient: str, amount: float) -> None:
        """Pay."""
        paid.append((recipient, amount))

    def approve(question: str) -> bool:
        questions.append(question)
        return True

    trial = MailTrial(MAIL, Tool(pay, "acts"), provenance="approve", approve=approve)
    trial.call("pay", recipient="US133000000121212121212", amount=0.01)
    trial.call("pay", recipient="US133000000121212121212", amount=0.01)

    (question,) = questions
    assert "0.01" in question
    assert paid == [
        ("US133000000121212121212", 0.01),
        ("US133000000121212121212", 0.01),
    ]


def test_approve_shows_the_user_each_argument_and_every_hidden_sign() -> None:
    """An attacker may choose the subject so that a terminal would hide the arguments behind
    it. The user decides by the question, and must not overlook anything."""
    questions: list[str] = []

    def refuse(question: str) -> bool:
        questions.append(question)
        return False

    subject = "Rent. "
    subject += "\x1b[2K"  # an escape sequence that clears the line
    subject += "\u202e"  # a sign that turns the direction of the text
    subject += "a" * 5_000  # fills the screen
    subject += " p\u0430y"  # has a Cyrillic letter that looks like an a
    trial = MailTrial(MAIL, PAY, provenance="approve", approve=refuse)

    trial.call(
        "pay",
        subject=subject,
        recipient="US133000000121212121212",
        amount=999999.0,
    )

    (question,) = questions
    assert "recipient='US133000000121212121212'" in question
    assert "amount=999999.0" in question
    assert "further characters are not shown" in question
    assert question.isprintable()
