"""The code for agents knows no number that only the generator of shops may know.

The generator makes shops (worlds) with numbers such as "late delivery costs 650 cents". Functions,
rules and prompts for agents must take such a number from the pages of the world. If their own code
has it, it has leaked: `Leak(650)`. `test_unusual_numbers.py` shows which numbers count.
"""

from tests.benchmarks.ecom.numbers.known_numbers import (
    numbers_of_players,
    numbers_of_worlds,
    numbers_on_pages,
)
from tests.benchmarks.ecom.numbers.number_leaks import Leak, leaks

# Unusual numbers that mean something else on each side:
# what the number is in the code of worlds; what it is in the code for agents
COINCIDENCES = {
    0.25,  # a chance of draws, and the wear of a scan; a share in an example of arithmetic
    0.85,  # the chance of a usual amount; the least likeness of a brand on a receipt
    13,  # lines of an upload; an example in a docstring
    15,  # a house number; counts and printed examples
    21,  # abandoned baskets; the least characters of a wrapped line of a request
    26,  # open baskets; an example in a docstring
    27,  # lines of an upload; an example in a docstring
    29,  # employee numbers that nobody has; the last day of February in a leap year
    35,  # a number of a world; the digits of 3½ in a docstring
    160,  # lines of a cut read; characters between two words of a request
    2027,  # the year of the first world; the year in an example
}


def test_players_know_no_number_of_a_world_that_its_pages_do_not_state() -> None:
    """A coincidence must leave the table above once it is none."""
    expected_leaks = {Leak(number) for number in COINCIDENCES}

    actual_leaks = leaks(
        numbers_of_worlds(), numbers_of_players(), shown=numbers_on_pages()
    )

    assert actual_leaks == expected_leaks
