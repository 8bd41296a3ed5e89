"""A reviewer, a second model, is asked only about questions back to who wants a payment checked again.

If the payment is paid or blocked, such a question becomes a refusal. Other answers stay as they are.
"""

from collections.abc import Mapping

import pytest

from controlplane.agent.exoskeleton import Completion
from controlplane.benchmarks.shop.payments.payment_review import review_payment
from controlplane.gates.submission import CLARIFICATION, OK
from tests.benchmarks.shop.payments.payment_review.reviewed_answers import (
    verification_answer,
)


def fail_if_asked(schema: Mapping[str, object], text: str) -> dict[str, object]:
    raise AssertionError(text)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(
            verification_answer("It is restarted.", outcome=OK),
            id="the check was restarted",
        ),
        pytest.param(
            Completion(
                task_type="checkout", outcome=CLARIFICATION, message="Which basket?"
            ),
            id="another kind of request",
        ),
    ],
)
def test_the_reviewer_is_not_asked_about_another_answer(answer: Completion) -> None:
    assert review_payment(answer, texts={}, ask_reviewer=fail_if_asked) == answer
