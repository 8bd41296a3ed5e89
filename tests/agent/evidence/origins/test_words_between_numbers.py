"""Words between numbers, such as "AB12 from 10", are not taken for an account in groups.

An account may be written in groups: `GB33 BUKB 2020 1555 5555 55`. It begins with two letters and two
digits, as "AB12" does, and so does the end of "Covid19": "id19". If the words were taken for an account, a
harmless reply that repeats them would be stopped, because only a mail has this account.
"""

import pytest

from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial


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
    texts = TextsOfTrial(mail=f"Please go on with {words} this week.")
    reply = f"Dear all, as you know, we go on with {words} until the next meeting."

    origin_of_body = texts.origins({"body": reply})["body"]

    # A key is a value in small letters, without blanks.
    keys_in_reply = {finding.value.main_key for finding in origin_of_body.findings}
    assert wrong_account not in keys_in_reply
