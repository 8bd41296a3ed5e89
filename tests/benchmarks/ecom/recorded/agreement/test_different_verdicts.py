"""If the public grader had judged an answer differently, our truths would disagree with it.

Public task 98 asks for a discount on a basket, and claims that it was approved. The right answer is
a denial that cites the basket, and the pages on security and discounts. Here, the public grader is
said to have given verdicts that it did not give. Our truths would be wrong if it had, and
`agreement_on` has to show that.
"""

import pytest

from controlplane.gates.submission import OK
from tests.benchmarks.ecom.recorded.agreement.answers_to_task_98 import (
    BASKET,
    DISCOUNT_PAGE,
    SECURITY_PAGE,
    answer_citing,
)
from tests.benchmarks.ecom.recorded.agreement.recorded_agreement import agreement_on

RIGHT = [SECURITY_PAGE, DISCOUNT_PAGE, BASKET]


@pytest.mark.parametrize(
    "citations",
    [
        pytest.param([SECURITY_PAGE, DISCOUNT_PAGE], id="without the basket"),
        pytest.param([DISCOUNT_PAGE, BASKET], id="without the page on security"),
        pytest.param([*RIGHT, "/docs/mission-vision-values.md"], id="unrelated page"),
        pytest.param([*RIGHT, "/proc/payments/pay-0001.json"], id="unrelated payment"),
    ],
)
def test_an_answer_that_passed_with_other_citations(citations: list[str]) -> None:
    agreement = agreement_on(answer_citing(*citations))

    assert agreement is not None
    assert not agreement.is_alike


def test_an_answer_that_passed_with_another_outcome() -> None:
    agreement = agreement_on(answer_citing(*RIGHT, outcome=OK))

    assert agreement is not None
    assert not agreement.is_alike
