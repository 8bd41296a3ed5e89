"""The scores that graders of tasks give: `Task("a.1", "Look.", grade=lambda end: 0.5)`.

They are from 0 to 1, unless a benchmark has a scale of its own, such as 0 to 100.
"""

from pathlib import Path

import pytest

import controlplane
from controlplane import Task
from controlplane.tool_benchmark.task_list import TaskList
from tests.controlplane.tool_benchmark.scripted_model import (
    ModelWithScripts,
    run_without_gates,
    script_with_answer,
)


def task_with_score(score: float) -> Task:
    """Return a task whose grader gives this score to every answer."""
    return Task("a.1", "Look.", files={"/a.md": "x"}, grade=lambda end: score)


@pytest.mark.parametrize("score", [-1, 85, float("nan")])
def test_a_score_outside_the_scale_is_an_error_of_its_trial(
    score: float, tmp_path: Path
) -> None:
    model = ModelWithScripts(script_with_answer())

    run = run_without_gates([task_with_score(score)], model, tmp_path)

    assert run.exit_code != 0
    assert run.trials[0].score is None
    assert f"the score {score}" in run.trials[0].reason, run.trials[0]


def test_a_benchmark_may_have_a_scale_of_its_own(tmp_path: Path) -> None:
    tasks = TaskList(
        [task_with_score(85)],
        scale=(0, 100),
        player=ModelWithScripts(script_with_answer()),
    )

    run = controlplane.run(tasks, gates="none", runs_dir=str(tmp_path))

    assert run.mean == 85
