"""A fork goes the same way as the recorded trial if the model gives the same replies.

`fork last --trial t1 --step 3` repeats steps 1 and 2 from the journal, and rebuilds the world from the
recorded calls. Then the model goes on. With the recorded replies, each step must have the same output,
verdicts and calls again. The trial has seven steps, with changes of files, an error, and three answers.
"""

import pytest

from controlplane.journal.trial_reader import RecordedTrial
from tests.controlplane.fork_fidelity.equal_forks import check_fork_equals, trials_of
from tests.support.command import ROOT, CommandRunner

LONG_SCRIPT = ROOT / "tests/support/long_trial.toml"
"""A trial of seven steps: chance, writes, deletions, an error and three submissions."""


@pytest.fixture
def long_trial(run_command_here: CommandRunner) -> RecordedTrial:
    """The trial of a run of one task, in which the model replies with `LONG_SCRIPT`."""
    model = f"scripted:{LONG_SCRIPT}"
    run = run_command_here("run", "calendar-date.1", "--model", model, "--json")
    (trial,) = trials_of(run)
    return trial


def test_the_long_trial_has_accepted_and_rejected_answers(
    long_trial: RecordedTrial,
) -> None:
    """It submits answers in steps 3, 6 and 7, which gates (checks of answers) judge. The last
    one is sent although gate 6 objects to it, so that a fork has all of that to repeat."""
    verdict_counts = {step.step: len(step.verdicts) for step in long_trial.steps}

    assert verdict_counts == {1: 0, 2: 0, 3: 1, 4: 0, 5: 0, 6: 1, 7: 1}
    assert long_trial.summary.state == "answered"
    assert set(long_trial.summary.overridden) == {"6/wording"}


def test_forks_of_a_long_trial_with_the_same_replies_equal_it(
    long_trial: RecordedTrial, run_command_here: CommandRunner, heavy: bool
) -> None:
    """With `--heavy`, the trial is forked at each step."""
    steps_of_long_trial = range(1, 8)
    forked_steps = steps_of_long_trial if heavy else (3, 4)

    for step in forked_steps:
        check_fork_equals(long_trial, step=step, run_command_here=run_command_here)
