"""Corrects answers on verifications (a bank's checks of payments) before they are submitted.

A customer asks to restart the verification of a payment that is blocked. The model asks "Which
card is it?", but the right answer refuses: "It is blocked until 2027-03-01T08:00Z." So a second
model, the reviewer, reads in the answer whether the payment is paid or blocked. If it is, nothing
can be restarted, and the outcome becomes UNSUPPORTED.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from controlplane.benchmarks.shop.answering.answer_forms import without_outcome_name
from controlplane.benchmarks.shop.payments.retry_times import retry_time_for
from controlplane.gates.submission import CLARIFICATION, UNSUPPORTED

if TYPE_CHECKING:
    from controlplane.agent.exoskeleton import AskDraftCheck, Completion

REVIEW_SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["paid", "blocked", "until"],
    "properties": {
        "paid": {
            "type": "boolean",
            "description": "true if the payment was paid already",
        },
        "blocked": {
            "type": "boolean",
            "description": "true if the payment is blocked, or its attempts are used up",
        },
        "until": {
            "type": "string",
            "description": "the instant from which it may be tried again, as the answer writes it, else empty",
        },
    },
}
"""The JSON schema of the reviewer's reply."""


def review_payment(
    answer: Completion, texts: Mapping[str, str], ask_reviewer: AskDraftCheck
) -> Completion:
    """Return an answer after a review; unchanged if it is not about a verification.

    `texts` are the files that were read, by path.
    """
    if not needs_review(answer.task_type, answer.outcome):
        return answer
    answer_text = f"{answer.message}\n{answer.notes}"
    reply = ask_reviewer(REVIEW_SCHEMA, answer_text)

    # A reviewer may invent a time, so it counts only if the answer has it. Otherwise the time
    # is looked up in the files that the answer cites.
    until = reply.get("until")
    if not until or not isinstance(until, str) or until not in answer_text:
        until = retry_time_for(answer, texts)
    review = PaymentReview(
        is_paid=reply.get("paid") is True,
        is_blocked=reply.get("blocked") is True,
        until=until,
    )
    return reviewed(answer, review)


def needs_review(task_type: str, outcome: str) -> bool:
    """Return True for questions and refusals about verifications."""
    return task_type == "verification" and outcome in (CLARIFICATION, UNSUPPORTED)


@dataclass(frozen=True, slots=True)
class PaymentReview:
    """What the reviewer has read in an answer about a payment."""

    is_paid: bool
    is_blocked: bool
    until: str | None
    """The time from which the verification may be restarted; None if it is unknown."""


_CLOSED: Final = re.compile(
    r"\b(?:window|retry|attempts?)\b[^.]{0,40}"
    r"\b(?:closed|over|expired|passed|used up|exhausted|limit)\b"
    r"|\bblocked until\b|\b(?:attempt|retry) limit\b",
    re.IGNORECASE,
)
"""Words of a message that nothing can be restarted: `The retry window is closed.`"""


def reviewed(answer: Completion, review: PaymentReview) -> Completion:
    """Return an answer, with the outcome UNSUPPORTED if the verification cannot be restarted.

    "Which card is it?", and the review says that the payment is blocked until 10:00 ->
    UNSUPPORTED, "Which card is it? It is blocked until 10:00."
    """
    if review.is_paid or review.is_blocked:
        message = without_outcome_name(answer.message)
        if review.is_blocked:
            message = with_retry_time(message, review.until)
        return answer.model_copy(update={"outcome": UNSUPPORTED, "message": message})

    # The reviewer may have missed a reason that the message itself gives.
    if _CLOSED.search(answer.message):
        return answer.model_copy(update={"outcome": UNSUPPORTED})
    return answer


def with_retry_time(message: str, until: str | None) -> str:
    """Return a message that says until when a payment is blocked, if this time is known.

    "It is locked." -> "It is locked. It is blocked until 2027-03-01T08:00Z."
    """
    if not until:
        return message
    is_said = until in message and "blocked" in message.casefold()
    if is_said:
        return message
    sentence = f"It is blocked until {until}."
    text = message.strip().rstrip(".")
    if not text:
        return sentence
    end = "" if text.endswith(("?", "!")) else "."
    return f"{text}{end} {sentence}"
