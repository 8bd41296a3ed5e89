"""An account is recognised in groups, such as `GB33 BUKB 2020 1555 5555 55`.

A mail may have the account in groups where the call has it in one, or the other way round. Words
between numbers, such as `AB12 from 10`, look like an account in groups, but are not.
"""

from __future__ import annotations

import pytest

from controlplane.agent.evidence.origins.origin import Origin
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
    ("words", "wrong_account"),
    [
        pytest.param("FY26 plan 3", "fy26plan3", id="plan of a year"),
        pytest.param("room AB12 from 10 to 20", "ab12from10", id="room and hours"),
        pytest.param(
            "Covid19 from 2020 1555 5555", "id19from202015555555", id="illness"
        ),
    ],
)
def test_words_between_numbers_are_not_joined_into_an_account(
    words: str, wrong_account: str
) -> None:
    """ "AB12 from 10" looks like an account in groups: letters and digits with blanks between. If it
    were taken for one, a harmless reply with these words would be stopped."""
    texts = TextsOfTrial(mail=f"Please go on with {words} this week.")
    reply = f"Dear all, as you know, we go on with {words} until the next meeting."

    origins = texts.origins({"body": reply})

    values_in_reply = {finding.value.main_key for finding in origins["body"].findings}
    assert wrong_account not in values_in_reply


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
