"""Answers to recorded cases about answers in tasks about payments, which are corrected.

retry_message   "The payment is blocked." -> a message that says until when
discount_cap    a refused discount, and the note "max allowed discount is 12%"
                -> a message that names the 12 %

How a case's message is worded is free, so the output also says whether it changed at all.

A function answers the cases of one part of another solver: it gets the input of a case by its
keys, and returns what this project makes of it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from controlplane.agent.exoskeleton import Completion
from controlplane.benchmarks.shop.payments.discount_limits import with_largest_discount
from controlplane.benchmarks.shop.payments.payment_review import (
    PaymentReview,
    needs_review,
    reviewed,
    with_retry_time,
)
from controlplane.benchmarks.shop.payments.retry_times import (
    retry_time_in_document,
    retry_time_in_record,
)
from tests.exoskeleton.parts.outcomes import OUTCOMES, WORDS_BY_OUTCOME
from tests.exoskeleton.recorded_cases import Output, answers_part


def changed_message(old: str, new: str) -> Output:
    """Return a new message, and whether it differs from the old one."""
    return {"message_changes": new != old, "message": new}


# --- Until when a payment is blocked ---


@answers_part("retry_time")
def find_retry_time(
    payments: Sequence[str],
    record: Mapping[str, Any] | None = None,
    document: str = "",
) -> Output:
    """Tell until when a payment is blocked, by its record or, if it does not say, by a document.

    "pay_002 waits until 2026-07-18T14:49:48Z" -> `{"until": "2026-07-18T14:49:48Z"}`
    """
    until = retry_time_in_record(record or {})
    if not until:
        until = retry_time_in_document(document, payments)
    return {"until": until or ""}


@answers_part("retry_message")
def add_retry_time(message: str, until: str) -> Output:
    """Add to a message until when a payment is blocked, unless it says so."""
    return changed_message(message, with_retry_time(message, until))


# --- Answers that a second model, the reviewer, looks at ---

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


# --- Discounts ---


@answers_part("discount_cap")
def cap_discount(outcome: str, message: str, steps: Sequence[str] = ()) -> Output:
    """Let a refused discount name the largest one that is allowed, as notes (`steps`) have it."""
    answer = Completion(
        outcome=OUTCOMES.get(outcome, outcome), message=message, notes="\n".join(steps)
    )

    capped = with_largest_discount(answer)

    word = WORDS_BY_OUTCOME.get(capped.outcome, capped.outcome)
    return {**changed_message(message, capped.message), "outcome": word}
