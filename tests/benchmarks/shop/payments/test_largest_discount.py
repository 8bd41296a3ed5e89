"""The refusal of a discount names the largest one that is allowed, if the model has noted it.

    message "Not allowed.", notes "... the maximum is 12 %"  ->  "Not allowed. the maximum is 12 %"

The notes are written by the model beside its answer, and the customer does not see them.
"""

import pytest

from controlplane.agent.exoskeleton import Completion
from controlplane.benchmarks.shop.payments import with_largest_discount
from controlplane.gates.submission import OK, UNSUPPORTED


def test_a_refusal_gets_the_limit_from_the_notes() -> None:
    refusal = Completion(
        outcome=UNSUPPORTED,
        message="Not allowed.",
        notes="basket-7 has 4 products\nthe maximum is 12 %; it was asked for 21 %",
    )

    answer = with_largest_discount(refusal)

    assert answer.message == "Not allowed. the maximum is 12 %"
    assert answer.outcome == UNSUPPORTED


@pytest.mark.parametrize(
    "unchanged",
    [
        pytest.param(
            Completion(outcome=UNSUPPORTED, message="At most 7 %.", notes="limit 12 %"),
            id="a refusal that names a percentage",
        ),
        pytest.param(
            Completion(outcome=OK, message="Done.", notes="limit 12 %"),
            id="a discount that was given",
        ),
        pytest.param(
            Completion(outcome=UNSUPPORTED, message="No.", notes="asked for 12 %"),
            id="no limit in the notes",
        ),
    ],
)
def test_another_answer_stays_as_it_is(unchanged: Completion) -> None:
    assert with_largest_discount(unchanged) == unchanged
