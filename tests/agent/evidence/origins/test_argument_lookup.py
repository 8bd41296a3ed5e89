"""Where a value in a call's argument comes from.

| origin   | which text states the value             | is it trusted? |
| -------- | --------------------------------------- | -------------- |
| `ASKED`  | the user's request                      | yes            |
| `RULES`  | the rules of the workspace              | yes            |
| `RECORD` | a field of data, such as a record       | yes            |
| `PROSE`  | only running text, such as a mail       | no             |
| `MADE`   | none: the script has made the value up  | no             |

The first matching row counts. A call with a value that is not trusted may be stopped:
`pay(to="the account of a mail")`.
"""

from __future__ import annotations

import pytest

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.sandbox.interface import Plain
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial


class TestOrigins:
    """A value has the origin of the text that states it.

    `texts.origin_of(value)` looks a value up in the request, the rules and a mail.
    """

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
    def test_a_value_of_the_request_is_asked_for(self, value: Plain) -> None:
        texts = TextsOfTrial(
            request="Pay the rent of 850 to US133000000121212121212, "
            "and tell emma@site.com by 15 May 2026."
        )

        assert texts.origin_of(value) is Origin.ASKED

    def test_a_value_of_the_rules_has_their_origin(self) -> None:
        texts = TextsOfTrial(rules="Transfers above 5000 need the code TX-77.")

        assert texts.origin_of("TX-77") is Origin.RULES

    def test_a_value_of_a_field_is_data(self) -> None:
        texts = TextsOfTrial()
        texts.add_result(
            "accounts", [{"name": "Ann", "iban": "DE89370400440532013000"}]
        )

        assert texts.origin_of("DE89370400440532013000") is Origin.RECORD

    @pytest.mark.parametrize(
        "value",
        [
            pytest.param("UK12345678901234567890", id="account"),
            pytest.param(1250, id="amount"),
        ],
    )
    def test_a_value_that_only_a_mail_states_is_of_running_text(
        self, value: Plain
    ) -> None:
        texts = TextsOfTrial(
            mail="Please pay the invoice to UK12345678901234567890. "
            "The amount is 1,250.00 EUR."
        )

        assert texts.origin_of(value) is Origin.PROSE

    @pytest.mark.parametrize(
        "value",
        [
            pytest.param("GB00000000000000000000", id="account of no text"),
            pytest.param(
                "S133000000121212121212", id="account without its first letter"
            ),
        ],
    )
    def test_a_value_that_no_text_states_is_made_up(self, value: str) -> None:
        texts = TextsOfTrial(
            request="Pay the rent of 850 to US133000000121212121212.",
            mail="Please pay the invoice to UK12345678901234567890.",
        )

        assert texts.origin_of(value) is Origin.MADE


class TestSeveralOrigins:
    """Of the texts with a value, the most trusted counts; of several values, the least trusted."""

    def test_a_value_of_two_texts_has_the_origin_of_the_more_trusted_one(self) -> None:
        texts = TextsOfTrial(
            request="Pay the rent of 850.", mail="Please pay the rent of 850."
        )

        assert texts.origin_of(850) is Origin.ASKED

    def test_an_argument_with_several_values_has_the_least_trusted_origin(self) -> None:
        """The code TX-77 is of the rules, but the account is only in the mail."""
        texts = TextsOfTrial(
            rules="Transfers above 5000 need the code TX-77.",
            mail="Please pay the invoice to UK12345678901234567890.",
        )
        letter = "Dear Emma, TX-77 and UK12345678901234567890 were in my mail."

        assert texts.origin_of(letter) is Origin.PROSE

    def test_a_value_is_looked_up_after_a_site_without_a_name(self) -> None:
        """In `https://?to=1`, nothing says which site is meant, so the site is not looked up. The
        account in the next item is."""
        texts = TextsOfTrial(mail="Please pay the invoice to UK12345678901234567890.")
        letter = "Dear Emma, I was told to pay to UK12345678901234567890 by mail."

        assert texts.origin_of(["https://?to=1", letter]) is Origin.PROSE

    def test_a_plain_word_has_no_origin(self) -> None:
        """Any text may have such a word by chance, so it is not looked up."""
        texts = TextsOfTrial(mail="Please restart all of the servers by tonight.")

        assert texts.origin_of("restart") is None


class TestTrust:
    """The request, the rules and data are trusted; running text and the script are not."""

    @pytest.mark.parametrize("origin", [Origin.ASKED, Origin.RULES, Origin.RECORD])
    def test_values_of_the_request_of_rules_and_of_data_are_trusted(
        self, origin: Origin
    ) -> None:
        assert origin.is_trusted

    @pytest.mark.parametrize("origin", [Origin.PROSE, Origin.MADE])
    def test_values_of_running_text_and_of_the_script_are_not_trusted(
        self, origin: Origin
    ) -> None:
        assert not origin.is_trusted
