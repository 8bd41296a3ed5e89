"""A run that was interrupted with Ctrl-C names commands, and each of them works.

    ... continue with: /bin/controlplane resume 2026...
    ...
    next     /bin/controlplane replay 2026... --trial t1

Each is run in a copy of the folder, so that none changes what the next one finds.
"""

import signal
import subprocess
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
    start_controlplane,
    wait_for_exit,
    wait_until,
)


def test_commands_suggested_by_an_interrupted_run_work(
    script: Path, tmp_path: Path
) -> None:
    """The run plays one trial at a time, and gets Ctrl-C when the first one is over.

    It ends with "... continue with: .../controlplane resume 2026..." and its report.
    """
    process = start_controlplane(
        "run",
        *("--benchmark", held_trials.__name__),
        *("--model", f"scripted:{script}"),
        *("--concurrency", "1"),
        cwd=tmp_path,
    )
    wait_until(lambda: has_event(tmp_path, "trial_ended"))
    process.send_signal(signal.SIGINT)
    wait_for_line(process, "stopping after the running steps")
    (tmp_path / "go").touch()
    result = wait_for_exit(process)

    assert result.code == Interrupted.exit_code, result.err
    text_behind_label = result.err.rpartition("continue with: ")[2]
    continuing_command = commands_in_text(text_behind_label)[0]
    commands = [continuing_command, *suggested_commands(result)]
    names = {command[0] for command in commands}
    assert names >= {"resume", "submit", "replay"}
    check_each_works(commands, tmp_path)


def wait_for_line(process: subprocess.Popen[str], text: str) -> None:
    """Read what a command writes to standard error, up to a line that has this text."""
    assert process.stderr is not None
    assert any(text in line for line in process.stderr), text
