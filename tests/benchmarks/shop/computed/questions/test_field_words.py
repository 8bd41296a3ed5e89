"""A question names fields and folders of records in its own words."""

from __future__ import annotations

import pytest

from benchmarks.shop.computed.questions.field_words import names_code
from benchmarks.shop.language.shop_evidence import CLARIFICATION, OK
from tests.benchmarks.shop.computed.expected_answers import asked
from tests.benchmarks.shop.computed.small_shop import STORE, STORE_2


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("Resolve the SKU of the grey tent.", True),
        ("The grey tent, nothing but its sku", True),
        ("Resolve the code of the grey tent.", False),
        ("All SKUs of grey tents.", False),
        ("The SKU in my basket", False),
        ("The SKU that the payment was for", False),
        ("Return the SKU", True),
    ],
)
def test_the_field_of_a_code_is_named_apart_from_what_a_customer_owns(text: str, is_named: bool) -> None:
    assert names_code(text) is is_named


def test_who_wants_the_code_of_a_product_is_answered_or_asked_back() -> None:
    found = asked("Resolve a Tarn thing to its SKU.")
    assert (found.outcome, found.may_be) == (OK, {OK, CLARIFICATION})
    assert asked("Resolve a Tarn thing to its code.") is None


@pytest.mark.parametrize(
    ("question", "is_computed"),
    [
        ("In the city of the North shop, stores that are open now, please.", True),
        ("In the city of the North shop, the open branches.", True),
        ("In the city of the North shop, the open shops.", False),
        ("In the city of the North shop, the stores.", False),
        ("In the city of the North shop, 2 stores that are open.", False),
    ],
)
def test_a_folder_of_branches_and_the_field_of_the_open_ones_are_named(question: str, is_computed: bool) -> None:
    found = asked(question)
    assert (found is not None and found.cited == {STORE, STORE_2}) is is_computed


def test_the_field_may_have_another_name() -> None:
    question = "In the city of the North shop, the stores in business."
    change = {each: {"is_open": None, "in_business": each == STORE} for each in (STORE, STORE_2)}
    found = asked(question, records=change)
    assert found is None or found.cited in (set(), {STORE, STORE_2})
