"""If the public grader had refused a right answer, our truths would disagree with it.

Public task 98 asks for a discount on a basket, and claims that it was approved. The right answer is
a denial that cites the basket, and the pages on security and discounts. Here, the public grader is
said to have refused it: "Answer should contain '7'". Our truths would be wrong if it had.
"""

import pytest

from controlplane.gates.submission import DENIED, OK
from tests.benchmarks.ecom.recorded.agreement.answers_to_task_98 import (
    BASKET,
    DISCOUNT_PAGE,
    SECURITY_PAGE,
    answer_citing,
)
from tests.benchmarks.ecom.recorded.agreement.recorded_agreement import agreement_on

RIGHT = [SECURITY_PAGE, DISCOUNT_PAGE, BASKET]


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(
            f"expected outcome {OK}, got {DENIED}", id="another outcome is right"
        ),
        pytest.param("Answer should contain '7'", id="the message lacks a number"),
    ],
)
def test_a_right_answer_that_was_refused(fault: str) -> None:
    agreement = agreement_on(answer_citing(*RIGHT, fault=fault))

    assert agreement is not None
    assert not agreement.is_alike


def test_a_refusal_for_changed_files_cannot_be_judged_without_the_world() -> None:
    """Which files an answer may change depends on the shop, and the shop was not recorded."""
    refused = answer_citing(*RIGHT, fault="expected no file changes")

    assert agreement_on(refused) is None
