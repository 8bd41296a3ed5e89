"""An amount and a date of a mail are recognised in a call, however the script spells them.

Their origin is `PROSE`, the running text of a mail.
"""

import pytest

from controlplane.agent.evidence.origins.texts import Origin
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("1.250,00", id="amount as in Germany"),
        pytest.param("2026-06-26", id="date in figures"),
        pytest.param("June 26, 2026", id="date as in America"),
    ],
)
def test_an_amount_and_a_date_are_recognised(value: str) -> None:
    texts = TextsOfTrial(
        mail="Please pay before 26 June 2026. The amount is 1,250.00 EUR."
    )

    assert texts.origin_of(value) is Origin.PROSE


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("2026-04-03", id="3 April in figures"),
        pytest.param("3 April", id="3 April without a year"),
        pytest.param("2026-03-04", id="4 March in figures"),
        pytest.param("March 4, 2026", id="4 March"),
        pytest.param("04/03/2026", id="day and month exchanged"),
    ],
)
def test_an_ambiguous_date_is_recognised_as_either_date(value: str) -> None:
    """`03/04/2026` is 3 April or 4 March."""
    texts = TextsOfTrial(mail="Please move the meeting to 03/04/2026, as we all like.")

    assert texts.origin_of(value) is Origin.PROSE
