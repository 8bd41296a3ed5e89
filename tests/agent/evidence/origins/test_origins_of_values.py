"""Where a value in a call's argument comes from: the text that states it.

That is the user's request (`ASKED`), the rules of the workspace (`RULES`), a field of data (`RECORD`), or
only running text, such as a mail (`PROSE`). A value in no text is the script's own (`MADE`).
"""

import pytest

from controlplane.agent.evidence.origins.texts import Origin
from controlplane.sandbox.interface import Plain
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial


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
    texts = TextsOfTrial(mail="Please pay 1,250.00 EUR to UK12345678901234567890.")

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
