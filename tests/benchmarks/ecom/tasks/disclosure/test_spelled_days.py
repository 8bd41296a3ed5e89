from datetime import date

import pytest

from controlplane.benchmarks.ecom.tasks.disclosure.spelled_days import contains_day

FIRST_OF_MARCH = date(2027, 3, 1)


@pytest.mark.parametrize(
    "message",
    [
        "It ends on 2027-03-01.",
        "It ends on 1.3.2027.",
        "It ends on 03/01/27.",
        "It ends on the 1st of March.",
        "Sie endet am 1. März.",
        "Sie endet am 1. Mrz.",
        "Het eindigt op 1 maart.",
    ],
)
def test_a_day_is_found_in_every_spelling_of_three_languages(message: str) -> None:
    assert contains_day(message, FIRST_OF_MARCH)


@pytest.mark.parametrize(
    ("message", "day"),
    [
        ("Order 12027-03-01 is unknown.", FIRST_OF_MARCH),
        ("It ends on March 11.", FIRST_OF_MARCH),
        ("There are 3 main branches.", date(2027, 5, 3)),
        ("Es gibt 3 Märkte.", date(2027, 3, 3)),
        ("Het duurt 3 maanden.", date(2027, 3, 3)),
        ("Er zijn 3 dezelfde lampen.", date(2027, 12, 3)),
    ],
)
def test_a_longer_number_or_another_word_is_not_a_day(message: str, day: date) -> None:
    assert not contains_day(message, day)
