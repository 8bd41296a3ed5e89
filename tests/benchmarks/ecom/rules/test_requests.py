"""What kind of request an instruction is."""

import pytest

from benchmarks.ecom.rules import requests

LONG = " The lamps of my aunt are all of brass and need new bulbs every year." * 12


@pytest.mark.parametrize("before", ["", LONG[1:] + " "])
@pytest.mark.parametrize("after", ["", LONG])
def test_a_negation_in_its_clause_takes_a_deed_back_wherever_it_stands(before: str, after: str) -> None:
    assert requests.find(requests.DISCOUNT, f"{before}I want a discount.{after}")
    assert not requests.find(requests.DISCOUNT, f"{before}I do not want a discount.{after}")


def test_of_two_mentions_the_one_that_is_not_taken_back_counts() -> None:
    assert requests.find(requests.DISCOUNT, "I do not want any discount. I want a fair discount.")
