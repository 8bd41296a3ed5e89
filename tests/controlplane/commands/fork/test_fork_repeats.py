"""A fork plays the rest of a recorded trial again, as often as `--repeats` says.

    controlplane fork first --trial calendar --step 3 --repeats 10

repeats steps 1 and 2 of a trial of the run "first" from its journal. From step 3 on a model replies
again, the same one or another. The fixture `fork_original` calls this command with further options.
The original is a trial of three steps, whose answer is right.
"""

from controlplane.errors import UsageError
from controlplane.journal.trial_reader import RecordedTrial
from tests.support.command import ROOT, CommandRunner, check_error_line

ANOTHER_MODEL = ("--model", f"scripted:{ROOT}/tests/support/long_trial.toml")
"""A model that does not solve the task."""


def test_a_fork_with_repeats_prints_how_often_the_trial_succeeds_now(
    fork_original: CommandRunner,
) -> None:
    forked = fork_original("--step", "3", "--repeats", "3")

    # The share of right tries, and its confidence interval of 95 %, by the method of Wilson.
    success_rate = "which scored 1.00: 3 of 3 tries right now, 1.000 [0.439, 1.000]"
    assert success_rate in forked.out


def test_a_fork_with_another_model_prints_its_success_and_its_parent_as_json(
    fork_original: CommandRunner,
    original: RecordedTrial,
    run_command_here: CommandRunner,
) -> None:
    forked = fork_original("--step", "2", *ANOTHER_MODEL, "--json")

    assert forked.json["success"]["mean"] == 0.0
    assert forked.json["parent"] == {
        "run": original.journal.run,
        "trial": original.trial_id,
        "step": 2,
        "score": 1.0,  # of the recorded trial
    }
    # A fork is a run with a journal of its own, which can be shown.
    assert run_command_here("show", "last").code == 0


def test_a_fork_can_be_neither_rerun_nor_forked(
    fork_original: CommandRunner, run_command_here: CommandRunner
) -> None:
    """The trial of a fork begins in the middle, so it has no first steps to play again."""
    fork_original("--step", "2", *ANOTHER_MODEL, "--json")

    rerun = run_command_here("rerun", "last")
    forked_again = run_command_here(
        "fork", "last", "--trial", "calendar", "--step", "1"
    )

    check_error_line(rerun, UsageError.exit_code, "is a fork")
    check_error_line(forked_again, UsageError.exit_code, "is a fork")
