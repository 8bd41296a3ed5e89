"""A rerun plays trials of a run again: its scores replace those of the trials that it plays again.

    run      task a, world 0: 0.0    task a, world 1: 0.0    task b, world 0: 1.0
    rerun                            task a, world 1: 1.0

A world is the data that a trial finds.
"""

from pathlib import Path

from controlplane.compared_run import compared_run
from controlplane.score_groups import scores_by_task
from tests.support.journals.scored_journal import scored_journal


def test_a_rerun_replaces_the_trials_that_it_played_again(tmp_path: Path) -> None:
    run = scored_journal(tmp_path / "run.jsonl", {"a": [0.0, 0.0], "b": [1.0]})
    rerun = scored_journal(
        tmp_path / "again.jsonl",
        {"a": [1.0]},
        numbers={"a": [1]},  # The one trial of task a is in world 1.
        parent="run",
    )

    combined_run = compared_run([run, rerun])

    score_by_world = {trial.world: trial.score for trial in combined_run.trials}
    assert score_by_world == {("a", 0): 0.0, ("a", 1): 1.0, ("b", 0): 1.0}
    assert scores_by_task(combined_run.trials) == {"a": [0.0, 1.0], "b": [1.0]}
