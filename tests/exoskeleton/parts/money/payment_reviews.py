"""Answers about payments: is a second model, the reviewer, asked about them, and what does it reply?

A customer asks to restart the bank's check, or *verification*, of a payment. (Recorded cases call this
a *recovery*.) The reviewer is asked about an answer that asks back or refuses.

The function below answers recorded cases: a test calls it with a case's `input`, and compares what it
returns with `expect`.

    {"part": "recovery_review",
     "input": {"task_type": "verification", "outcome": "CLARIFY", "message": "Which one?",
               "reviewer_says": {"paid": True, "blocked": False, "until": ""}},
     "expect": {"asked": True, "paid": True, "message": "Which one?"}}
"""

from collections.abc import Mapping
from typing import Any

from controlplane.benchmarks.shop.payments import needs_review
from tests.exoskeleton.answering_functions import Output, answers_part
from tests.exoskeleton.parts.findings import OUTCOMES


@answers_part("recovery_review")
def review_recovery(
    task_type: str,
    outcome: str,
    message: str,
    reviewer_says: Mapping[str, Any] | None = None,
) -> Output:
    """Tell whether the reviewer is asked about an answer, and what it replies."""
    # Cases have short names of outcomes, such as "CLARIFY". Other names stay as they are.
    own_outcome = OUTCOMES.get(outcome, outcome)
    is_asked = needs_review(task_type, own_outcome)
    reply: Mapping[str, Any] = {}
    if is_asked and reviewer_says:
        reply = reviewer_says
    return {
        "asked": is_asked,
        "paid": reply.get("paid") is True,
        "blocked": reply.get("blocked") is True,
        "until": reply.get("until", ""),
        "message": (reply.get("message") or "").strip() or message,
    }
