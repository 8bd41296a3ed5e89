"""Rules on answers about products: whether one exists, and which one a description means.

The shop answers yes and no with `ja` and `nein`. It has two lamps, VH-LMP-ONE and VH-LMP-TWO.
"""

import pytest

from controlplane.gates.submission import CLARIFICATION
from tests.benchmarks.shop.rules.judged_answers import rules_against


class TestExistingProduct:
    """The rule `existing-product` objects if the answer goes against the cited products."""

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
    def test_a_yes_cites_one_product(
        self, answer: str, cited_products: list[str]
    ) -> None:
        assert rules_against(
            "A customer wants the lamp. Does such a product exist?",
            answer,
            cites=cited_products,
        ) == ["existing-product"]

    def test_a_yes_to_alternatives_cites_one_product(self) -> None:
        assert rules_against(
            "Is the lamp there, with cells or a plug?",
            "ja",
            cites=[
                "/proc/branches/Utrecht/store_utr_lombok.json",
                "/proc/articles/VH-LMP-ONE.json",
                "/proc/articles/VH-LMP-TWO.json",
            ],
        ) == ["existing-product"]

    def test_a_no_cites_no_product(self) -> None:
        assert rules_against(
            "A customer wants 'the lamp and has lux 7'. Does such a product exist?",
            "nein",
            cites=["/proc/articles/VH-LMP-ONE.json"],
        ) == ["existing-product"]

    def test_a_yes_with_one_product_is_not_objected_to(self) -> None:
        assert (
            rules_against(
                "A customer wants the lamp. Does such a product exist?",
                "ja",
                cites=["/proc/articles/VH-LMP-ONE.json"],
            )
            == []
        )


class TestMissingProduct:
    """The rule `missing-product` objects to a no although nothing but the name was searched for."""

    def test_a_no_needs_a_search_for_the_details(self) -> None:
        assert rules_against(
            "A customer wants the big lamp. Does such a product exist?",
            "nein",
            cites=[],
        ) == ["missing-product"]


class TestCandidates:
    """The rule `candidates` objects to a question that does not name and cite what may be meant."""

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
        self, question: str, cited_products: list[str]
    ) -> None:
        assert rules_against(
            "sku for the lamp pls. sku only.",
            question,
            cites=cited_products,
            outcome=CLARIFICATION,
        ) == ["candidates"]


class TestOpenDetail:
    """The rule `open-detail` objects to one product if the request says that a detail is open."""

    @pytest.mark.parametrize(
        "request_text",
        [
            pytest.param(
                "sku for the lamp, size was not supplied pls. sku only.", id="the size"
            ),
            pytest.param(
                "sku for the lamp not the plain kit pls. sku only.", id="the kit"
            ),
            pytest.param(
                "sku for the lamp, no batteries pls. sku only.", id="the batteries"
            ),
        ],
    )
    def test_a_product_is_not_chosen_while_a_detail_is_open(
        self, request_text: str
    ) -> None:
        assert rules_against(
            request_text, "VH-LMP-ONE", cites=["/proc/articles/VH-LMP-ONE.json"]
        ) == ["open-detail"]
