"""If several products fit a description, the answer must ask which is meant, and not choose one.

The shop has two lamps, VH-LMP-ONE and VH-LMP-TWO, and somebody asks for the SKU of "the lamp". The
question must name and cite both, or the rule `candidates` objects.

The request may show that its asker has not said everything: "size was not supplied". "Not the plain
kit" and "no batteries" say only what the product is not. Then the rule `open-detail` objects to an
answer with one product.
"""

import pytest

from controlplane.gates.submission import CLARIFICATION
from tests.benchmarks.shop.rules.judged_answers import rules_against


@pytest.mark.parametrize(
    ("question", "cited_products"),
    [
        pytest.param(
            "Which lamp do you mean?",
            ["/proc/articles/VH-LMP-ONE.json", "/proc/articles/VH-LMP-TWO.json"],
            id="the products are not named",
        ),
        pytest.param(
            "Which lamp do you mean: VH-LMP-ONE?",
            ["/proc/articles/VH-LMP-ONE.json"],
            id="only one of the products is cited",
        ),
    ],
)
def test_a_question_to_the_user_names_and_cites_the_products(
    question: str, cited_products: list[str]
) -> None:
    rules = rules_against(
        "sku for the lamp pls. sku only.",
        question,
        cites=cited_products,
        outcome=CLARIFICATION,
    )

    assert rules == ["candidates"]


@pytest.mark.parametrize(
    "request_text",
    [
        pytest.param(
            "sku for the lamp, size was not supplied pls. sku only.",
            id="a detail is missing",
        ),
        pytest.param(
            "sku for the lamp not the plain kit pls. sku only.", id="not this product"
        ),
        pytest.param(
            "sku for the lamp, no batteries pls. sku only.", id="without a part"
        ),
    ],
)
def test_a_product_is_not_chosen_if_the_request_leaves_something_open(
    request_text: str,
) -> None:
    rules = rules_against(
        request_text, "VH-LMP-ONE", cites=["/proc/articles/VH-LMP-ONE.json"]
    )

    assert rules == ["open-detail"]
