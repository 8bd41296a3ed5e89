"""A text that only mentions a subject is not a request: "How do I get a refund?" is not a refund.

`REFUND.find(request)` returns the words of a request that ask for a refund, and "" here.
"""

import pytest

from controlplane.benchmarks.shop.requests.basket_requests import STAFF_CONTACT
from controlplane.benchmarks.shop.requests.payment_requests import (
    BUY_AGAIN,
    REFUND,
    STOCK_OF_ONE,
)
from controlplane.benchmarks.shop.requests.request_kind import RequestKind


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
    kind: RequestKind, request_text: str
) -> None:
    assert not kind.find(request_text)
