"""The time until which a payment is blocked, in an answer that a reviewer has made a refusal.

A customer asks to restart the bank's check of a payment. The reviewer, a second model, reads in the
answer that the payment is blocked, and until when. It may invent the time, so a time counts only if
the answer, the notes of the model, or the payment's record has it.
"""

from controlplane.gates.submission import UNSUPPORTED
from tests.benchmarks.shop.payments.payment_review.reviewed_answers import review


def test_a_time_that_the_reviewer_invents_is_replaced_by_that_of_the_record() -> None:
    reviewed = review(
        "Which card?",
        {"paid": False, "blocked": True, "until": "2031-04-21T21:00Z"},
        payment_text='{"retry_at": "2031-04-12T08:00Z"}',
    )

    assert reviewed.message == "Which card? It is blocked until 2031-04-12T08:00Z."


def test_a_time_in_the_notes_of_the_model_is_added_to_the_message() -> None:
    """The notes are not a part of the message."""
    reviewed = review(
        "Which card?",
        {"paid": False, "blocked": True, "until": "2031-05-04T10:00:00Z"},
        notes="retry_at 2031-05-04T10:00:00Z",
    )

    assert reviewed.outcome == UNSUPPORTED
    assert reviewed.message == "Which card? It is blocked until 2031-05-04T10:00:00Z."


def test_a_time_that_the_reviewer_invents_is_not_named() -> None:
    """Neither the answer nor a file has a time."""
    reviewed = review(
        "Which card?",
        {"paid": False, "blocked": True, "until": "2099-01-01T00:00:00Z"},
    )

    assert reviewed.outcome == UNSUPPORTED
    assert reviewed.message == "Which card?"
