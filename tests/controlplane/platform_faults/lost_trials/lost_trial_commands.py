"""Commands that a run with a lost trial suggests, and the scores that it has in the end.

    suggested_command(stopped, "submit")    ->    ["submit", "runs/2031-05-04-....jsonl", "--force"]

A platform loses a trial: it refuses all further calls of it with `BROKEN`, for example.
"""

import re
import shlex

from tests.controlplane.platform_faults.platform_commands import scores_by_trial
from tests.support.command import CommandResult
from tests.support.relay.relayed_calls import protocol_refusal

TIMED_OUT = protocol_refusal(504, "deadline_exceeded", "the trial is gone")


BROKEN = protocol_refusal(500, "internal", "the trial is gone")
"""The platform's replies to the calls of a trial that it has lost."""


def suggested_command(result: CommandResult, verb: str) -> list[str]:
    """Return the command with this verb that the error line suggests: `["submit", "runs/..."]`."""
    (error_line,) = result.err.strip().splitlines()
    (words,) = re.findall(rf"controlplane ({verb} \S+(?: --force)?)", error_line)
    return shlex.split(words)


def check_scores(submitted: CommandResult, *, lost_trial: str) -> None:
    """Assert that a submitted run lists its four trials in the order of their tasks, and that they
    have the score 1, but the lost trial has the score 0."""
    tasks = [trial["task_id"] for trial in submitted.json["trials"]]
    assert tasks == ["tally.0", "tally.1", "tally.2", "tally.3"]

    scores = scores_by_trial(submitted)
    assert scores.pop(lost_trial) == 0.0
    assert list(scores.values()) == [1.0, 1.0, 1.0]
