"""Grades of the answer "There are 12 pieces." by a model, which has a rubric.

    grade_by_rubric(ModelWithReplies([verdict(1)]))     # Grade(1.0, ())

The rubric is "The answer names the article A-7." The model replies with a verdict.
"""

import json

from controlplane.agent.model import Model
from controlplane.benchmarks.folder.folder_benchmark import rubric_grade
from controlplane.local_benchmark.local_benchmark import Grade
from controlplane.local_benchmark.local_environment import SubmittedAnswer


def grade_by_rubric(model: Model) -> Grade:
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
