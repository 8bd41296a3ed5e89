"""Corrects answers on verifications (a bank's checks of payments) before they are submitted.

A customer asks to restart the verification of a payment. If the payment is already paid, or if
its verification is blocked, the right outcome is UNSUPPORTED, and the message must say until
when it is blocked. Solvers often ask a question instead. So a second model, the reviewer, reads
from the answer if the payment is paid or blocked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from controlplane.benchmarks.shop.answering.answer_forms import without_outcome_name
from controlplane.gates.submission import CLARIFICATION, OK, UNSUPPORTED

if TYPE_CHECKING:
    from controlplane.agent.exoskeleton import AskDraftCheck, Completion
from controlplane.benchmarks.shop.payments.discount_limits import with_cap
from controlplane.benchmarks.shop.payments.retry_times import known_instant

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
"""The JSON schema of the reviewer's answer."""


def revised(
    answer: Completion, texts: Mapping[str, str], ask: AskDraftCheck
) -> Completion:
    """Return a solver's answer (`Completion`) with what answers of its type usually lack.

    `texts` are the files that were read, by path. `ask` asks the reviewer.
    """
    if answer.task_type == "discount":
        return with_cap(answer)
    if not needs_review(answer.task_type, answer.outcome):
        return answer
    answer_text = f"{answer.message}\n{answer.notes}"
    reply = ask(REVIEW_SCHEMA, answer_text)

    # A reviewer may invent an instant, so it counts only if the answer states it. Otherwise
    # the files that the answer cites may have it.
    until = reply.get("until")
    is_stated = isinstance(until, str) and until in answer_text
    review = PaymentReview(
        is_paid=reply.get("paid") is True,
        is_blocked=reply.get("blocked") is True,
        until=str(until) if until and is_stated else known_instant(answer, texts),
    )
    return reviewed(answer, review)


@dataclass(frozen=True, slots=True)
class PaymentReview:
    """What the reviewer says about a payment, after it was checked."""

    is_paid: bool
    is_blocked: bool
    until: str
    """The instant from which the verification may be restarted; empty if it is unknown."""
    message: str = ""
    """A better message; empty if the answer's own is kept."""


def needs_review(task_type: str, outcome: str) -> bool:
    """Return True if the reviewer must be asked: for questions and refusals about verifications."""
    return task_type == "verification" and outcome in (CLARIFICATION, UNSUPPORTED)


_CLOSED: Final = re.compile(
    r"\b(?:window|retry|attempts?)\b[^.]{0,40}"
    r"\b(?:closed|over|expired|passed|used up|exhausted|limit)\b"
    r"|\bblocked until\b|\b(?:attempt|retry) limit\b",
    re.IGNORECASE,
)
"""Words of a message which say that the verification cannot be restarted."""
_DONE: Final = re.compile(
    r"\b(?:started|restarted|sent|resumed|issued)\b", re.IGNORECASE
)
"""Words of a message which say that the verification was restarted."""


def reviewed(answer: Completion, review: PaymentReview) -> Completion:
    """Return an answer about a verification, as UNSUPPORTED if no restart is possible.

    A verification is the bank's check of a payment, and `review` says what a second model has
    read from the answer. "When did it fail?", blocked until 10:00 -> UNSUPPORTED, "When did it
    fail? It is blocked until 10:00."
    """
    # 1. The answer is an OK. It stays one if its message says that the verification was
    #    restarted.
    if answer.outcome == OK:
        is_restarted = _DONE.search(answer.message) is not None
        return answer if is_restarted else _unsupported_if_closed(answer)

    # 2. The reviewer sees no reason against a restart. It may have missed one in the message.
    if not review.is_paid and not review.is_blocked:
        return _unsupported_if_closed(answer)

    # 3. No restart is possible.
    message = review.message.strip() or answer.message
    message = without_outcome_name(message)
    if review.is_blocked:
        message = with_retry_time(message, review.until)
    return answer.model_copy(update={"outcome": UNSUPPORTED, "message": message})


def _unsupported_if_closed(answer: Completion) -> Completion:
    """Return an answer, as UNSUPPORTED if its own message says that no restart is possible.

    Such a message is "The retry window is closed."
    """
    if _CLOSED.search(answer.message) is None:
        return answer
    return answer.model_copy(update={"outcome": UNSUPPORTED})


def with_retry_time(message: str, until: str) -> str:
    """Return a message that says until when a verification is blocked.

    "The payment is locked." -> "The payment is locked. It is blocked until
    2027-03-01T08:00Z." If `until` is empty, the time is not known, and the message stays
    the same.
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
