"""A model grades an answer by a rubric: it replies with a verdict, which quotes each fault.

    rubric    "The answer names the article A-7."
    answer    "There are 12 pieces."
    verdict   {"faults": [{"quote": "12 pieces", "fault": "no article"}], "score": 0.5}

The verdict counts if each quotation is in the answer or in the rubric.
"""

import pytest

from tests.benchmarks.folder.grades.by_rubric.rubric_grades import (
    grade_by_rubric,
    verdict,
)
from tests.support.model_with_replies import ModelWithReplies


@pytest.mark.parametrize(
    ("text", "score", "details"),
    [
        pytest.param(verdict(1), 1.0, (), id="no fault"),
        pytest.param(
            verdict(0.5, "there are  12 PIECES"),
            0.5,
            ("wrong: 'there are  12 PIECES'",),
            id="quotes the answer with other blanks and capitals",
        ),
        pytest.param(
            verdict(0, "names the article A-7"),
            0.0,
            ("wrong: 'names the article A-7'",),
            id="quotes the rubric",
        ),
        pytest.param(f"```json\n{verdict(1)}\n```", 1.0, (), id="in Markdown"),
    ],
)
def test_the_score_and_the_faults_are_those_of_the_verdict(
    text: str, score: float, details: tuple[str, ...]
) -> None:
    model = ModelWithReplies([text])

    grade = grade_by_rubric(model)

    assert grade.score == score
    assert grade.details == details
    assert len(model.requests) == 1
