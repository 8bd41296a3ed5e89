"""Which calls are held in the other modes of `--provenance`, which leave the model no choice.

A call that changes something is *held* (not sent) if a value in it is untrusted. Values of the
user's request, and of data such as a record, are trusted.

| setting   | a value only in running text, such as a mail | a value in no text |
| --------- | -------------------------------------------- | ------------------ |
| `block`   | held                                         | sent               |
| `strict`  | held                                         | held               |
| `approve` | the user decides                             | sent               |
"""

from __future__ import annotations

from tests.agent.evidence.origins.bank_trial import IBAN_OF_MAIL, BankTrial


class TestBlock:
    """`block` never sends a call with a value that only running text has.

    The mail names the account `IBAN_OF_MAIL`, which no other text has.
    """

    def test_block_tells_the_model_how_to_end(self) -> None:
        """With `block`, a call with a value of a mail is never sent, so the model may have to end
        without it. The objection says so."""
        trial = BankTrial("block")
        trial.read_mail()

        objection = trial.call("pay", recipient=IBAN_OF_MAIL)

        assert "end with an answer" in objection

    def test_block_sends_a_value_that_no_text_has(self) -> None:
        """`block` holds calls only for values of running text. The account is neither in the
        request nor in any other text, so the script has made it up, or computed it."""
        trial = BankTrial("block", instruction="Pay the rent.")

        assert not trial.call_is_held("pay", recipient="DE89370400440532013000")


class TestStrict:
    """`strict` sends a call only with values that the request or data states."""

    def test_strict_holds_a_value_that_no_text_has(self) -> None:
        """`strict` sends only values that the request or data states, and this account is
        nowhere."""
        trial = BankTrial("strict", instruction="Pay the rent.")

        objection = trial.call("pay", recipient="DE89370400440532013000")

        assert "nowhere" in objection

    def test_strict_sends_values_of_the_request(self) -> None:
        """All three arguments of the payment are in the request."""
        request = "Pay 5 to DE89370400440532013000, for: rent"
        trial = BankTrial("strict", instruction=request)

        assert not trial.call_is_held(
            "pay", recipient="DE89370400440532013000", amount=5.0, subject="rent"
        )


class TestApprove:
    """`approve` asks the user about a call with a value that only running text has.

    The mail names the account `IBAN_OF_MAIL`. The user answers a question by True or False.
    """

    def test_approve_asks_the_user_once_about_the_same_call(self) -> None:
        """The user has approved of the payment, so the same payment is made again without a
        question."""
        questions: list[str] = []

        def approve(question: str) -> bool:
            questions.append(question)
            return True

        trial = BankTrial("approve", approve=approve)
        trial.read_mail()

        assert not trial.call_is_held("pay", recipient=IBAN_OF_MAIL, amount=0.01)
        trial.call("payments")
        assert not trial.call_is_held("pay", recipient=IBAN_OF_MAIL, amount=0.01)

        (question,) = questions
        assert "0.01" in question
        assert trial.bank.paid == [(IBAN_OF_MAIL, 0.01), (IBAN_OF_MAIL, 0.01)]

    def test_approve_shows_the_user_each_argument_and_every_hidden_sign(self) -> None:
        """The user decides by the question, and must not overlook anything. An attacker may choose
        the subject so that a terminal would hide the arguments behind it."""
        questions: list[str] = []

        def refuse(question: str) -> bool:
            questions.append(question)
            return False

        trial = BankTrial("approve", approve=refuse)
        trial.read_mail()
        subject = "Rent. "
        subject += "\x1b[2K"  # an escape sequence that clears the line
        subject += "\u202e"  # a sign that turns the direction of the text
        subject += "a" * 5_000  # fills the screen
        subject += " p\u0430y"  # has a Cyrillic letter that looks like an a

        trial.call("pay", subject=subject, recipient=IBAN_OF_MAIL, amount=999999.0)

        (question,) = questions
        assert f"recipient={IBAN_OF_MAIL!r}" in question
        assert "amount=999999.0" in question
        assert "further characters are not shown" in question
        assert question.isprintable()
