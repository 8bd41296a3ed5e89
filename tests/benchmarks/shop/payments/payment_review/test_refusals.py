"""An answer about a payment becomes a refusal if a reviewer reads in it that it is paid or blocked.

A customer asks to restart the bank's check of a payment, and the model's answer is a question:
"Which card?". The reviewer, a second model, reads the answer. If the payment is paid, or blocked
until some time, the check cannot be restarted, and the outcome becomes UNSUPPORTED.
"""

import pytest

from controlplane.gates.submission import CLARIFICATION, UNSUPPORTED
from tests.benchmarks.shop.payments.payment_review.reviewed_answers import review


def test_a_question_about_a_blocked_payment_becomes_a_refusal() -> None:
    """The message does not have the word "blocked", so a sentence is added."""
    reviewed = review(
        "Which card? It waits until 2031-04-12T08:00Z.",
        {"paid": False, "blocked": True, "until": "2031-04-12T08:00Z"},
    )

    assert reviewed.outcome == UNSUPPORTED
    assert reviewed.message == (
        "Which card? It waits until 2031-04-12T08:00Z."
        " It is blocked until 2031-04-12T08:00Z."
    )


def test_a_question_about_a_paid_payment_becomes_a_refusal() -> None:
    reviewed = review(
        "Which card? pay_7 is paid.", {"paid": True, "blocked": False, "until": ""}
    )

    assert reviewed.outcome == UNSUPPORTED
    assert reviewed.message == "Which card? pay_7 is paid."


def test_a_reason_that_the_reviewer_misses_counts() -> None:
    """Some words are searched for without the reviewer, such as "window is closed"."""
    reviewed = review(
        "The retry window is closed. Which card?",
        {"paid": False, "blocked": False, "until": ""},
    )

    assert reviewed.outcome == UNSUPPORTED
    assert reviewed.message == "The retry window is closed. Which card?"


@pytest.mark.parametrize(
    "said_by_reviewer",
    [
        pytest.param(
            {"paid": False, "blocked": False, "until": ""},
            id="neither paid nor blocked",
        ),
        pytest.param({}, id="the reviewer failed"),
    ],
)
def test_the_customer_is_asked_if_nothing_stops_the_payment(
    said_by_reviewer: dict[str, object],
) -> None:
    reviewed = review("Which card?", said_by_reviewer)

    assert reviewed.outcome == CLARIFICATION
    assert reviewed.message == "Which card?"
