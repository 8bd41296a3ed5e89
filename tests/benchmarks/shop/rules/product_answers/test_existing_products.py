"""An answer that a product exists must cite one product.

The shop answers yes and no with `ja` and `nein`. It has two lamps, VH-LMP-ONE and VH-LMP-TWO.
`rules_against` returns the rules that object to an answer: `["existing-product"]`, if a yes cites
both.
"""

import pytest

from tests.benchmarks.shop.rules.judged_answers import rules_against


@pytest.mark.parametrize(
    ("answer", "cited_products"),
    [
        pytest.param(
            "ja",
            ["/proc/articles/VH-LMP-ONE.json", "/proc/articles/VH-LMP-TWO.json"],
            id="a yes with two products",
        ),
        pytest.param("ja", [], id="a yes with no product"),
    ],
)
def test_a_yes_cites_one_product(answer: str, cited_products: list[str]) -> None:
    request = "A customer wants the lamp. Does such a product exist?"

    assert rules_against(request, answer, cites=cited_products) == ["existing-product"]


def test_a_yes_to_alternatives_cites_one_product() -> None:
    assert rules_against(
        "Is the lamp there, with cells or a plug?",
        "ja",
        cites=[
            "/proc/branches/Utrecht/store_utr_lombok.json",
            "/proc/articles/VH-LMP-ONE.json",
            "/proc/articles/VH-LMP-TWO.json",
        ],
    ) == ["existing-product"]


def test_a_yes_with_one_product_is_not_objected_to() -> None:
    rules = rules_against(
        "A customer wants the lamp. Does such a product exist?",
        "ja",
        cites=["/proc/articles/VH-LMP-ONE.json"],
    )

    assert rules == []
