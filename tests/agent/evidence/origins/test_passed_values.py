"""A value that a call passes to a tool is not trusted just because the tool repeats it.

The origin of a value says where it comes from:

    Origin.RECORD    a field of a record that a tool returned: trusted
    Origin.PROSE     a text that anybody may have written, such as a mail: not trusted
    Origin.MADE      no text has it: the model made it up
"""

from controlplane.agent.evidence.origins.texts import Origin
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial


def test_an_account_of_a_mail_stays_that_of_the_mail_if_a_tool_repeats_it() -> None:
    texts = TextsOfTrial(mail="Please pay the invoice to UK12345678901234567890.")

    texts.add_result(
        "check_account",
        {"checked": "UK12345678901234567890", "is": "valid"},
        argument="UK12345678901234567890",
    )

    assert texts.origin_of("UK12345678901234567890") is Origin.PROSE


def test_a_made_up_name_stays_made_up_if_a_tool_repeats_it() -> None:
    texts = TextsOfTrial()

    texts.add_result(
        "check_name",
        {"checked": "Blue Harbour Hotel", "is": "valid"},
        argument="Blue Harbour Hotel",
    )

    assert texts.origin_of("Blue Harbour Hotel") is Origin.MADE


def test_a_new_value_beside_a_repeated_one_is_trusted() -> None:
    """The tool has added the owner, which was not in its argument."""
    texts = TextsOfTrial()

    texts.add_result(
        "check_name",
        {"checked": "Blue Harbour Hotel", "owner": "Zoe 4711"},
        argument="Blue Harbour Hotel",
    )

    assert texts.origin_of("Zoe 4711") is Origin.RECORD


def test_a_value_by_which_a_record_was_found_is_trusted() -> None:
    """The call `account(iban)` has found a record by the account of the mail. So the account exists:
    whoever wrote the mail has not made it up."""
    texts = TextsOfTrial(mail="Please pay the invoice to UK12345678901234567890.")

    texts.provenance.add_record(["UK12345678901234567890"], "/calls/account")

    assert texts.origin_of("UK12345678901234567890") is Origin.RECORD
