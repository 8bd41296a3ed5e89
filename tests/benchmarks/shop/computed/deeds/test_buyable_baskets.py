"""A question which of one's baskets can be checked out wants each that can."""

from __future__ import annotations

import pytest

from benchmarks.shop.language.shop_evidence import OK
from tests.benchmarks.shop.computed.expected_deeds import Changes, expected
from tests.benchmarks.shop.computed.small_shop import BASKET, MUG, RECORDS, STAFF, STORE, TENT

WHICH = "Which of my baskets can be checked out?"
FIFTH, SIXTH = (f"/proc/baskets/basket-{number}.json" for number in (5, 6))
MORE: Changes = {
    FIFTH: {**RECORDS[BASKET], "id": "basket-5"},
    SIXTH: {**RECORDS[BASKET], "id": "basket-6", "lines": [{"sku": "FJ-TNT-TARN", "quantity": 50}]},
}


@pytest.mark.parametrize("text", [WHICH, "Which of my baskets are for checkout?", "Can all my carts be checked out?"])
def test_each_that_is_open_and_in_stock_is_named(text: str) -> None:
    found = expected(text, records=MORE)
    assert found.outcome == OK
    assert found.tolerated == {BASKET, FIFTH, SIXTH, STORE, TENT, MUG}
    assert found.states is not None
    assert found.states("basket-1 and Basket-5; basket-6 lacks stock")
    assert found.states("basket-1 and basket-5")
    assert not found.states("basket-1 and basket-6")
    assert not found.states("none")
    assert not found.states("basket-1, basket-5 and basket-6")
    assert found.cited == {BASKET, FIFTH}


@pytest.mark.parametrize(
    "text",
    [
        "Which of my baskets can be checked out today, at 9?",
        "Which of my baskets can never be checked out?",
        "Which of my baskets can not be checked out?",
        "Which can be checked out?",
        "Which are my baskets?",
        "Which carte can be checked out?",
        "Which of my baskets can be checked out first?",
        "Which of my `baskets` can be checked out?",
        "Which of my baskets can be sold?",
        "Which of my baskets are out?",
        "Which of my carte can be checked out?",
        "Which basket can be checked out?",
        "Which of my returns can be checked out?",
        "Can my baskets be checked out? Which are they?",
    ],
)
def test_what_says_more_is_not_computed(text: str) -> None:
    assert expected(text, records=MORE) is None


def test_staff_have_no_baskets() -> None:
    assert expected(WHICH, identity=STAFF) is None
