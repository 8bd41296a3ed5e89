"""How the shop's solver tells what a request asks for, by patterns of wordings.

"Please check out everything." is a `CHECKOUT`, and "How do I get a refund?" is not a `REFUND`. Each
pattern has an example and a counterexample.
"""

import pytest
import re2

from controlplane.benchmarks.shop.requests import (
    basket_requests,
    file_requests,
    payment_requests,
    product_questions,
    record_questions,
    staff_questions,
    stock_questions,
)
from controlplane.benchmarks.shop.requests.basket_requests import CHECKOUT, DISCOUNT
from controlplane.benchmarks.shop.requests.file_requests import CLEANUP, EXPORT
from controlplane.benchmarks.shop.requests.payment_requests import REFUND, VERIFICATION
from controlplane.benchmarks.shop.requests.product_questions import (
    CONSTRAINT,
    DETAIL_LEFT_OPEN,
    EXISTENCE,
    SKU_WANTED,
)
from controlplane.benchmarks.shop.requests.record_questions import FIELD, SEVERAL
from controlplane.benchmarks.shop.requests.request_kind import RequestKind, Wording
from controlplane.benchmarks.shop.requests.staff_questions import STAFF_CONTACT
from controlplane.benchmarks.shop.requests.stock_questions import (
    BUY_AGAIN,
    RECEIPT,
    STOCK_OF_ONE,
)


class TestRequests:
    """A request is recognized by its wording, and a text that only mentions the subject is not.

    `REFUND.find("Please refund my payment.")` returns the words that ask for a
    refund; "" if there are none.
    """

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
        self, kind: RequestKind, request_text: str
    ) -> None:
        assert kind.find(request_text)

    @pytest.mark.parametrize(
        ("kind", "request_text"),
        [
            (REFUND, "My last refund went well."),
            (REFUND, "I need no refund."),
            (REFUND, "How do I get a refund?"),
            (STOCK_OF_ONE, "Do you have 4 of each?"),
            (BUY_AGAIN, "Can I buy one of the lamps?"),
            (STAFF_CONTACT, "Send an e-mail to my brother."),
        ],
    )
    def test_a_text_that_only_mentions_the_subject_is_no_request(
        self, kind: RequestKind, request_text: str
    ) -> None:
        """The words of the kind are there, but nothing of that kind is asked for."""
        assert not kind.find(request_text)


MODULES_OF_KINDS = (
    basket_requests,
    file_requests,
    payment_requests,
    product_questions,
    record_questions,
    staff_questions,
    stock_questions,
)


def wordings_of_all_kinds() -> list[tuple[RequestKind, Wording]]:
    """Return each kind of these modules with each of its wordings.

    A wording is a pattern, with an example that it finds and a counterexample that it does not.
    """
    wordings = []
    for module in MODULES_OF_KINDS:
        for kind in vars(module).values():
            if isinstance(kind, RequestKind):
                wordings += [(kind, wording) for wording in kind.wordings]
    return wordings


def example_of(value: object) -> str | None:
    """Return the example of a wording, by which its case is named."""
    return value.example if isinstance(value, Wording) else None


class TestEachWording:
    """A kind of request has wordings: patterns with an example and a counterexample each."""

    @pytest.mark.parametrize(
        ("kind", "wording"), wordings_of_all_kinds(), ids=example_of
    )
    def test_a_kind_is_found_in_each_example_and_in_no_counterexample(
        self, kind: RequestKind, wording: Wording
    ) -> None:
        """The example is tried with its own pattern, and with the whole kind."""
        assert re2.search(f"(?i){wording.pattern}", wording.example)
        assert kind.find(wording.example)
        assert not kind.find(wording.counterexample)
