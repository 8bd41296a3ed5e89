"""What a request to the shop orders, as patterns of words tell it.

`DISCOUNT.find("Please apply a 5% discount to basket_0001.")` returns the words that order a discount.
A negation in the same clause is no order; a polite question is one.
"""

import pytest

from controlplane.benchmarks.shop.requests.basket_requests import (
    CHECKOUT,
    DISCOUNT,
    STAFF_CONTACT,
)
from controlplane.benchmarks.shop.requests.payment_requests import VERIFICATION
from controlplane.benchmarks.shop.requests.request_kind import RequestKind

# Twelve sentences around a request, which have nothing to do with it
TEXT_AFTER = (
    " The lamps of my aunt are all of brass and need new bulbs every year." * 12
)
TEXT_BEFORE = TEXT_AFTER.lstrip() + " "


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("", "", id="nothing else"),
        pytest.param(TEXT_BEFORE, "", id="a long text before"),
        pytest.param("", TEXT_AFTER, id="a long text after"),
        pytest.param(TEXT_BEFORE, TEXT_AFTER, id="a long text before and after"),
    ],
)
def test_a_request_is_found_unless_its_own_clause_negates_it(
    before: str, after: str
) -> None:
    """However much text is around it, only "not" in the clause of the discount counts."""
    assert DISCOUNT.find(f"{before}I want a discount.{after}")
    assert not DISCOUNT.find(f"{before}I do not want a discount.{after}")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (DISCOUNT, "Can you put a 5% discount on basket_0001?"),
        (DISCOUNT, "How does it work? Please apply a 5% discount to basket_0001."),
        (CHECKOUT, "Would you please check out my basket?"),
        (
            VERIFICATION,
            "My basket got stuck at card verification. Can you fix it so that I can finish?",
        ),
        (
            STAFF_CONTACT,
            "Who is the manager of Lombok, and what is their e-mail address?",
        ),
        (STAFF_CONTACT, "How can I get Ada's work e-mail?"),
    ],
)
def test_an_order_in_the_form_of_a_question_is_a_request(
    kind: RequestKind, text: str
) -> None:
    assert kind.find(text)
