"""Answers about payments, which a second model, the reviewer, corrects: compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.
`message_changes` says if the message changed at all, since its wording is free.

    {"part": "recovery_outcome",
     "input": {"outcome": "CLARIFY", "message": "Which one?",
               "review": {"paid": True, "message": "It is paid."}},
     "expect": {"outcome": "UNSUPPORTED", "message_changes": True, "message_holds": ["paid"]}}
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from controlplane.agent.exoskeleton import Completion
from controlplane.benchmarks.shop.payments.payment_review import (
    PaymentReview,
    needs_review,
    reviewed,
)
from controlplane.benchmarks.shop.payments.retry_times import retry_time_in_document
from tests.exoskeleton.answering_functions import Output, answers_part
from tests.exoskeleton.parts.outcomes import OUTCOMES, WORDS_BY_OUTCOME, changed_message

Review = Mapping[str, Any]
"""The reviewer's reply: `{"paid": False, "blocked": True, "until": "2026-07-18T14:49:48Z"}`.
It may also have a `message` in place of the answer's."""


@answers_part("recovery_review")
def review_recovery(
    task_type: str, outcome: str, message: str, reviewer_says: Review | None = None
) -> Output:
    """Tell whether the reviewer is asked about an answer, and what it replies."""
    is_asked = needs_review(task_type, OUTCOMES.get(outcome, ""))
    reply: Review = {}
    if is_asked and reviewer_says:
        reply = reviewer_says
    new_message = (reply.get("message") or "").strip()
    return {
        "asked": is_asked,
        "paid": bool(reply.get("paid")),
        "blocked": bool(reply.get("blocked")),
        "until": reply.get("until", ""),
        "message": new_message or message,
    }


@answers_part("recovery_outcome")
def recover_outcome(
    outcome: str,
    message: str,
    review: Review,
    documents: Sequence[str] = (),
    files: Mapping[str, str] | None = None,
    records: Sequence[str] = (),
) -> Output:
    """Correct an answer about a payment by the reviewer's reply.

    If the payment is paid already, the outcome is that nothing can be done. The retry time is the
    reviewer's or, if it gives none, the first in the cited documents, whose texts are in `files`.
    """
    until = review.get("until")
    if not until:
        texts = [(files or {}).get(path, "") for path in documents]
        until = first_retry_time(texts, records)
    answer = Completion(
        # A word that is not one of the outcomes is passed on as it is.
        outcome=OUTCOMES.get(outcome, outcome),
        message=review.get("message", "").strip() or message,
        notes="",
    )

    corrected = reviewed(
        answer,
        PaymentReview(
            is_paid=review.get("paid") is True,
            is_blocked=review.get("blocked") is True,
            until=until,
        ),
    )

    word = WORDS_BY_OUTCOME.get(corrected.outcome, corrected.outcome)
    return {**changed_message(message, corrected.message), "outcome": word}


def first_retry_time(documents: Sequence[str], payments: Sequence[str]) -> str | None:
    """Return the first retry time in documents for the payments at these paths, if any."""
    payment_ids = [Path(path).name.partition(".")[0] for path in payments]
    for document in documents:
        until = retry_time_in_document(document, payment_ids)
        if until:
            return until
    return None
