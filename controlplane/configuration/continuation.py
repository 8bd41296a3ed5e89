"""How a user continues a recorded run: the command line to type, or the Python call to write.

A run of a named benchmark is continued by `controlplane resume RUN`. A run whose tasks
are objects of a Python program can only be continued by that program, since no command
knows the tasks.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from controlplane.configuration.runs_folder import run_argument
from controlplane.program_invocation import invocation

OF_A_PROGRAM: Final = "python"
"""The benchmark of journals whose tasks are objects of a program, as in `python:my tasks`."""


def belongs_to_a_program(benchmark: str) -> bool:
    """Return True if the tasks of a run's `benchmark` are objects of a Python program."""
    return benchmark.partition(":")[0] == OF_A_PROGRAM


def resume_text(journal: Path, benchmark: str, options: tuple[str, ...] = ()) -> str:
    """Return what continues the run of a journal, with further options such as `--run-cost 4`.

    `controlplane resume 20261127-1f3a --run-cost 4`, or for a program's tasks
    `controlplane.run(TASKS, resume='runs/20261127-1f3a.jsonl', run_cost=4)`.
    """
    if not belongs_to_a_program(benchmark):
        return invocation("resume", run_argument(journal), *options)

    arguments = ["TASKS", f"resume={str(journal)!r}"]
    for flag, value in zip(options[::2], options[1::2], strict=True):
        name = flag.removeprefix("--").replace("-", "_")
        arguments.append(f"{name}={value}")
    return f"controlplane.run({', '.join(arguments)})"
