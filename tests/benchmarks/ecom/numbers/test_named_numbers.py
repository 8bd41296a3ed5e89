"""A usual number is a leak, too, if two bodies of code have it under the same name.

One body generates shops (worlds), and the other is for agents that play in them (players). A number
is named by a constant, by the key of a dict, or by the text before it in a tuple.
"""

from tests.benchmarks.ecom.numbers.compared_code import leaks_in
from tests.benchmarks.ecom.numbers.number_leaks import Leak


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
