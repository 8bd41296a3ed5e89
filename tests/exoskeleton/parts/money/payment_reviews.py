"""Answers about payments, which a second model, the reviewer, corrects: compared with another solver.

A customer asks to restart the bank's check of a payment, and the model asks back. The reviewer reads
in the answer that the payment is paid already. Then nothing can be restarted: the answer has to refuse.

    {"part": "recovery_outcome",
     "input": {"outcome": "CLARIFY", "message": "Which one? They are paid.", "review": {"paid": True}},
     "expect": {"outcome": "UNSUPPORTED", "message_changes": False, "message_holds": ["paid"]}}
"""

from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.benchmarks.shop.payments.payment_review import (
    PaymentReview,
    needs_review,
    reviewed,
)
from controlplane.benchmarks.shop.payments.retry_times import retry_time_for
from tests.exoskeleton.answering_functions import Output, answers_part
from tests.exoskeleton.parts.outcomes import OUTCOMES, answer_of, output_of

Review = Mapping[str, Any]
"""The reviewer's reply: `{"paid": False, "blocked": True, "until": "2026-07-18T14:49:48Z"}`.
It may also have a `message` in place of the answer's."""


@answers_part("recovery_review")
def review_recovery(
    task_type: str, outcome: str, message: str, reviewer_says: Review | None = None
) -> Output:
    """Tell whether the reviewer is asked about an answer, and what it replies."""
    is_asked = needs_review(task_type, OUTCOMES.get(outcome, outcome))
    reply: Review = {}
    if is_asked and reviewer_says:
        reply = reviewer_says
    return {
        "asked": is_asked,
        "paid": bool(reply.get("paid")),
        "blocked": bool(reply.get("blocked")),
        "until": reply.get("until", ""),
        "message": (reply.get("message") or "").strip() or message,
    }


@answers_part("recovery_outcome")
def recover_outcome(
    outcome: str,
    message: str,
    review: Review,
    documents: Sequence[str] = (),
    records: Sequence[str] = (),
    files: Mapping[str, str] | None = None,
) -> Output:
    """Correct an answer, which cites `documents` and `records`, by the reviewer's reply.

    If the reviewer does not say until when the payment is blocked, the cited ones of the `files` may.
    """
    new_message = review.get("message", "").strip() or message
    answer = answer_of(outcome, new_message, documents=documents, records=records)
    until = review.get("until") or retry_time_for(answer, files or {})

    corrected = reviewed(
        answer,
        PaymentReview(
            is_paid=review.get("paid") is True,
            is_blocked=review.get("blocked") is True,
            until=until,
        ),
    )

    return output_of(corrected, old_message=message)
