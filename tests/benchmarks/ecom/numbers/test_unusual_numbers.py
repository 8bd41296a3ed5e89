"""An unusual number that two bodies of code have in common is a leak: nobody writes it by coincidence.

One body generates shops (worlds), and the other is for agents that play in them (players). 650 is
unusual. 100 is round, and may mean anything.
"""

from tests.benchmarks.ecom.numbers.compared_code import leaks_in
from tests.benchmarks.ecom.numbers.number_leaks import Leak


def test_an_unusual_number_on_both_sides_is_a_leak() -> None:
    assert leaks_in("LATE_CENTS = 650", "def cost(late): return late * 650") == {
        Leak(650)
    }


def test_an_amount_in_a_text_is_a_leak_too() -> None:
    """EUR 6.50 are 650 cents."""
    assert leaks_in("LATE_CENTS = 650", '"Lateness costs EUR 6.50 by the unit."') == {
        Leak(650)
    }


def test_an_unusual_number_that_pages_show_is_no_leak() -> None:
    """Any agent may read it there."""
    assert leaks_in("LATE_CENTS = 650", "late * 650", shown={650}) == set()


def test_the_bound_of_a_random_number_is_no_leak() -> None:
    """A world shows the number that was drawn, and not the bound."""
    assert leaks_in("DUE = rng.randint(13, 29)", "x = 13") == set()


def test_a_round_number_with_another_name_is_no_leak() -> None:
    assert leaks_in("MOST = 100", "y = 100") == set()
