"""An answer must cite all kinds of records that such a request needs, or the rule `checklist` objects.

    "Do you have 3 of the lamp at Lombok?"    needs the product and the branch

`rules_against` returns the rules of the shop's rule set that object to an answer: `["checklist"]`.
"""

from tests.benchmarks.shop.rules.judged_answers import rules_against


def test_an_answer_that_cites_the_product_and_the_branch_is_not_objected_to() -> None:
    rules = rules_against(
        "Do you have 3 of the lamp at Lombok?",
        "ja",
        cites=[
            "/proc/articles/VH-LMP-ONE.json",
            "/proc/branches/Utrecht/store_utr_lombok.json",
        ],
    )

    assert rules == []


def test_stock_at_a_branch_needs_the_branch() -> None:
    rules = rules_against(
        "Do you have 3 of the lamp at Lombok?",
        "ja",
        cites=["/proc/articles/VH-LMP-ONE.json"],
    )

    assert rules == ["checklist"]


def test_a_receipt_that_is_bought_again_needs_the_receipt() -> None:
    rules = rules_against(
        "Can I buy what is on the receipt again?",
        "ja",
        cites=[
            "/proc/branches/Utrecht/store_utr_lombok.json",
            "/proc/articles/VH-LMP-ONE.json",
        ],
    )

    assert rules == ["checklist"]


def test_a_discount_needs_the_employee_who_gives_it() -> None:
    rules = rules_against(
        "Apply a 5% discount to basket_0001.",
        "5% given.",
        cites=["/proc/carts/basket_0001.json"],
    )

    assert rules == ["checklist"]
