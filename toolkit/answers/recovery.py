"""Answers about a payment whose verification is to be started again: what a review makes of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from toolkit.answers.outcome_names import CLARIFY, OK, UNSUPPORTED, without_outcome_name
from toolkit.answers.retry_times import with_retry_time

_REVIEWED: Final = frozenset({CLARIFY, UNSUPPORTED})
_CLOSED: Final = re.compile(
    r"\b(?:window|retry|attempts?)\b[^.]{0,40}\b(?:closed|over|expired|passed|used up|exhausted|limit)\b"
    r"|\bblocked until\b|\b(?:attempt|retry) limit\b",
    re.IGNORECASE,
)
_DONE: Final = re.compile(r"\b(?:started|restarted|sent|resumed|issued)\b", re.IGNORECASE)
_CAP: Final = re.compile(
    r"[^.;\n]*\b(?:max(?:imum)?|cap(?:ped)?|limit(?:ed)?|most|up to)\b[^.;\n]*?\b\d+(?:[.,]\d+)?\s?%[^.;\n]*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Review:
    """What a reviewer says of the payment."""

    paid: bool = False
    blocked: bool = False
    until: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class RecoveryAnswer:
    """An outcome and its message."""

    outcome: str
    message: str


def needs_review(task_type: str, outcome: str) -> bool:
    """Say whether a reviewer is asked: for refusals and questions about verifications alone."""
    return task_type == "verification" and outcome in _REVIEWED


def reviewed(answer: RecoveryAnswer, review: Review, *, until: str = "") -> RecoveryAnswer:
    """Return the answer that a review leaves.

    What is paid or blocked is unsupported, no question. A blocked one says until when: as the review says, else
    `until`, the instant that the payment's record or the cited policy gives.
    """
    if answer.outcome == OK or not (review.paid or review.blocked):
        tells_end = _CLOSED.search(answer.message) and not (answer.outcome == OK and _DONE.search(answer.message))
        return replace(answer, outcome=UNSUPPORTED) if tells_end else answer
    message = without_outcome_name(review.message.strip() or answer.message)
    if review.blocked:
        message = with_retry_time(message, review.until or until)
    return RecoveryAnswer(UNSUPPORTED, message)


def with_cap(answer: RecoveryAnswer, notes: list[str]) -> RecoveryAnswer:
    """Return a bare refusal of a discount with the largest one that the notes tell; others as they are."""
    said = without_outcome_name(answer.message).strip()
    if answer.outcome != UNSUPPORTED or "%" in said:
        return answer
    found = next((cap[0].strip() for note in notes if (cap := _CAP.search(note))), "")
    return replace(answer, message=f"{said} {found}".strip()) if found else answer
