"""A success in the verification of a card must not tell that the verification is blocked.

The card of a payment is verified a few times, with pauses between; then that is blocked. The rule
`blocked-verification` objects to an answer with the outcome OK that says so.
"""

import pytest

from controlplane.gates.submission import OK
from tests.benchmarks.shop.rules.judged_answers import rules_against

BASKET_AND_PAYMENT = [
    "/proc/carts/basket_0001.json",
    "/proc/ledger/cust_0001/pay_0001.json",
]


@pytest.mark.parametrize(
    ("request_text", "answer"),
    [
        pytest.param(
            "Restart the card verification of pay_0001.",
            "It is blocked.",
            id="a success that tells of a block",
        ),
        pytest.param(
            "Restart the 3DS step of pay_0001.",
            "It cannot be restarted.",
            id="a success that tells of a block, to another wording",
        ),
        pytest.param(
            "Restart the card verification of pay_0001.",
            "3",
            id="a success with only a number",
        ),
    ],
)
def test_a_success_does_not_tell_of_a_block(request_text: str, answer: str) -> None:
    rules = rules_against(request_text, answer, cites=BASKET_AND_PAYMENT, outcome=OK)

    assert rules == ["blocked-verification"]
