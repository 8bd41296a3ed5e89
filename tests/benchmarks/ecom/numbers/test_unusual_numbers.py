"""An unusual number that two bodies of code have in common is a leak: nobody writes it by coincidence.

One body generates shops (worlds), and the other is for agents that play in them (players). 650 is
unusual. 100 is round, and may mean anything.
"""

import ast
from collections.abc import Set

from tests.benchmarks.ecom.numbers.number_leaks import Leak, leaks, numbers_in

# Numbers that have leaked from code of generated shops (worlds) to code of agents (players).
#
# leaks_in("LATE_CENTS = 650", "late * 650")               # {Leak(650)}
# leaks_in("LATE_CENTS = 650", "late * 650", shown={650})  # set()


def leaks_in(
    world_code: str, player_code: str, shown: Set[float] = frozenset()
) -> set[Leak]:
    """Return the leaks from code of worlds to code of players. Pages show the numbers `shown`."""
    world = numbers_in([ast.parse(world_code)])
    players = numbers_in([ast.parse(player_code)])
    return leaks(world, players, shown)


# A usual number is a leak, too, if two bodies of code have it under the same name.
#
# One body generates shops (worlds), and the other is for agents that play in them (players). A number
# is named by a constant, by the key of a dict, or by the text before it in a tuple.


def test_a_usual_number_with_the_same_name_is_a_leak() -> None:
    assert leaks_in("LATE_CENTS: Final = 20", "late_cents = 20") == {
        Leak(20, "late_cents")
    }


def test_the_key_of_a_dict_is_the_same_name_as_the_text_in_a_tuple() -> None:
    """`long` has no number for players."""
    assert leaks_in(
        "SHARES: Final = {'often': 90, 'long': (5, 8)}",
        "_SHARES = (('often', 90 / 256),)",
    ) == {Leak(90, "often")}


def test_two_numbers_with_one_name_are_two_leaks() -> None:
    assert leaks_in("SPAN = {'long': (5, 8)}", "_SPANS = [('long', (5, 8))]") == {
        Leak(5, "long"),
        Leak(8, "long"),
    }


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
