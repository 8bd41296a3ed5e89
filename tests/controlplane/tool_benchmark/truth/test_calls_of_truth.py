"""The truth of a task, the right calls and the right answer, can be played in place of a model.

So the author of a benchmark sees whether its tasks can be solved, and whether the grader gives
right work the best score.
"""

from pathlib import Path

import controlplane
from controlplane import Truth
from tests.controlplane.tool_benchmark.played_runs import check_replay_agrees
from tests.controlplane.tool_benchmark.task_with_truth import TaskWithTruth
from tests.controlplane.tool_benchmark.truth.basket import basket


def test_the_calls_of_the_truth_are_made_and_the_answer_is_given(
    tmp_path: Path,
) -> None:
    """Nobody names a model or an agent for the run, so the truth is played."""
    only_turn = [("add", {"article": "bread"})]
    errand = TaskWithTruth(
        "Buy bread.",
        environment=basket,
        truth=Truth(turns=[only_turn], answer="Bread is in the basket."),
        grade=lambda end: end.state == ["bread"],
    )

    run = controlplane.run(errand, runs_dir=str(tmp_path))

    assert run.trials[0].score == 1, run.trials
    assert run.trials[0].answer == "Bread is in the basket."
    check_replay_agrees(run)
