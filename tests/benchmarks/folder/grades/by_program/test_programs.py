"""The program `grade.py` of a task gives the grade of an answer: True, False, or a score.

    def grade(answer, outcome, citations, changes):
        return "12" in answer

The answer here is "There are 12.".
"""

import pytest

from controlplane.sandbox import ForkServer
from tests.benchmarks.folder.grades.by_program.program_grades import grade_by_program


@pytest.mark.parametrize(
    ("expression", "score"),
    [
        pytest.param("'12' in answer", 1.0, id="true is 1"),
        pytest.param("'13' in answer", 0.0, id="false is 0"),
        pytest.param("0.5", 0.5, id="a score"),
    ],
)
def test_a_program_returns_true_or_false_or_a_score(
    expression: str, score: float, server: ForkServer
) -> None:
    grade = grade_by_program(
        f"def grade(answer, outcome, citations, changes):\n    return {expression}\n",
        server,
    )

    assert grade.score == score
    assert grade.details == ()


def test_a_program_gets_answer_outcome_citations_and_changes(
    server: ForkServer,
) -> None:
    """It returns them as the details of its score."""
    grade = grade_by_program(
        "def grade(answer, outcome, citations, changes):\n"
        "    return 0.5, [answer, outcome, str(citations), changes['/b.txt']]\n",
        server,
    )

    assert grade.score == 0.5
    assert grade.details == (
        "There are 12.",
        "OUTCOME_OK",
        "['/a.txt']",
        "12 pieces",
    )
