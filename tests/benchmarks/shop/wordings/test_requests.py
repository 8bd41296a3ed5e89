"""The shop's solver tells what a request asks for by patterns of wordings.

`REFUND.find("Please refund my payment.")` returns the words that ask for a refund; "" if there
are none.
"""

import pytest

from controlplane.benchmarks.shop.requests.basket_requests import (
    CHECKOUT,
    DISCOUNT,
    STAFF_CONTACT,
)
from controlplane.benchmarks.shop.requests.payment_requests import (
    BUY_AGAIN,
    FIELD,
    RECEIPT,
    REFUND,
    SEVERAL,
    STOCK_OF_ONE,
    VERIFICATION,
)
from controlplane.benchmarks.shop.requests.request_kind import RequestKind
from controlplane.benchmarks.shop.rule_set import (
    CLEANUP,
    CONSTRAINT,
    DETAIL_LEFT_OPEN,
    EXISTENCE,
    EXPORT,
    SKU_WANTED,
)


@pytest.mark.parametrize(
    ("kind", "request_text"),
    [
        (STOCK_OF_ONE, "Do you have 4 of the LED lamp?"),
        (RECEIPT, "See upload 12."),  # a receipt that the user has uploaded
        (BUY_AGAIN, "If I bought all this again, what would it cost?"),
        (EXISTENCE, "Does such a product exist?"),
        (SKU_WANTED, "I need the article code."),  # also called a SKU
        (DETAIL_LEFT_OPEN, "An LED lamp, colour not stated."),
        (DETAIL_LEFT_OPEN, "The drill without the charging kit."),
        (REFUND, "Approve the refund."),
        (REFUND, "I want this refunded."),
        (REFUND, "The refund can be closed."),
        (REFUND, "Please refund my payment."),
        (VERIFICATION, "Retry the card verification."),
        (CHECKOUT, "Complete my order."),
        (CHECKOUT, "Please check out everything."),
        (CHECKOUT, "Check my basket basket_12 out."),
        (CHECKOUT, "My checkout is stuck. Please finish it."),
        (CHECKOUT, "Buy what's in my cart."),
        (DISCOUNT, "Apply a discount of 10 % to my basket."),
        (DISCOUNT, "The manager promised a discount. Please apply it."),
        (CLEANUP, "Empty /tmp/scan-3."),
        (STAFF_CONTACT, "What is the e-mail of the manager?"),
        (SEVERAL, "The price of basket_1 and of basket_2?"),  # several records
        (EXPORT, "Create an inventory export for the Graz branch."),
        (FIELD, "What is the `status` of pay_0012?"),  # one field of a record
        (CONSTRAINT, "An LED lamp whose `socket` is `E27`"),
    ],
)
def test_a_request_is_of_the_kind_that_its_wording_says(
    kind: RequestKind, request_text: str
) -> None:
    assert kind.find(request_text)
