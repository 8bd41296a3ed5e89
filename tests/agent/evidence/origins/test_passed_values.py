"""A value that a call passes to a tool does not become trusted because the tool returns it.

A mail, which may be an attacker's, names an account. The script calls `check(account)`, and the tool
returns a record with the account. Fields of a record are trusted (their origin is `RECORD`), but
this one only repeats the argument, so the account is still that of the mail (`PROSE`).
"""

from __future__ import annotations

import pytest

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.sandbox.interface import Plain, bounds
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial


class TestRepeatedArguments:
    """An argument that a tool only repeats does not become data.

    The call is `check("UK123...")`, and its result `{"checked": "UK123...", "owner": "Zoe 4711"}`.
    """

    @pytest.mark.parametrize(
        ("argument", "origin"),
        [
            pytest.param(
                "UK12345678901234567890", Origin.PROSE, id="account of a mail"
            ),
            pytest.param("Blue Harbour Hotel", Origin.MADE, id="made-up name"),
        ],
    )
    def test_an_argument_that_a_tool_repeats_does_not_become_data(
        self, argument: str, origin: Origin
    ) -> None:
        """The tool `check` returns a record with its own argument in the field `checked`."""
        texts = TextsOfTrial(mail="Please pay the invoice to UK12345678901234567890.")
        record = {"checked": argument, "is": "valid", "owner": "Zoe 4711"}

        texts.add_result("check", record, argument=argument)

        assert texts.origin_of(argument) is origin

    def test_a_new_value_beside_a_repeated_argument_is_data(self) -> None:
        """The tool has added the owner, which was not in its argument."""
        texts = TextsOfTrial()
        record = {"checked": "Blue Harbour Hotel", "is": "valid", "owner": "Zoe 4711"}

        texts.add_result("check", record, argument="Blue Harbour Hotel")

        assert texts.origin_of("Zoe 4711") is Origin.RECORD

    def test_a_value_by_which_a_record_was_found_counts_as_data(self) -> None:
        """The call `account(iban)` was made with the account of the mail, and found a record. So
        the account exists, and whoever wrote the mail has not made it up."""
        texts = TextsOfTrial(mail="Please pay the invoice to UK12345678901234567890.")

        texts.provenance.add_record(["UK12345678901234567890"], "/calls/account")

        assert texts.origin_of("UK12345678901234567890") is Origin.RECORD


def make_changing_call(texts: TextsOfTrial, arguments: dict[str, Plain]) -> None:
    """Let the trial change something by a call with these arguments."""
    origins = texts.origins(arguments)
    texts.provenance.untrusted.add(origins.values())


class TestChangingCalls:
    """What the trial itself has stored by a call does not become data when it is listed.

    `make_changing_call(texts, arguments)` makes a payment, which a list of payments then has, too.
    """

    def test_the_arguments_of_a_changing_call_keep_their_origins(self) -> None:
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

    def test_a_value_that_the_user_confirms_in_another_spelling_is_asked_for(
        self,
    ) -> None:
        """1. The trial pays the amount of a mail, 1250, which is untrusted.
        2. A list of payments now has it as `1250`, too.
        3. The user confirms it as `1,250.00`."""
        texts = TextsOfTrial(mail="Please pay the amount of 1250 for the invoice.")
        payment: dict[str, Plain] = {"amount": 1250}

        make_changing_call(texts, payment)
        texts.add_result("payments", [payment])
        assert texts.origin_of(1250) is Origin.PROSE
        texts.add_request("Yes, please pay 1,250.00 once more.")

        assert texts.origin_of(1250) is Origin.ASKED

    def test_a_changing_call_with_too_many_values_does_not_affect_other_values(
        self,
    ) -> None:
        """`MOST_TRACED_VALUES` values of changing calls are remembered. This call has one more.
        What no such call passed keeps its origin: the account of a record, and one that no text
        states."""
        texts = TextsOfTrial()
        texts.add_result("accounts", [{"iban": "DE89370400440532013000"}])
        too_many: list[Plain] = []
        for number in range(bounds.MOST_TRACED_VALUES + 1):
            too_many.append(f"item-{number}")

        make_changing_call(texts, {"items": too_many})

        assert texts.origin_of("DE89370400440532013000") is Origin.RECORD
        assert texts.origin_of("GB00000000000000000000") is Origin.MADE
