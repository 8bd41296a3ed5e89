"""Forks of short trials at each of their steps go the same way if the model gives the same replies.

Trials of three tasks are played for six seeds, which decide names and numbers in the tasks. The
baseline, a program of the benchmark that solves them by rules, plays in the model's place.
"""

import pytest

from tests.controlplane.fork_fidelity.equal_forks import check_fork_equals, trials_of
from tests.support.command import CommandRunner


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(6))
def test_forks_of_short_trials_with_the_same_replies_equal_them(
    seed: int, run_command_here: CommandRunner
) -> None:
    """Each trial is forked at each of its steps. The seed decides names and numbers in the
    tasks."""
    tasks = ("basket-checkout.1", "basket-checkout.2", "calendar-date.1")
    run = run_command_here("run", *tasks, "--seed", str(seed), "--json")

    for trial in trials_of(run):
        for step in range(1, len(trial.steps) + 1):
            check_fork_equals(trial, step=step, run_command_here=run_command_here)
