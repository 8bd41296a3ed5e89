"""Faults of an answer by what its task expects: its outcome, message, citations and changes.

Two loans are overdue, which are to be cited. Nothing is to be changed. `graded(...)` is the grade of
an answer: 1 if it is as expected, and otherwise 0, with a remark for each fault.
"""

from pathlib import Path

import pytest

from controlplane.local_benchmark.local_benchmark import Grade
from tests.benchmarks.folder.grades.expected_grades.graded_answers import graded

EXPECTED = """
outcome = "OUTCOME_OK"
answer = "[COUNT:2]"
references = ["/loans/1.json", "/loans/3.json"]
"""


def test_a_right_answer_scores_one(tmp_path: Path) -> None:
    grade = graded(
        tmp_path,
        EXPECTED,
        "[COUNT:2]",
        cited=("/loans/1.json", "/loans/3.json"),
    )

    assert grade == Grade(1.0, ())


@pytest.mark.parametrize(
    ("message", "outcome", "cited", "fault"),
    [
        pytest.param(
            "[COUNT:3]",
            "OUTCOME_OK",
            ("/loans/1.json", "/loans/3.json"),
            'Answer should be "[COUNT:2]"',
            id="another message",
        ),
        pytest.param(
            "[COUNT:2]",
            "OUTCOME_NONE_UNSUPPORTED",
            ("/loans/1.json", "/loans/3.json"),
            "expected outcome OUTCOME_OK, got OUTCOME_NONE_UNSUPPORTED",
            id="another outcome",
        ),
        pytest.param(
            "[COUNT:2]",
            "OUTCOME_OK",
            ("/loans/1.json",),
            "answer missing required reference '/loans/3.json'",
            id="a missing citation",
        ),
        pytest.param(
            "[COUNT:2]",
            "OUTCOME_OK",
            ("/loans/1.json", "/loans/2.json", "/loans/3.json"),
            "answer contains invalid reference '/loans/2.json'",
            id="a citation too many",
        ),
    ],
)
def test_a_wrong_answer_scores_zero_and_the_grade_says_why(
    message: str, outcome: str, cited: tuple[str, ...], fault: str, tmp_path: Path
) -> None:
    grade = graded(tmp_path, EXPECTED, message, outcome=outcome, cited=cited)

    assert grade.score == 0.0
    assert grade.details == (fault,)
