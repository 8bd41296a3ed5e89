"""An account is recognised in groups, such as `GB33 BUKB 2020 1555 5555 55`.

A mail may have the account in groups where a call has it in one, or the other way round. It is looked
up in the texts that a trial has read, since an account that only a mail states is not trusted.
"""

import pytest

from controlplane.agent.evidence.origins.texts import Origin
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("GB33 BUKB 2020 1555 5555 55", id="with blanks"),
        pytest.param("gb33-bukb-2020-1555-5555-55", id="with hyphens"),
        pytest.param("GB33BUKB20201555555555", id="without groups"),
    ],
)
def test_an_account_with_the_letters_of_a_bank_is_found_in_groups(
    written: str,
) -> None:
    """In this account (an IBAN), the letters of the bank, BUKB, stand between the digits. The mail has
    one spelling, and the call another one."""
    texts = TextsOfTrial(mail=f"Please pay 420 to {written} this week.")

    assert texts.origin_of("GB33BUKB20201555555555") is Origin.PROSE
    assert texts.origin_of("GB33 BUKB 2020 1555 5555 55") is Origin.PROSE


@pytest.mark.parametrize(
    ("written", "account"),
    [
        pytest.param(
            "MT84 MALT 0110 0001 2345 MTLC AST0 01S",
            "MT84MALT011000012345MTLCAST001S",
            id="letters in the middle",
        ),
        pytest.param(
            "GB33 BUKB 2020 1555 5555 55  0049 30 1234567",
            "GB33BUKB20201555555555",
            id="a telephone number behind it",
        ),
    ],
)
def test_an_account_ends_where_its_checksum_says(written: str, account: str) -> None:
    """The mail has the account in groups of letters and digits. Which of them belong to it can be told
    by the checksum of the account."""
    texts = TextsOfTrial(mail=f"Please pay 420 to {written} this week.")

    assert texts.origin_of(account) is Origin.PROSE
