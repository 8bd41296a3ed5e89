"""Forks a recorded trial with the replies that it had, and checks that it goes the same way.

For example:

    check_fork_equals(trial, step=3, run_command_here=run_command_here)
"""

import json
from pathlib import Path

from controlplane import open_journal
from controlplane.journal.trial_reader import RecordedTrial
from tests.controlplane.fork_fidelity.repeatable_lines import repeatable_lines
from tests.support.command import CommandResult, CommandRunner


def trials_of(result: CommandResult) -> list[RecordedTrial]:
    """Return the trials in the journal that a command with `--json` names."""
    return list(open_journal(Path(result.json["journal"])).trials.values())


def write_replies_of(trial: RecordedTrial, path: Path) -> None:
    """Write the replies of a trial's steps to a file, for the model "scripted:PATH"."""
    replies = []
    for step in trial.steps:
        text = json.dumps(step.reply, ensure_ascii=False)
        replies.append(f"[[reply]]\ntext = {text}\n")
    path.write_text("".join(replies), encoding="utf-8")


def check_fork_equals(
    trial: RecordedTrial, *, step: int, run_command_here: CommandRunner
) -> None:
    """Fork a trial at a step with the replies it had, and assert that it goes the same way.

    The fork also names the trial as its parent, and can be replayed.
    """
    write_replies_of(trial, Path("replies.toml"))
    forked = run_command_here(
        "fork",
        str(trial.journal.path),
        f"--trial={trial.trial_id}",
        f"--step={step}",
        "--model=scripted:replies.toml",
        "--json",
    )

    assert forked.code == 0, forked.err
    (fork,) = trials_of(forked)
    assert repeatable_lines(fork) == repeatable_lines(trial), (trial.trial_id, step)
    parent = fork.journal.opened.parent
    assert parent is not None
    assert parent.how == "fork"
    assert parent.run == trial.journal.run
    assert parent.trial_id == trial.trial_id
    assert parent.step == step
    assert run_command_here("replay", "last", "--verify").code == 0
