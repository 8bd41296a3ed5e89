"""A fork plays one trial of a run several times more, each time from a step in the middle on.

    run    task a, world 0: 1.0    task a, world 1: 0.0                   task b, world 0: 1.0
    fork                           task a, world 1: 1.0, 1.0 and 0.0

A world is the data that a trial finds. Each try of the fork is compared with the trial that it
continues, which is in the same world.
"""

from pathlib import Path

import pytest

from controlplane.compared_run import ComparedRun, compared_run
from controlplane.run_comparison.comparing import compare_runs
from tests.support.journals.scored_journal import scored_journal


@pytest.fixture
def run(tmp_path: Path) -> ComparedRun:
    """Return the run above. The scores of a task are those in its worlds 0 and 1."""
    journal = scored_journal(tmp_path / "run.jsonl", {"a": [1.0, 0.0], "b": [1.0]})
    return compared_run([journal])


@pytest.fixture
def fork(tmp_path: Path) -> ComparedRun:
    """Return the fork above, whose three tries are all in world 1.

    A fork counts its tries from the number of the world on: 1, 2 and 3.
    """
    journal = scored_journal(
        tmp_path / "fork.jsonl",
        {"a": [1.0, 1.0, 0.0]},
        numbers={"a": [1, 2, 3]},
        parent="run",
        how="fork",
    )
    return compared_run([journal])


def test_each_try_of_a_fork_makes_a_pair_with_the_trial_that_it_continues(
    run: ComparedRun, fork: ComparedRun
) -> None:
    comparison = compare_runs(run, fork)

    (task_a,) = comparison.tasks
    assert comparison.pairing == "task and world"
    # The trial in world 1 makes a pair with each of the three tries.
    assert comparison.agreement.pairs == 3
    assert task_a.first.mean == 0.0
    assert task_a.second.mean == pytest.approx(2 / 3)


def test_trials_that_a_fork_does_not_continue_are_named_as_unpaired(
    run: ComparedRun, fork: ComparedRun
) -> None:
    """The run's trials of a and b in world 0 are not continued. "a try 2" would be world 1."""
    assert compare_runs(run, fork).unpaired == ("a", "b")


def test_a_fork_can_be_the_first_of_two_compared_runs(
    run: ComparedRun, fork: ComparedRun
) -> None:
    comparison = compare_runs(fork, run)

    (task_a,) = comparison.tasks
    assert comparison.pairing == "task and world"
    assert task_a.difference == pytest.approx(-2 / 3)
