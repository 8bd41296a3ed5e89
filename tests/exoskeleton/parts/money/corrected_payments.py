"""Answers about payments, which are corrected by the reply of a second model, the reviewer.

A customer asks to restart the bank's check of a payment. (Recorded cases call this a *recovery*.) The
model asks back. The reviewer reads in its answer that the payment is paid already. Then nothing can be
restarted, so that the answer has to refuse.

The function below answers recorded cases: a test calls it with a case's `input`, and compares what it
returns with `expect`.

    {"part": "recovery_outcome",
     "input": {"outcome": "CLARIFY", "message": "Which one? They are paid.", "review": {"paid": True}},
     "expect": {"outcome": "UNSUPPORTED", "message_changes": False, "message_holds": ["paid"]}}
"""

from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.benchmarks.shop.payments import (
    PaymentReview,
    retry_time_for,
    reviewed,
)
from tests.exoskeleton.answering_functions import Output, answers_part
from tests.exoskeleton.parts.findings import answer_of, output_of

Review = Mapping[str, Any]
"""The reviewer's reply: `{"paid": False, "blocked": True, "until": "2026-07-18T14:49:48Z"}`.
It may also have a `message` in place of the answer's."""


@answers_part("recovery_outcome")
def recover_outcome(
    outcome: str,
    message: str,
    review: Review,
    documents: Sequence[str] = (),
    records: Sequence[str] = (),
    files: Mapping[str, str] | None = None,
) -> Output:
    """Correct an answer by the reviewer's reply.

    The answer cites the files `documents` and `records`. If the reviewer does not say until when
    the payment is blocked, the time is looked up in those of the `files` that the answer cites.
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
