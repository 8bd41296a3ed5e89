"""A model's verdict on an answer that does not count. The model is asked once more, and told why.

The answer is "There are 12 pieces.", and the rubric "The answer names the article A-7.". A verdict
counts if its score is from 0 to 1, and below 1 exactly if it has a fault, and if each quotation is
in the answer or in the rubric.
"""

import math

import pytest

from controlplane import BenchmarkError
from tests.benchmarks.folder.grades.by_rubric.rubric_grades import (
    grade_by_rubric,
    verdict,
)
from tests.support.model_with_replies import ModelWithReplies


@pytest.mark.parametrize(
    ("first_verdict", "objection"),
    [
        pytest.param(
            verdict(0, "13 pieces"),
            "'13 pieces' stands neither in the answer nor in the rubric",
            id="quotes 13 pieces, but the answer is 12",
        ),
        pytest.param(
            verdict(0.2),
            "a score is below 1 if there is a fault",
            id="lowers the score without a fault",
        ),
        pytest.param(
            verdict(1, "12 pieces"),
            "a score is below 1 if there is a fault",
            id="has a fault and the full score",
        ),
        pytest.param(
            verdict(5, "12 pieces"),
            "Reply with one JSON object",
            id="has a score above 1",
        ),
        pytest.param(
            verdict(math.nan), "Reply with one JSON object", id="has no number"
        ),
    ],
)
def test_after_a_verdict_that_does_not_count_a_second_one_is_asked_for(
    first_verdict: str, objection: str
) -> None:
    model = ModelWithReplies([first_verdict, verdict(0.5, "12 pieces")])

    grade = grade_by_rubric(model)

    assert grade.score == 0.5
    assert grade.details == ("wrong: '12 pieces'",)
    _, second_request = model.requests
    assert objection in str(second_request[-1]["content"])


def test_after_two_verdicts_that_do_not_count_there_is_no_grade() -> None:
    model = ModelWithReplies([verdict(0, "13 pieces"), verdict(0, "14 pieces")])

    with pytest.raises(BenchmarkError, match="'14 pieces' stands neither"):
        grade_by_rubric(model)

    assert len(model.requests) == 2
