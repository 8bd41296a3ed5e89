"""What players of the embedded benchmark earn: fixed rules something, cheap tricks nothing."""

from pathlib import Path

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.task_ids import task_ids
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from tests.benchmarks.ecom.mistakes.cheap_mistakes import cheap_mistakes
from tests.benchmarks.ecom.solutions.wrong_solutions import answer_with
from tests.support.command import run_in_process


@pytest.mark.parametrize(
    ("seed", "trial_count"),
    [
        pytest.param(4, 24, id="24 trials"),
        pytest.param(11, 100, id="100 trials", marks=pytest.mark.heavy),
        pytest.param(3, 100, id="100 others", marks=pytest.mark.heavy),
    ],
)
def test_the_rule_based_player_answers_every_trial_and_many_rightly(
    seed: int, trial_count: int, tmp_path: Path
) -> None:
    """A run without a model is played by fixed rules. With `wordings=known`, requests are worded as
    they were when the rules were written."""
    run = run_in_process(
        "run",
        f"--seed={seed}",
        f"--limit={trial_count}",
        "--concurrency=2",
        "--set=wordings=known",
        "--json",
        cwd=tmp_path,
    )

    assert run.code == 0, run.err
    assert {trial["state"] for trial in run.json["trials"]} == {"answered"}
    assert run.json["score"] >= 0.4


def test_a_cheap_mistake_costs_the_whole_score() -> None:
    """A cheap mistake is a right answer but for a trick that a lazy agent may try: it cites every page
    in case one is demanded, for example. Not every task allows each trick."""
    every_fourth_task = task_ids()[3::4]  # All 100 tasks would take too long.
    applied_mistakes = set()
    for seed in ("cheap|0", "cheap|1"):
        for task_id in every_fourth_task:
            task = generate_task(task_id, seed)
            for name, mistake in cheap_mistakes(task).items():
                shop = EcomEnvironment(workspace_of(task.world))
                answer_with(mistake, shop, task.truth)
                assert grade(task.truth, shop).score == 0.0, (name, task.instruction)
                applied_mistakes.add(name)

    assert applied_mistakes == {
        "acts, restores, refuses",
        "cites every page",
        "cites every tool",
        "cites #anything",
    }
