"""A run with its rerun's trials in the place of its own."""

from pathlib import Path

import pytest

from controlplane.comparison.compared_trials import compared_run
from controlplane.comparison.run_comparison import compare_runs
from controlplane.errors import UsageError
from tests.support.scored_journal import scored_journal


def test_a_rerun_takes_the_place_of_the_tries_that_it_played(tmp_path: Path) -> None:
    run = scored_journal(tmp_path / "run.jsonl", {"a": [0.0, 0.0], "b": [1.0]})
    again = scored_journal(tmp_path / "again.jsonl", {"a": [1.0]}, parent="run", numbers={"a": [1]})
    found = compared_run([run, again])
    assert [(each.task, each.number, each.score, each.run) for each in found.trials] == [
        ("a", 0, 0.0, "run"),
        ("a", 1, 1.0, "again"),
        ("b", 0, 1.0, "run"),
    ]
    assert found.scores_by_task == {"a": [0.0, 1.0], "b": [1.0]}


def test_a_run_that_is_no_rerun_of_the_other_is_refused(tmp_path: Path) -> None:
    run = scored_journal(tmp_path / "run.jsonl", {"a": [0.0]})
    other = scored_journal(tmp_path / "other.jsonl", {"a": [1.0]})
    with pytest.raises(UsageError, match="other is no rerun of run"):
        compared_run([run, other])


def test_the_tries_of_a_fork_stand_in_the_world_of_the_trial_that_they_left(tmp_path: Path) -> None:
    run = compared_run([scored_journal(tmp_path / "run.jsonl", {"a": [1.0, 0.0], "b": [1.0]})])
    fork = scored_journal(
        tmp_path / "fork.jsonl", {"a": [1.0, 1.0, 0.0]}, parent="run", how="fork", numbers={"a": [1, 2, 3]}
    )
    found = compare_runs(run, compared_run([fork]))
    (task,) = found.tasks
    assert (found.pairing, found.agreement.pairs) == ("task and world", 3)
    assert (task.first.mean, round(task.second.mean, 3)) == (0.0, 0.667)
    assert found.unpaired == ("a", "b")
    back = compare_runs(compared_run([fork]), run)
    assert (back.pairing, round(back.tasks[0].difference, 3)) == ("task and world", -0.667)
