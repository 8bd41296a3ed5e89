"""A shell program works on the task "What is the fee?", of a run with `--agent "command:sh agent.sh"`.

    run_program(folder, "exit 3").json["trials"][0]["state"]    ->    "fallback"

The answer, "7 EUR", is in the file notes.md of the task.
"""

import sys
from pathlib import Path

from tests.support.command import CommandResult, run_in_process


def write_fee_task(folder: Path, program: str) -> list[str]:
    """Write a task about the file notes.md, and a shell program that works on it.

    Return the words behind `controlplane` that run the program on the task. It finds the path of
    Python in the variable PYTHON.
    """
    files = folder / "tasks/fee/files"
    files.mkdir(parents=True)
    (files / "notes.md").write_text("fee: 7 EUR\n")
    (folder / "tasks/fee/task.toml").write_text(
        'instruction = "What is the fee?"\n'
        '[expected]\noutcome = "OUTCOME_OK"\nanswer = "7 EUR"\n'
    )
    (folder / "agent.sh").write_text(program)
    return ["run", "--benchmark=folder:tasks", "--agent=command:sh agent.sh"]


def run_program(folder: Path, program: str, *options: str) -> CommandResult:
    """Let a shell program work on the task "What is the fee?"."""
    words = [*write_fee_task(folder, program), "--json", *options]
    return run_in_process(*words, cwd=folder, PYTHON=sys.executable)
