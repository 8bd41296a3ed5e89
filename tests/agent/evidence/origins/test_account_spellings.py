"""An account of a mail is recognised in a call, however the script spells it.

A mail may be an attacker's, so a value that only running text has (its origin is `PROSE`) is not
trusted. The script may spell it in other characters, or within another value.
"""

import pytest

from controlplane.agent.evidence.origins.texts import Origin
from controlplane.sandbox.interface import Plain
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("UK12 3456 7890 1234 5678 90", id="with blanks"),
        pytest.param("uk12-3456-7890-1234-5678-90", id="with hyphens, lower case"),
        pytest.param("UK12345678901234567890\u200b", id="with an invisible sign"),
        pytest.param("ＵＫ12345678901234567890", id="in wide letters"),
        pytest.param(list("UK12345678901234567890"), id="list of single characters"),
        pytest.param("VUsxMjM0NTY3ODkwMTIzNDU2Nzg5MAo=", id="base64"),
    ],
)
def test_an_account_is_recognised_in_other_characters(value: Plain) -> None:
    texts = TextsOfTrial(mail="Please pay the invoice to UK12345678901234567890.")

    assert texts.origin_of(value) is Origin.PROSE


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("to=UK12345678901234567890;ref=1", id="key and value"),
        pytest.param("ann@site.com,UK12345678901234567890", id="list in a text"),
        pytest.param('{"iban": "UK12345678901234567890"}', id="JSON"),
        pytest.param("name,iban\nann,UK12345678901234567890\n", id="CSV"),
        pytest.param(["ann", ["UK12345678901234567890"]], id="list"),
        pytest.param({"UK12345678901234567890": 1}, id="key of a mapping"),
        pytest.param("https://bank.example/pay?iban=UK12345678901234567890", id="URL"),
        pytest.param(
            "www.bank.example/pay?iban=UK12345678901234567890",
            id="URL without scheme",
        ),
        pytest.param("/out/UK12345678901234567890.txt", id="path"),
    ],
)
def test_an_account_is_recognised_within_another_value(value: Plain) -> None:
    texts = TextsOfTrial(mail="Please pay the invoice to UK12345678901234567890.")

    assert texts.origin_of(value) is Origin.PROSE


def test_a_value_joined_from_two_parts_of_running_text_is_recognised() -> None:
    """A script could join the two parts of the account that the mail states."""
    texts = TextsOfTrial(
        mail="The account begins with US1330000 and ends with 00121212121212."
    )

    assert texts.origin_of("US133000000121212121212") is Origin.PROSE
