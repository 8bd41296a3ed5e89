"""An answer that the shop does not sell a product cites no product, and comes after a wide search.

The shop answers no with `nein`. `rules_against` returns the names of the rules that object to an
answer.
"""

from tests.benchmarks.shop.rules.judged_answers import rules_against


def test_a_no_that_cites_a_product_is_objected_to() -> None:
    request = "A customer wants 'the lamp and has lux 7'. Does such a product exist?"
    lamp = "/proc/articles/VH-LMP-ONE.json"

    assert rules_against(request, "nein", cites=[lamp]) == ["existing-product"]


def test_a_no_to_a_mere_name_is_objected_to() -> None:
    """The shop may sell the lamp by another name, and nothing shows that it was searched for.

    If the request required a property, such as lux 7, a no could be certain.
    """
    request = "A customer wants the big lamp. Does such a product exist?"

    assert rules_against(request, "nein", cites=[]) == ["missing-product"]
