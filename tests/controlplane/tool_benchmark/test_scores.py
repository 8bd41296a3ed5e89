"""The scores that graders of tasks give: `Task("a.1", "Look.", grade=lambda end: 0.5)`.

They are from 0 to 1, unless a benchmark has a scale of its own, such as 0 to 100.
"""

from pathlib import Path
from typing import Any

import pytest

import controlplane
from controlplane import Task
from controlplane.tool_benchmark.task_list import TaskList
from tests.controlplane.tool_benchmark.scripted_model import (
    ModelWithScripts,
    run_without_gates,
    script_with_answer,
)
from tests.support.command import run_in_process


def task_with_score(score: float) -> Task:
    """Return a task whose grader gives this score to every answer."""
    return Task("a.1", "Look.", files={"/a.md": "x"}, grade=lambda end: score)


@pytest.mark.parametrize(
    ("graded", "reason"),
    [
        pytest.param(-1, "the score -1 is not from 0 to 1", id="less than 0"),
        pytest.param(85, "the score 85 is not from 0 to 1", id="more than 1"),
        pytest.param(float("nan"), "the score nan is no finite number", id="NaN"),
        pytest.param(
            (10**400, ["huge"]),
            f"the score 1{'0' * 39}… is no finite number",
            id="400 digits, with a line",
        ),
        pytest.param(
            "good", "the grader returned 'good', which is no score", id="a text"
        ),
        pytest.param(None, "the grader returned None, which is no score", id="nothing"),
    ],
)
def test_what_is_no_score_leaves_its_trial_without_one(
    graded: Any, reason: str, tmp_path: Path
) -> None:
    """The other trial keeps its score, and the run ends."""
    model = ModelWithScripts(script_with_answer())
    odd = Task("odd", "Look.", files={"/a.md": "x"}, grade=lambda end: graded)

    run = run_without_gates([odd, task_with_score(0.5)], model, tmp_path)

    assert run.exit_code == 0
    assert run["odd"].score is None
    assert run["odd"].unscored == reason
    assert run["odd"].details[0] == reason
    assert run.mean == 0.5
    assert run.unscored == {reason: 1}
    assert f"mean score 0.500 of 2 trials · 1 without a score ({reason}" in repr(run)


def test_metrics_that_are_no_finite_numbers_are_left_out(tmp_path: Path) -> None:
    metrics = {"speed": 10**400, "style": 0.5, "taste": float("inf")}
    task = Task(
        "a.1", "Look.", files={"/a.md": "x"}, grade=lambda end: (1.0, [], metrics)
    )

    run = run_without_gates([task], ModelWithScripts(script_with_answer()), tmp_path)

    assert run.trials[0].score == 1.0
    assert run.metrics == {"style": 0.5}


def test_a_benchmark_may_have_a_scale_of_its_own(tmp_path: Path) -> None:
    tasks = TaskList(
        [task_with_score(85)],
        scale=(0, 100),
        player=ModelWithScripts(script_with_answer()),
    )

    run = controlplane.run(tasks, gates="none", runs_dir=str(tmp_path))

    assert run.mean == 85
    assert "mean score 85.000 (scale: from 0 to 100) of 1 trial" in repr(run)
    report = run_in_process("show", str(run.journal), cwd=tmp_path)
    assert "mean score 85.000 (scale: from 0 to 100) over 1 of 1 trial" in report.out


@pytest.mark.parametrize("scale", [(1, 0), (0, float("nan")), (0, 1, 2), 5])
def test_a_scale_that_is_none_is_refused_before_the_run(
    scale: Any, tmp_path: Path
) -> None:
    tasks = TaskList([task_with_score(1)], scale=scale)

    with pytest.raises(controlplane.UsageError, match="is no scale of scores"):
        controlplane.run(tasks, runs_dir=str(tmp_path))
