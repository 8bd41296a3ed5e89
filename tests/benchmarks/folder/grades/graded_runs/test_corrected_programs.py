"""A trial whose program `grade.py` fails is graded when its run is resumed with a better program.

The model need not answer again: it has written "12 pieces" into the file `/stock.txt`, and has
answered "Written: 12 pieces.".
"""

from pathlib import Path

import pytest

from tests.benchmarks.folder.grades.graded_runs.stock_task import (
    INSTRUCTION,
    WRITTEN_ANSWER,
    run_tasks,
    write_task,
)
from tests.support.command import run_controlplane

pytestmark = pytest.mark.usefixtures("shared_fork_servers")


def test_a_trial_whose_program_fails_is_graded_once_the_program_is_corrected(
    tmp_path: Path,
) -> None:
    """Until then the trial stays open. The model need not answer again."""
    write_task(tmp_path, INSTRUCTION)
    program = tmp_path / "tasks/stock/grade.py"
    program.write_text("def grade(answer):\n    return 1\n")  # too few arguments

    run = run_tasks(tmp_path, replies=WRITTEN_ANSWER)

    assert run.code == 3  # A trial has no grade.
    (trial,) = run.json["trials"]
    assert trial["score"] is None
    assert trial["state"] == "open"
    assert "grade() takes 1 positional argument" in trial["reason"]

    program.write_text(
        "def grade(answer, outcome, citations, changes):\n    return '12' in answer\n"
    )
    resumed = run_controlplane("resume", "last", "--json", cwd=tmp_path)

    assert resumed.code == 0, resumed.err
    assert resumed.json["score"] == 1.0
