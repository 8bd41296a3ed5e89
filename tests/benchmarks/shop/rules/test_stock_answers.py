"""Rules on answers about stock: of one product at a branch, of a receipt's products, or a count.

The shop answers yes and no with `ja` and `nein`.
"""

import pytest

from tests.benchmarks.shop.rules.judged_answers import rules_against


class TestRightAnswers:
    def test_an_answer_that_cites_the_product_and_the_branch_is_not_objected_to(
        self,
    ) -> None:
        assert (
            rules_against(
                "Do you have 3 of the lamp at Lombok?",
                "ja",
                cites=[
                    "/proc/articles/VH-LMP-ONE.json",
                    "/proc/branches/Utrecht/store_utr_lombok.json",
                ],
            )
            == []
        )


class TestChecklist:
    """The rule `checklist` objects if a kind of record is not cited that such a request needs."""

    def test_stock_at_a_branch_needs_the_branch(self) -> None:
        assert rules_against(
            "Do you have 3 of the lamp at Lombok?",
            "ja",
            cites=["/proc/articles/VH-LMP-ONE.json"],
        ) == ["checklist"]

    def test_a_receipt_that_is_bought_again_needs_the_receipt(self) -> None:
        assert rules_against(
            "Can I buy what is on the receipt again?",
            "ja",
            cites=[
                "/proc/branches/Utrecht/store_utr_lombok.json",
                "/proc/articles/VH-LMP-ONE.json",
            ],
        ) == ["checklist"]

    def test_a_discount_needs_the_employee_who_gives_it(self) -> None:
        assert rules_against(
            "Apply a 5% discount to basket_0001.",
            "5% given.",
            cites=["/proc/carts/basket_0001.json"],
        ) == ["checklist"]


class TestStockSubject:
    """The rule `stock-subject` objects if not exactly the product is cited that is meant."""

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
        self, request_text: str, answer: str, cited_products: list[str]
    ) -> None:
        branch = "/proc/branches/Utrecht/store_utr_lombok.json"

        assert rules_against(request_text, answer, cites=[branch, *cited_products]) == [
            "stock-subject"
        ]


class TestCounted:
    """The rule `counted` objects if a count is lower than the number of cited products."""

    def test_two_products_are_cited_for_a_count_of_one(self) -> None:
        assert rules_against(
            "How many of these products have 3 items available: the lamp, the mat?",
            "1",
            cites=["/proc/articles/VH-LMP-ONE.json", "/proc/articles/VH-LMP-TWO.json"],
        ) == ["counted"]
