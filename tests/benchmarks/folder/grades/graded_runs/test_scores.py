"""Runs whose trials are graded by what is expected, or by a program of the task.

The model writes "12 pieces" into the file `/stock.txt`, and answers "Written: 12 pieces.". The
printed result of the run has the score of each trial, and its details.
"""

from pathlib import Path

import pytest

from tests.benchmarks.folder.grades.graded_runs.stock_task import (
    INSTRUCTION,
    WRITTEN_ANSWER,
    run_tasks,
    write_task,
)

pytestmark = pytest.mark.usefixtures("shared_fork_servers")


def test_a_trial_that_does_not_end_as_expected_has_the_faults_as_details(
    tmp_path: Path,
) -> None:
    """The task expects that no file is changed."""
    write_task(
        tmp_path,
        INSTRUCTION
        + '[expected]\noutcome = "OUTCOME_OK"\nanswer = "Written: 12 pieces."\n',
    )

    run = run_tasks(tmp_path, replies=WRITTEN_ANSWER)

    assert run.code == 0, run.err
    (trial,) = run.json["trials"]
    assert trial["score"] == 0.0
    (fault,) = trial["details"]
    assert "expected no file changes" in fault


def test_a_trial_has_the_score_and_details_of_its_program(tmp_path: Path) -> None:
    write_task(tmp_path, INSTRUCTION)
    (tmp_path / "tasks/stock/grade.py").write_text("""
def grade(answer, outcome, citations, changes):
    return 0.5, [answer, outcome, str(citations), changes["/stock.txt"]]
""")

    run = run_tasks(tmp_path, replies=WRITTEN_ANSWER)

    assert run.code == 0, run.err
    (trial,) = run.json["trials"]
    assert trial["score"] == 0.5
    assert trial["details"] == ["Written: 12 pieces.", "OUTCOME_OK", "[]", "12 pieces"]
