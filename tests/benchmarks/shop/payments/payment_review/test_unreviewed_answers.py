"""Answers that a reviewer, a second model, does not read, so that they stay as they are.

A customer asks to restart the bank's check of a payment. If the model asks back, "Which card?", or
refuses, the reviewer reads whether the payment is paid or blocked. No other answer is reviewed.
"""

from collections.abc import Mapping

import pytest

from controlplane.agent.exoskeleton import Completion
from controlplane.benchmarks.shop.payments import review_payment
from controlplane.gates.submission import CLARIFICATION, OK


def reviewer_that_is_not_asked(
    schema: Mapping[str, object], text: str
) -> dict[str, object]:
    raise AssertionError(text)


@pytest.mark.parametrize(
    ("task_type", "outcome", "message"),
    [
        pytest.param("verification", OK, "It is restarted.", id="restarted"),
        pytest.param(
            "checkout", CLARIFICATION, "Which basket?", id="another kind of request"
        ),
    ],
)
def test_another_answer_is_not_reviewed(
    task_type: str, outcome: str, message: str
) -> None:
    answer = Completion.model_validate(
        {
            "task_type": task_type,
            "outcome": outcome,
            "message": message,
            "records": ["/payments/pay_7.json"],
        }
    )

    no_files_read: dict[str, str] = {}
    reviewed = review_payment(answer, no_files_read, reviewer_that_is_not_asked)

    assert reviewed == answer
