"""Runs a command that stands on a page of the documentation, as a reader types it.

run_line("controlplane show last", tmp_path).code  # 0
"""

import shlex
from pathlib import Path

from tests.support.command import CommandResult, run_in_process, run_python


def run_line(line: str, folder: Path, **variables: str) -> CommandResult:
    """Run a command in a folder: `controlplane ...` or `python -m ...`.

    `variables` are further variables of the command's environment.
    """
    words = shlex.split(line)
    if words[0] == "controlplane":
        return run_in_process(*words[1:], cwd=folder, **variables)
    assert words[:2] == ["python", "-m"], line
    return run_python(*words[1:], cwd=folder, **variables)
