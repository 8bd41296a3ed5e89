"""Answers to a request to verify the card of a payment once more, if that is blocked.

A card is verified a few times, with pauses between; then that is blocked. The rule
`blocked-verification` objects to a success that tells of a block, and to a refusal without its
recorded reason, which may be the time of the next attempt.
"""

import pytest

from controlplane.gates.submission import OK, UNSUPPORTED
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


def test_a_refusal_has_a_recorded_reason() -> None:
    """The answer is only the name of its outcome."""
    rules = rules_against(
        "Restart the card verification of pay_0001.",
        UNSUPPORTED,
        cites=BASKET_AND_PAYMENT,
        outcome=UNSUPPORTED,
    )

    assert rules == ["blocked-verification"]


def test_a_refusal_has_the_exact_recorded_time() -> None:
    """No record that was read has this time."""
    rules = rules_against(
        "Restart the card verification.",
        "Retry on 2031-05-04 10:00.",
        cites=[],
        outcome=UNSUPPORTED,
    )

    assert rules == ["blocked-verification"]
