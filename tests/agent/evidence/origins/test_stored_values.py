"""A value of a mail is not trusted because a list shows it after the trial has stored it.

A trial pays to an account that only a mail names. A list of payments then has the account in a record.
Values of records are trusted (`Origin.RECORD`). This one has come from the trial itself, so its origin
stays that of the mail (`Origin.PROSE`).
"""

from controlplane.agent.evidence.origins.texts import Origin
from controlplane.sandbox.interface import Plain, bounds
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial


def make_changing_call(texts: TextsOfTrial, arguments: dict[str, Plain]) -> None:
    """Let the trial change something by a call with these arguments, such as a payment.

    A call that changes something makes the trial remember its untrusted values.
    """
    for origin in texts.origins(arguments).values():
        texts.provenance.untrusted.add(origin.untrusted_findings)


def test_the_arguments_of_a_changing_call_keep_their_origins() -> None:
    """The account is that of a mail, and the script has made the subject up."""
    texts = TextsOfTrial(mail="Please pay the invoice to UK12345678901234567890.")
    payment: dict[str, Plain] = {
        "recipient": "UK12345678901234567890",
        "subject": "Rent of June",
    }

    make_changing_call(texts, payment)
    texts.add_result("list_payments", [payment])

    assert texts.origin_of("UK12345678901234567890") is Origin.PROSE
    assert texts.origin_of("Rent of June") is Origin.MADE


def test_a_stored_value_by_which_a_record_is_found_later_is_trusted() -> None:
    """After the payment, the call `account(iban)` finds a record by this value. So the account
    exists in the environment."""
    texts = TextsOfTrial(mail="Please pay the invoice to UK12345678901234567890.")

    make_changing_call(texts, {"recipient": "UK12345678901234567890"})
    texts.provenance.add_record(["UK12345678901234567890"], place="/calls/account")

    assert texts.origin_of("UK12345678901234567890") is Origin.RECORD


def test_a_value_that_the_user_confirms_in_another_spelling_is_asked_for() -> None:
    """The amount 1250 of a mail was paid. Then the user asks for 1,250.00."""
    texts = TextsOfTrial(mail="Please pay the amount of 1250 for the invoice.")

    make_changing_call(texts, {"amount": 1250})
    texts.add_result("list_payments", [{"amount": 1250}])
    assert texts.origin_of(1250) is Origin.PROSE
    texts.add_request("Yes, please pay 1,250.00 once more.")

    assert texts.origin_of(1250) is Origin.ASKED


def test_a_changing_call_with_too_many_values_does_not_affect_other_values() -> None:
    """The values of changing calls are remembered up to a limit, which this call exceeds by one. A
    value that is not in the call must not be taken for one that was forgotten."""
    texts = TextsOfTrial()
    texts.add_result("list_accounts", [{"iban": "DE89370400440532013000"}])
    too_many: list[Plain] = []
    for number in range(bounds.MOST_TRACED_VALUES + 1):
        too_many.append(f"item-{number}")

    make_changing_call(texts, {"items": too_many})

    assert texts.origin_of("DE89370400440532013000") is Origin.RECORD  # still trusted
    assert texts.origin_of("GB00000000000000000000") is Origin.MADE  # in no text
