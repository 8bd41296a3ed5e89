"""An answer to "Restart the check of my card for pay_7", and what it is after a review.

    review("Which card?", {"paid": True, "blocked": False, "until": ""}).outcome  # UNSUPPORTED

The reviewer is a second model, which reads in the answer whether the payment is paid or blocked.
"""

from collections.abc import Mapping

from controlplane.agent.exoskeleton import Completion
from controlplane.benchmarks.shop.payments import review_payment
from controlplane.gates.submission import CLARIFICATION


def verification_answer(
    message: str, *, outcome: str = CLARIFICATION, notes: str = ""
) -> Completion:
    """Return an answer with this message. By default it is a question to the customer."""
    return Completion.model_validate(
        {
            "task_type": "verification",
            "outcome": outcome,
            "message": message,
            "records": ["/payments/pay_7.json"],
            "notes": notes,
        }
    )


def review(
    message: str,
    said_by_reviewer: Mapping[str, object],
    *,
    payment_text: str = "",
    notes: str = "",
) -> Completion:
    """Return the answer with this message after the reviewer has read it.

    `payment_text` is the text of the payment's file, if it was read; `notes` are those of the model.
    """
    texts = {"/payments/pay_7.json": payment_text} if payment_text else {}
    answer = verification_answer(message, notes=notes)
    return review_payment(
        answer, texts=texts, ask_reviewer=lambda schema, text: dict(said_by_reviewer)
    )
