"""How a user continues a recorded run: the command line to type, or the Python call to write.

A run of a named benchmark is continued by `controlplane resume RUN`. A run whose tasks
are objects of a Python program can only be continued by that program, since no command
knows the tasks.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from controlplane.configuration.config_file import config_path, read_config
from controlplane.errors import UsageError
from controlplane.journal.journal_files import (
    RUNS_DIR,
    journal_id,
    journals_folder,
    with_home,
)
from controlplane.program_invocation import invocation

# The folder in which journals are, and how commands name a journal in it.
#
# Most commands take a run (RUN) by its journal: `show 20261129-0915-loans` means the file
# `runs/20261129-0915-loans.jsonl`, if `runs` is the folder of journals.


def runs_folder(named: str | None = None) -> Path:
    """Return the folder of journals.

    It is the first of these that is set: `named`, the environment variable,
    controlplane.toml, the default. Raises `UsageError` if controlplane.toml is needed
    and cannot be read.
    """
    named = named or os.environ.get("CONTROLPLANE_RUNS_DIR")
    if named:
        return Path(with_home(named))

    # From here on, whoever wrote the working folder chooses, such as the author of a cloned
    # repository. So `journals_folder` refuses a folder that is a link to another place.
    file = config_path(Path.cwd())
    if os.path.lexists(file):
        return Path(journals_folder(_runs_dir_in(file)))
    return Path(journals_folder(RUNS_DIR))


def _runs_dir_in(path: Path) -> str:
    """Return the folder of journals that a controlplane.toml names, or the default.

    Raises `UsageError`.
    """
    named = read_config(path).run.get("runs_dir", RUNS_DIR)
    if not isinstance(named, str):
        msg = f"{path}: runs_dir: a folder is given as text, not as {named!r}"
        raise UsageError(msg)
    return named


def run_argument(journal: Path) -> str:
    """Return the RUN argument that names a journal on the command line.

    It is the journal's id if the journal is in the runs folder, otherwise its path.
    """
    try:
        is_in_runs_folder = journal.parent.absolute() == runs_folder().absolute()
    except (UsageError, OSError):
        # controlplane.toml is invalid, or the working folder was removed. Commands that
        # get a path as RUN need neither.
        is_in_runs_folder = False
    if is_in_runs_folder:
        return journal_id(journal)
    return str(journal)


OF_A_PROGRAM: Final = "python"
"""The benchmark of journals whose tasks are objects of a program, as in `python:my tasks`."""


def belongs_to_a_program(benchmark: str) -> bool:
    """Return True if the tasks of a run's `benchmark` are objects of a Python program."""
    return benchmark.partition(":")[0] == OF_A_PROGRAM


OF_QUESTIONS: Final = "files"
"""The benchmark of questions, before the folder that they are about: `files:/home/me/docs`."""


def is_of_questions(benchmark: str) -> bool:
    """Return True if a run of this `benchmark` asks a question to files, as `ask` does."""
    return benchmark.partition(":")[0] == OF_QUESTIONS


_PLAYED_HERE: Final = frozenset({"ecom", "folder", "files", "inspect", "harbor"})
"""The benchmarks of the product that are played and graded on this machine alone."""


def is_played_here(benchmark: str) -> bool:
    """Return True if no platform waits for a run of this benchmark to be submitted."""
    return benchmark.partition(":")[0] in _PLAYED_HERE


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
