"""A run that was interrupted with Ctrl-C names commands, and each of them works.

    ... continue with: /bin/controlplane resume 2026...
    ...
    next     /bin/controlplane replay 2026... --trial t1

Each is run in a copy of the folder, so that none changes what the next one finds.
"""

import signal
from pathlib import Path

from controlplane.errors import Interrupted
from tests.controlplane.commands.named_commands import held_trials
from tests.controlplane.commands.named_commands.copied_folders import check_each_works
from tests.controlplane.commands.named_commands.printed_commands import (
    commands_in_text,
    suggested_commands,
)
from tests.controlplane.commands.named_commands.unfinished_journals import has_event
from tests.support.command import (
    CommandResult,
    clean_environment,
    start_in_environment,
    wait_for_exit,
    wait_until,
)

STOPPING = "stopping after the running steps"


def test_commands_suggested_by_an_interrupted_run_work(
    script: Path, tmp_path: Path
) -> None:
    """The run ends with "... continue with: .../controlplane resume 2026..." and its report."""
    result = interrupt_run(script, tmp_path)

    assert result.code == Interrupted.exit_code, result.err
    text_behind_label = result.err.rpartition("continue with: ")[2]
    continuing_command = commands_in_text(text_behind_label)[0]
    commands = [continuing_command, *suggested_commands(result)]
    names = {command[0] for command in commands}
    assert names >= {"resume", "submit", "replay"}
    check_each_works(commands, tmp_path)


def interrupt_run(script: Path, folder: Path) -> CommandResult:
    """Send Ctrl-C to a run that plays one trial at a time, when the first one is over.

    The second trial begins when the run has said that it is stopping.
    """
    messages = folder / "messages.txt"
    words = ("run", "--benchmark", held_trials.__name__, "--concurrency", "1")
    with messages.open("w") as stderr:
        process = start_in_environment(
            (*words, "--model", f"scripted:{script}"),
            env=clean_environment(),
            cwd=folder,
            stderr=stderr,
        )
    with process:
        try:
            wait_until(lambda: has_event(folder, "trial_ended"))
            process.send_signal(signal.SIGINT)
            wait_until(lambda: STOPPING in messages.read_text())
            (folder / "go").touch()  # The second trial waits for this file.
            result = wait_for_exit(process)
        finally:
            process.kill()
    return CommandResult(result.code, result.out, messages.read_text())
