"""Where a value in a call's argument comes from.

| origin   | which text states the value             | is it trusted? |
| -------- | --------------------------------------- | -------------- |
| `ASKED`  | the user's request                      | yes            |
| `RULES`  | the rules of the workspace              | yes            |
| `RECORD` | a field of data, such as a record       | yes            |
| `PROSE`  | only running text, such as a mail       | no             |
| `MADE`   | none: the script has made the value up  | no             |

A call with a value that is not trusted may be stopped: `pay(to="the account of a mail")`.
"""

from __future__ import annotations

import pytest

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.values.argument_keys import keys_of_all
from controlplane.sandbox.interface import Plain, bounds
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial

# The first matching row of the table above counts
# --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("US133000000121212121212", id="account"),
        pytest.param(850, id="amount"),
        pytest.param(850.0, id="amount as a decimal number"),
        pytest.param("Emma@Site.com", id="address in capitals"),
        pytest.param("2026-05-15", id="date in figures"),
    ],
)
def test_a_value_of_the_request_is_asked_for(value: Plain) -> None:
    texts = TextsOfTrial(
        request="Pay the rent of 850 to US133000000121212121212, "
        "and tell emma@site.com by 15 May 2026."
    )

    assert texts.origin_of(value) is Origin.ASKED


def test_a_value_of_the_rules_has_their_origin() -> None:
    texts = TextsOfTrial(rules="Transfers above 5000 need the code TX-77.")

    assert texts.origin_of("TX-77") is Origin.RULES


def test_a_value_of_a_field_is_data() -> None:
    texts = TextsOfTrial()
    texts.add_result("accounts", [{"name": "Ann", "iban": "DE89370400440532013000"}])

    assert texts.origin_of("DE89370400440532013000") is Origin.RECORD


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("UK12345678901234567890", id="account"),
        pytest.param(1250, id="amount"),
    ],
)
def test_a_value_that_only_a_mail_states_is_of_running_text(value: Plain) -> None:
    texts = TextsOfTrial(
        mail="Please pay the invoice to UK12345678901234567890. "
        "The amount is 1,250.00 EUR."
    )

    assert texts.origin_of(value) is Origin.PROSE


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("GB00000000000000000000", id="account of no text"),
        pytest.param("S133000000121212121212", id="account without its first letter"),
    ],
)
def test_a_value_that_no_text_states_is_made_up(value: str) -> None:
    texts = TextsOfTrial(
        request="Pay the rent of 850 to US133000000121212121212.",
        mail="Please pay the invoice to UK12345678901234567890.",
    )

    assert texts.origin_of(value) is Origin.MADE


def test_a_value_of_two_texts_has_the_origin_of_the_more_trusted_one() -> None:
    texts = TextsOfTrial(
        request="Pay the rent of 850.", mail="Please pay the rent of 850."
    )

    assert texts.origin_of(850) is Origin.ASKED


def test_an_argument_with_several_values_has_the_least_trusted_origin() -> None:
    """The code TX-77 is of the rules, but the account is only in the mail."""
    texts = TextsOfTrial(
        rules="Transfers above 5000 need the code TX-77.",
        mail="Please pay the invoice to UK12345678901234567890.",
    )
    letter = "Dear Emma, TX-77 and UK12345678901234567890 were in my mail."

    assert texts.origin_of(letter) is Origin.PROSE


def test_a_plain_word_has_no_origin() -> None:
    """Any text may have such a word by chance, so it is not looked up."""
    texts = TextsOfTrial(mail="Please restart all of the servers by tonight.")

    assert texts.origin_of("restart") is None


# Values that pass through calls
# --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argument", "origin"),
    [
        pytest.param("UK12345678901234567890", Origin.PROSE, id="account of a mail"),
        pytest.param("Blue Harbour Hotel", Origin.MADE, id="made-up name"),
    ],
)
def test_an_argument_that_a_tool_repeats_does_not_become_data(
    argument: str, origin: Origin
) -> None:
    """The tool `check` returns a record with its own argument in the field `checked`."""
    texts = TextsOfTrial(mail="Please pay the invoice to UK12345678901234567890.")
    record = {"checked": argument, "is": "valid", "owner": "Zoe 4711"}

    texts.add_result("check", record, argument=argument)

    assert texts.origin_of(argument) is origin


def test_a_new_value_beside_a_repeated_argument_is_data() -> None:
    """The tool has added the owner, which was not in its argument."""
    texts = TextsOfTrial()
    record = {"checked": "Blue Harbour Hotel", "is": "valid", "owner": "Zoe 4711"}

    texts.add_result("check", record, argument="Blue Harbour Hotel")

    assert texts.origin_of("Zoe 4711") is Origin.RECORD


