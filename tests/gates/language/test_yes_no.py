"""How an instruction asks for a word of yes or no."""

import pytest

from gates.language.answer_contract import derive_contract
from tests.gates.language.yes_no_rules import HELD, PAIR


@pytest.mark.parametrize(
    ("rules", "demand"), [(PAIR, "exactly `ja` or `nein`"), (HELD, "a text with exactly one of `<YES>` and `<NO>`")]
)
def test_the_demand_of_a_yes_no_word_says_whether_it_stands_alone(rules: str, demand: str) -> None:
    assert [each.demand for each in derive_contract("Is it here?", rules).clauses] == [demand]
