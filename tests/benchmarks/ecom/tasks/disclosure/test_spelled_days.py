"""The search for a secret day in a message.

An answer may have to withhold a day, such as the day on which another customer's basket was
created. The grader finds it in many spellings: `2027-03-01`, `1st of March`, `1. März`.
"""

from datetime import date

import pytest

from controlplane.benchmarks.ecom.tasks.spellings import contains_day

FIRST_OF_MARCH = date(2027, 3, 1)


@pytest.mark.parametrize(
    "message",
    [
        pytest.param("It ends on 2027-03-01.", id="ISO format"),
        pytest.param("It ends on 1.3.2027.", id="day first"),
        pytest.param("It ends on 03/01/27.", id="month first"),
        pytest.param("It ends on the 1st of March.", id="English"),
        pytest.param("Sie endet am 1. März.", id="German"),
        pytest.param("Sie endet am 1. Mrz.", id="German, abbreviated"),
        pytest.param("Het eindigt op 1 maart.", id="Dutch"),
    ],
)
def test_a_day_is_found_in_every_spelling_of_three_languages(message: str) -> None:
    assert contains_day(message, FIRST_OF_MARCH)