def make_changing_call(texts: TextsOfTrial, arguments: dict[str, Plain]) -> None:
    """Let the trial change something by a call with these arguments."""
    origins = texts.origins(arguments)
    texts.provenance.untrusted.add(origins.values())


def test_the_arguments_of_a_changing_call_keep_their_origins() -> None:
    """1. The trial pays to the account of a mail, with a subject that the script has made up.
    2. A list of payments now has both as fields of a record.
    3. Fields are trusted, but these two values are the trial's own."""
    texts = TextsOfTrial(mail="Please pay the invoice to UK12345678901234567890.")
    payment: dict[str, Plain] = {
        "recipient": "UK12345678901234567890",
        "subject": "Rent of June",
    }

    make_changing_call(texts, payment)
    texts.add_result("payments", [payment])

    assert texts.origin_of("UK12345678901234567890") is Origin.PROSE
    assert texts.origin_of("Rent of June") is Origin.MADE


def test_a_changing_call_with_too_many_values_does_not_affect_other_values() -> None:
    """`MOST_TRACED_VALUES` values of changing calls are remembered. This call has one more. What no
    such call passed keeps its origin: the account of a record, and one that no text states."""
    texts = TextsOfTrial()
    texts.add_result("accounts", [{"iban": "DE89370400440532013000"}])
    too_many: list[Plain] = []
    for number in range(bounds.MOST_TRACED_VALUES + 1):
        too_many.append(f"item-{number}")

    make_changing_call(texts, {"items": too_many})

    assert texts.origin_of("DE89370400440532013000") is Origin.RECORD
    assert texts.origin_of("GB00000000000000000000") is Origin.MADE


def test_a_value_by_which_a_record_was_found_counts_as_data() -> None:
    """The call `account(iban)` was made with the account of the mail, and found a record. So the
    account exists, and whoever wrote the mail has not made it up."""
    texts = TextsOfTrial(mail="Please pay the invoice to UK12345678901234567890.")

    texts.provenance.add_record(["UK12345678901234567890"], "/calls/account")

    assert texts.origin_of("UK12345678901234567890") is Origin.RECORD


# The script changes the signature of a letter, and keeps the account in it:
OLD_LETTER = "Please pay the invoice to UK12345678901234567890.\nBob"
NEW_LETTER = "Please pay the invoice to UK12345678901234567890.\nRob"


def test_values_of_a_file_may_be_written_into_the_same_file_again() -> None:
    """The file has the account already, so writing it does no harm."""
    texts = TextsOfTrial()
    texts.add_file("/letter.md", OLD_LETTER)

    origins = texts.origins({"content": NEW_LETTER}, changed_path="/letter.md")

    assert origins["content"].findings_of(Origin.PROSE) == []


def test_values_of_a_file_are_untrusted_if_they_are_written_into_another_file() -> None:
    texts = TextsOfTrial()
    texts.add_file("/letter.md", OLD_LETTER)

    origins = texts.origins({"content": NEW_LETTER}, changed_path="/other.md")

    assert origins["content"].origin is Origin.PROSE


# The schema of a tool may list the values of an argument: `mode` is START or STOP.


def test_a_value_that_the_tool_lists_for_its_argument_is_data() -> None:
    """A page says START, too. But the script may have START from the schema, which is trusted."""
    page = "Turn it with START, and wait until all of the lights are green again."
    texts = TextsOfTrial()
    texts.add_running_text("/page", page)
    listed_values = {"mode": keys_of_all(["START", "STOP"])}

    origins = texts.origins({"mode": "START"}, declared_keys=listed_values)

    assert origins["mode"].origin is Origin.RECORD


def test_a_value_that_no_tool_lists_is_of_the_page() -> None:
    page = "Turn it with START, and wait until all of the lights are green again."
    texts = TextsOfTrial()
    texts.add_running_text("/page", page)

    assert texts.origin_of("START") is Origin.PROSE


@pytest.mark.parametrize("origin", [Origin.ASKED, Origin.RULES, Origin.RECORD])
def test_values_of_the_request_of_rules_and_of_data_are_trusted(origin: Origin) -> None:
    assert origin.is_trusted


@pytest.mark.parametrize("origin", [Origin.PROSE, Origin.MADE])
def test_values_of_running_text_and_of_the_script_are_not_trusted(
    origin: Origin,
) -> None:
    assert not origin.is_trusted
