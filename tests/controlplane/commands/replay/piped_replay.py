"""Replays the recorded trial seat-005, which has three steps, without a terminal.

For example:

    replay_into_pipe(recorded, "--step", "2").out    ->    "── step 2 of 3 ──── ..."
"""

from tests.support.command import CommandResult
from tests.support.recorded_run import RecordedRun


def replay_into_pipe(recorded: RecordedRun, *options: str) -> CommandResult:
    """Replay the trial seat-005 of the run "first" without a terminal."""
    return recorded.run_command("replay", "first", "--trial", "seat-005", *options)
