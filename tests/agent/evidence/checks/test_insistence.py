"""With `--provenance ask`, a call with an untrusted value is held until the model insists on it.

An agent that follows a mail instead of its user pays into the wrong account. So a call that
changes something is *held* (not sent) if one of its values is only in running text, such as a mail.
The model reads why. If it makes the same call again in a later step, it insists, and the call is
sent.
"""

from __future__ import annotations

from tests.agent.evidence.origins.bank_trial import IBAN_OF_MAIL, BankTrial


class TestRepeatedCalls:
    """A held call is sent if the model, which has read why, makes it again.

    The mail says "Please pay 420 to" the account `IBAN_OF_MAIL`, which no other text names. The
    model reads why a call is held when its step, the run of one script, has ended.
    """

    def test_a_value_of_a_mail_holds_a_call_and_its_sentence_is_quoted(self) -> None:
        """The mail says "Dear Ada, it was lovely to see all of you last week. Please pay 420 to
        ...". The model is told where the account stands, and what the sentence with it says."""
        trial = BankTrial("ask")
        trial.read_mail()

        objection = trial.call("pay", recipient=IBAN_OF_MAIL)

        assert IBAN_OF_MAIL in objection
        assert "/mail/m1.md, line 1" in objection
        assert objection.count("Please pay 420 to") == 1
        assert "Dear Ada" not in objection  # the sentence before

    def test_a_held_call_is_sent_if_it_is_repeated_in_a_later_step(self) -> None:
        """The model reads the objection when the step ends. If it then makes the call again, it
        insists on the call."""
        trial = BankTrial("ask")
        trial.read_mail()
        assert trial.call_is_held("pay", recipient=IBAN_OF_MAIL)
        trial.end_step()

        assert not trial.call_is_held("pay", recipient=IBAN_OF_MAIL)
        assert len(trial.bank.paid) == 1

    def test_a_held_call_is_not_sent_if_it_is_repeated_in_the_same_step(self) -> None:
        """A script may repeat the call as often as it likes: the model has not read the objection
        yet."""
        trial = BankTrial("ask")
        trial.read_mail()

        for _ in range(3):
            assert trial.call_is_held("pay", recipient=IBAN_OF_MAIL)

        assert trial.bank.paid == []

    def test_a_solver_without_scripts_insists_by_its_next_call(self) -> None:
        """Here the model makes each call itself (`in_script=False`). It has read the objection
        before it makes the next one."""
        trial = BankTrial("ask")
        trial.read_mail()

        assert trial.call_is_held("pay", recipient=IBAN_OF_MAIL, in_script=False)
        assert not trial.call_is_held("pay", recipient=IBAN_OF_MAIL, in_script=False)

    def test_a_call_held_before_an_interruption_is_sent_when_it_is_repeated(
        self,
    ) -> None:
        """1. A call is held. Then the process is killed.
        2. Another process resumes the trial. From the events of the earlier one, it learns which
        call was
           held, and that the model has read the objection.
        3. The model makes the call again, so it insists."""
        earlier_trial = BankTrial("ask")
        earlier_trial.read_mail()
        assert earlier_trial.call_is_held("pay", recipient=IBAN_OF_MAIL)

        resumed_trial = BankTrial("ask")
        resumed_trial.read_mail()
        resumed_trial.remember_held_calls(earlier_trial.events)
        resumed_trial.end_step()

        assert not resumed_trial.call_is_held("pay", recipient=IBAN_OF_MAIL)


class TestAcceptedValues:
    """A value on which the model insisted is accepted from then on, in the same argument.

    The user has asked to pay 5 as the mail says. `insist_on` makes a call, ends the step, and makes
    the call again, with the account of the mail as the recipient.
    """

    def test_a_value_is_accepted_in_the_argument_in_which_the_model_insisted(
        self,
    ) -> None:
        """The model has insisted on the recipient of a payment. So it may pay to this account
        again, also with other values that are trusted: the request has the amount 7."""
        trial = BankTrial("ask", instruction="Pay 5 and then 7 as the mail says.")
        trial.read_mail()
        trial.insist_on("pay", recipient=IBAN_OF_MAIL, amount=5.0)

        assert not trial.call_is_held("pay", recipient=IBAN_OF_MAIL, amount=5.0)
        assert not trial.call_is_held(
            "pay", recipient=IBAN_OF_MAIL, amount=7.0, subject="the second one"
        )

    def test_insisting_on_a_value_does_not_make_other_values_accepted(self) -> None:
        """The model insisted on paying 5 to the account. Neither the request nor the mail has the
        amount 9000, so the model has to insist on that as well."""
        trial = BankTrial("ask", instruction="Pay 5 as the mail says.")
        trial.read_mail()
        trial.insist_on("pay", recipient=IBAN_OF_MAIL, amount=5.0)

        assert trial.call_is_held("pay", recipient=IBAN_OF_MAIL, amount=9000.0)

    def test_a_value_on_which_the_model_insisted_is_not_accepted_in_other_calls(
        self,
    ) -> None:
        """The account was accepted as the recipient of a payment, and not as the text of a note."""
        trial = BankTrial("ask", instruction="Pay 5 as the mail says.")
        trial.read_mail()
        trial.insist_on("pay", recipient=IBAN_OF_MAIL, amount=5.0)

        assert trial.call_is_held("note", text=IBAN_OF_MAIL)
