"""An answer that a product does not exist cites none, and needs a search for all that is known of it.

The shop answers yes and no with `ja` and `nein`. `rules_against` returns the rules of its rule set that
object to an answer: `["missing-product"]`, if nothing but the name was searched for.
"""

from tests.benchmarks.shop.rules.judged_answers import rules_against


def test_a_no_cites_no_product() -> None:
    assert rules_against(
        "A customer wants 'the lamp and has lux 7'. Does such a product exist?",
        "nein",
        cites=["/proc/articles/VH-LMP-ONE.json"],
    ) == ["existing-product"]


def test_a_no_needs_a_search_for_the_details() -> None:
    """This trial has not searched for "big"."""
    rules = rules_against(
        "A customer wants the big lamp. Does such a product exist?", "nein", cites=[]
    )

    assert rules == ["missing-product"]
