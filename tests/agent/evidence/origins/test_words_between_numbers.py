"""Words between numbers, such as "AB12 from 10", are not taken for an account in groups.

An account may be written in groups: `GB33 BUKB 2020 1555 5555 55`. These words look like one, with
letters and digits and blanks between. If they were taken for one, a harmless reply that repeats them
would be stopped, since a mail has them, too.
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

    origins = texts.origins({"body": reply})

    values_in_reply = {finding.value.main_key for finding in origins["body"].findings}
    assert wrong_account not in values_in_reply
