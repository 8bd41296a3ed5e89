"""A command that cannot do what it was asked for names one that helps, and that one works.

`submit last`, for example, has nothing to do after a whole run, and names `show`. While another
process plays the run, it is refused, and names `show --follow`.
"""

import signal
from pathlib import Path

import pytest

from controlplane.errors import Interrupted
from tests.controlplane.commands.named_commands.printed_commands import commands_in_text
from tests.controlplane.commands.named_commands.unfinished_journals import has_event
from tests.support.command import (
    run_in_process,
    start_controlplane,
    wait_for_exit,
    wait_until,
)


@pytest.mark.parametrize(
    "words",
    [("submit", "last"), ("poll", "last"), ("rerun", "last", "--below", "0")],
    ids=" ".join,
)
def test_a_command_with_nothing_to_do_suggests_show_which_works(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    """The run is over, its score is known, and no trial has a score below 0."""
    assert run_in_process("run", "calendar-date.1", cwd=tmp_path).code == 0
    result = run_in_process(*words, cwd=tmp_path)

    (command,) = commands_in_text(result.out + result.err)
    assert command[0] == "show"
    shown = run_in_process(*command, cwd=tmp_path)
    assert shown.code == 0, (command, shown.err)


def test_the_command_to_follow_a_run_of_another_process_works(tmp_path: Path) -> None:
    """While another process plays the run, `submit` is refused and names a command to follow
    it.

    The test uses that command after Ctrl-C has ended the run, so that it does not wait.
    """
    process = start_controlplane("run", "--concurrency", "1", cwd=tmp_path)
    wait_until(lambda: has_event(tmp_path, "trial_started"))
    refused = run_in_process("submit", "last", cwd=tmp_path)
    process.send_signal(signal.SIGINT)
    assert wait_for_exit(process).code == Interrupted.exit_code

    (command,) = commands_in_text(refused.err)
    assert command[0] == "show", refused.err
    assert "--follow" in command
    assert run_in_process(*command, cwd=tmp_path).code == 0
