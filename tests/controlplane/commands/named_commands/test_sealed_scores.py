"""The commands that a run suggests to type next work if the run has no scores yet.

A benchmark may keep its scores secret at first ("sealed"): with the policy "blind", a run ends
without scores. A later `poll` asks the benchmark for them.
"""

from pathlib import Path

from tests.controlplane.commands.named_commands.copied_folders import check_each_works
from tests.controlplane.commands.named_commands.printed_commands import (
    commands_in_text,
    suggested_commands,
)
from tests.support.command import CommandResult, run_in_process


def run_with_sealed_scores(folder: Path) -> CommandResult:
    """Play two trials, and do not wait for their scores."""
    return run_in_process(
        "run", "--set", "policy=blind", "--limit", "2", "--poll-time", "0", cwd=folder
    )


def test_commands_suggested_after_a_run_with_sealed_scores_work(
    tmp_path: Path,
) -> None:
    """A run prints them behind the label "next"."""
    result = run_with_sealed_scores(tmp_path)

    assert result.code == 0, result.err
    commands = suggested_commands(result)
    assert commands
    check_each_works(commands, tmp_path)


def test_resuming_a_finished_run_with_sealed_scores_suggests_poll_which_works(
    tmp_path: Path,
) -> None:
    """Nothing is left to be played. `resume` names one command, in a sentence."""
    assert run_with_sealed_scores(tmp_path).code == 0
    resumed = run_in_process("resume", "last", cwd=tmp_path)

    (poll_command,) = commands_in_text(resumed.out + resumed.err)
    assert poll_command[0] == "poll"
    polled = run_in_process(*poll_command, cwd=tmp_path)
    # A command with wrong arguments prints how it is used.
    assert "usage" not in polled.err.lower()
    # 1: the command works, but a trial has not ended, or has no answer.
    assert polled.code in (0, 1), polled.err
