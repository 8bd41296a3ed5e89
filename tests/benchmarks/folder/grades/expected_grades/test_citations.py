"""A citation of an answer is graded only if the task says by one of two keys which are allowed.

    tolerated = ["/loans/2.json"]    these files may be cited
    free = ["/l"]                    files whose path begins like this may be cited

If a task has one of the keys, citations that no key allows are faults.
"""

from pathlib import Path

import pytest

from tests.benchmarks.folder.grades.expected_grades.graded_answers import graded


@pytest.mark.parametrize(
    ("allowed_citations", "score"),
    [
        pytest.param("", 1.0, id="the task says nothing of citations"),
        pytest.param("tolerated = []\n", 0.0, id="the task allows no file"),
        pytest.param('free = ["/l"]\n', 1.0, id="the task allows /l..."),
    ],
)
def test_a_citation_is_graded_only_if_the_task_says_which_are_allowed(
    allowed_citations: str, score: float, tmp_path: Path
) -> None:
    """The answer has the expected date, and cites /loans/2.json."""
    expected = 'outcome = "OUTCOME_OK"\ncontains = ["2027-04-16"]\n'

    grade = graded(
        tmp_path,
        expected + allowed_citations,
        message="Until 2027-04-16.",
        cited=("/loans/2.json",),
    )

    assert grade.score == score
