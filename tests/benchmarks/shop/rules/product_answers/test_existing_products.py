"""The rule `existing-product`: the answer that the shop sells a product must cite one product.

The shop answers yes with `ja`. It has two lamps, VH-LMP-ONE and VH-LMP-TWO. If a yes cites both, it
leaves open which one fits. `rules_against` returns the names of the rules that object to an answer.
"""

import pytest

from tests.benchmarks.shop.rules.judged_answers import rules_against

LAMP_ONE = "/proc/articles/VH-LMP-ONE.json"
LAMP_TWO = "/proc/articles/VH-LMP-TWO.json"
BRANCH = "/proc/branches/Utrecht/store_utr_lombok.json"


def test_a_yes_that_cites_no_product_is_objected_to() -> None:
    request = "A customer wants the lamp. Does such a product exist?"

    assert rules_against(request, "ja", cites=[]) == ["existing-product"]


@pytest.mark.parametrize(
    ("request_text", "cited_paths"),
    [
        pytest.param(
            "A customer wants the lamp. Does such a product exist?",
            [LAMP_ONE, LAMP_TWO],
            id="asked whether a product exists",
        ),
        pytest.param(
            "Is the lamp there, with cells or a plug?",
            [BRANCH, LAMP_ONE, LAMP_TWO],
            id="asked whether a branch has one of two lamps, and the branch is cited as well",
        ),
    ],
)
def test_a_yes_that_cites_two_products_is_objected_to(
    request_text: str, cited_paths: list[str]
) -> None:
    rules = rules_against(request_text, "ja", cites=cited_paths)

    assert rules == ["existing-product"]


def test_a_yes_that_cites_one_product_is_not_objected_to() -> None:
    request = "A customer wants the lamp. Does such a product exist?"

    assert rules_against(request, "ja", cites=[LAMP_ONE]) == []
