"""A model grades an answer by a rubric: it replies with a verdict, which quotes each fault.

    rubric    "The answer names the article A-7."
    answer    "There are 12 pieces."
    verdict   {"faults": [{"quote": "12 pieces", "fault": "no article"}], "score": 0.5}

A verdict counts if its score is from 0 to 1, and below 1 exactly if it has a fault, and if each quotation
is in the answer or in the rubric. After one that does not count, the model is asked once more.
"""

import json
import math

import pytest

from controlplane import BenchmarkError
from controlplane.agent.model import Model
from controlplane.benchmarks.folder.rubric_grader import rubric_grade
from controlplane.local_benchmark.generated_trial import Grade
from controlplane.local_benchmark.local_environment import SubmittedAnswer
from tests.support.single_trial import ModelWithReplies


def grade_by(model: Model) -> Grade:
    """Return a model's grade of the answer "There are 12 pieces." by the rubric on article A-7."""
    return rubric_grade(
        model,
        rubric="The answer names the article A-7.",
        instruction="How many are there?",
        submission=SubmittedAnswer("There are 12 pieces.", "OUTCOME_OK", refs=()),
        changes={},
    )


def verdict(score: float, *quotes: str) -> str:
    """Return a verdict with one fault for each quotation.

    `verdict(0.5, "12")` -> `{"faults": [{"quote": "12", "fault": "wrong"}], "score": 0.5}`
    """
    faults = [{"quote": quote, "fault": "wrong"} for quote in quotes]
    return json.dumps({"faults": faults, "score": score})


class TestVerdictsThatCount:
    """The model is asked once."""

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
        self, text: str, score: float, details: tuple[str, ...]
    ) -> None:
        model = ModelWithReplies([text])

        grade = grade_by(model)

        assert grade.score == score
        assert grade.details == details
        assert len(model.requests) == 1


class TestVerdictsThatDoNotCount:
    """The model is asked once more, and told why."""

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
        self, first_verdict: str, objection: str
    ) -> None:
        model = ModelWithReplies([first_verdict, verdict(0.5, "12 pieces")])

        grade = grade_by(model)

        assert grade.score == 0.5
        assert grade.details == ("wrong: '12 pieces'",)
        _, second_request = model.requests
        assert objection in str(second_request[-1]["content"])

    def test_after_two_verdicts_that_do_not_count_there_is_no_grade(self) -> None:
        model = ModelWithReplies([verdict(0, "13 pieces"), verdict(0, "14 pieces")])

        with pytest.raises(BenchmarkError, match="'14 pieces' stands neither"):
            grade_by(model)

        assert len(model.requests) == 2
