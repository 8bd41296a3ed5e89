"""A rerun plays trials of a run again, and a fork continues one of them: both are compared with the run.

`numbers={"a": [1]}` says that the first trial of task a is in world 1, a world being the data that a
trial finds.
"""

from pathlib import Path

import pytest

from controlplane.compared_run import compared_run
from controlplane.run_comparison.comparing import compare_runs
from controlplane.score_groups import scores_by_task
from tests.support.journals.scored_journal import scored_journal


def test_a_rerun_replaces_the_trials_that_it_played_again(tmp_path: Path) -> None:
    """The rerun plays task a again in world 1."""
    run = scored_journal(tmp_path / "run.jsonl", {"a": [0.0, 0.0], "b": [1.0]})
    rerun = scored_journal(
        tmp_path / "again.jsonl", {"a": [1.0]}, parent="run", numbers={"a": [1]}
    )

    combined_run = compared_run([run, rerun])

    score_by_world = {trial.world: trial.score for trial in combined_run.trials}
    assert score_by_world == {("a", 0): 0.0, ("a", 1): 1.0, ("b", 0): 1.0}
    assert scores_by_task(combined_run.trials) == {"a": [0.0, 1.0], "b": [1.0]}


def test_the_tries_of_a_fork_are_compared_with_the_trial_that_they_continue(
    tmp_path: Path,
) -> None:
    """The fork plays a trial of the run three times from a step in the middle on, in its world.

    run    task a, world 0: 1.0    task a, world 1: 0.0                task b: 1.0
    fork                           task a, world 1: 1.0, 1.0 and 0.0
    """
    run = scored_journal(tmp_path / "run.jsonl", {"a": [1.0, 0.0], "b": [1.0]})
    fork = scored_journal(
        tmp_path / "fork.jsonl",
        {"a": [1.0, 1.0, 0.0]},
        parent="run",
        how="fork",
        numbers={"a": [1, 2, 3]},  # The fork is in the world of its first trial.
    )

    comparison = compare_runs(compared_run([run]), compared_run([fork]))
    reverse_comparison = compare_runs(compared_run([fork]), compared_run([run]))

    (task,) = comparison.tasks
    assert comparison.pairing == "task and world"
    assert comparison.agreement.pairs == 3
    assert task.first.mean == 0.0
    assert task.second.mean == pytest.approx(2 / 3)
    assert comparison.unpaired == ("a", "b")
    assert reverse_comparison.pairing == "task and world"
    assert reverse_comparison.tasks[0].difference == pytest.approx(-2 / 3)
