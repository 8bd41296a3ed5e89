"""The truth of a task, the right calls and the right answer, can be played in place of a model.

    Truth([[("add", {"article": "bread"})]], "Bread is in the basket.")

is one turn with a call, and the answer. A run without a model makes these calls. So the author of a
benchmark sees whether its tasks can be solved, and whether the grader gives right work the best score.
"""

from pathlib import Path

import controlplane
from controlplane import Truth
from tests.controlplane.tool_benchmark.played_runs import check_replay_agrees
from tests.controlplane.tool_benchmark.task_with_truth import TaskWithTruth
from tests.controlplane.tool_benchmark.truth.basket_with_user import basket_with_user


def test_the_calls_of_the_truth_are_made_and_the_answer_is_given(
    tmp_path: Path,
) -> None:
    """The task has no user, and is over with the answer."""
    errand = TaskWithTruth(
        "Buy bread.",
        basket_with_user,
        Truth([[("add", {"article": "bread"})]], "Bread is in the basket."),
        grade=lambda end: end.state == ["bread"],
    )

    run = controlplane.run(errand, runs_dir=str(tmp_path))

    assert run.trials[0].score == 1, run.trials
    assert run.trials[0].answer == "Bread is in the basket."
    check_replay_agrees(run)
