"""An answer about stock must cite exactly the products that are meant or counted.

The shop answers yes and no with `ja` and `nein`. `rules_against` returns the rules of its rule set that
object to an answer: `["stock-subject"]`, if two products are cited for a question about one.
"""

import pytest

from tests.benchmarks.shop.rules.judged_answers import rules_against


@pytest.mark.parametrize(
    ("request_text", "answer", "cited_products"),
    [
        pytest.param(
            "Do you have 3 of the lamp at Lombok?",
            "nein",
            ["/proc/articles/VH-LMP-ONE.json", "/proc/articles/VH-LMP-TWO.json"],
            id="two products",
        ),
        pytest.param(
            "Do you have 3 of the lamp (but not VH-LMP-ONE)?",
            "ja",
            ["/proc/articles/VH-LMP-ONE.json"],
            id="the product that the request excludes",
        ),
    ],
)
def test_stock_of_one_product_is_answered_with_this_product(
    request_text: str, answer: str, cited_products: list[str]
) -> None:
    branch = "/proc/branches/Utrecht/store_utr_lombok.json"

    rules = rules_against(request_text, answer, cites=[branch, *cited_products])

    assert rules == ["stock-subject"]


def test_two_products_are_cited_for_a_count_of_one() -> None:
    """A count may not be lower than the number of cited products."""
    rules = rules_against(
        "How many of these products have 3 items available: the lamp, the mat?",
        "1",
        cites=["/proc/articles/VH-LMP-ONE.json", "/proc/articles/VH-LMP-TWO.json"],
    )

    assert rules == ["counted"]
