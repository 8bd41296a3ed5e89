"""Starts runs of the command line whose tasks are played in containers, each by its own solution.

`start_command(folder, *run_of_tasks("permissions", "--repeats", "4"))` plays one task four times, and
prints the result as JSON. It needs podman, runc and busybox, and the rights of root.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.benchmarks.harbor.base_image import PROCESS_VARIABLES

ROOT: Final = Path(__file__).parents[3]
TASKS: Final = ROOT / "tests/benchmarks/harbor/tasks"
MEASURED_TASK: Final = "permissions"
"""A task whose solution and verifier (the test that grades it) take no time of their own."""


def run_of_tasks(*words: str) -> list[str]:
    """Return the words of a command that plays the tasks of the folder, or those that are named."""
    return ["run", *words, "--benchmark", f"harbor:{TASKS}", "--model", "solution"]


def podman(*arguments: str | Path, stdin: str = "") -> str:
    """Run podman and return what it prints."""
    command = ["podman", *map(str, arguments)]
    return subprocess.run(
        command, input=stdin, capture_output=True, text=True, check=True
    ).stdout


def start_command(folder: Path, *words: str) -> subprocess.Popen[str]:
    """Start `controlplane` with these words in a folder; it prints JSON."""
    environment = {**os.environ, **PROCESS_VARIABLES, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "controlplane", *words, "--json"]
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
