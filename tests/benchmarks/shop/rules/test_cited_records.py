"""An answer must cite the records that the request names or needs, and no others of their kind.

`rules_against` returns the rules of the shop's rule set that object to an answer: `["named-record"]`, if
it cites basket_0002 although the request names basket_0001.
"""

import pytest

from controlplane.gates.submission import UNSUPPORTED
from tests.benchmarks.shop.rules.judged_answers import rules_against


def test_another_basket_is_cited_too() -> None:
    rules = rules_against(
        "Check out basket_0001.",
        "Done.",
        cites=["/proc/carts/basket_0001.json", "/proc/carts/basket_0002.json"],
    )

    assert rules == ["named-record"]


def test_the_named_basket_is_not_cited() -> None:
    rules = rules_against(
        "Check out basket_0001.",
        "Too little stock.",
        cites=["/proc/branches/Utrecht/store_utr_lombok.json"],
        outcome=UNSUPPORTED,
    )

    assert rules == ["named-record"]


@pytest.mark.parametrize(
    ("request_text", "cited_records"),
    [
        pytest.param(
            "Close the refund for pay_0001.",
            ["/proc/ledger/cust_0001/pay_0001.json"],
            id="no return is cited",
        ),
        pytest.param(
            "Close the refund for pay_0001.",
            [
                "/proc/ledger/cust_0001/pay_0001.json",
                "/proc/return-cases/cust_0001/rma_0001.json",
                "/proc/return-cases/cust_0001/rma_0002.json",
            ],
            id="two returns are cited",
        ),
        pytest.param(
            "Close the refund for return rma_0001.",
            ["/proc/return-cases/cust_0001/rma_0001.json"],
            id="the payment is not cited",
        ),
    ],
)
def test_a_refund_cites_its_payment_and_one_return(
    request_text: str, cited_records: list[str]
) -> None:
    assert rules_against(request_text, "Closed.", cites=cited_records) == ["return"]
