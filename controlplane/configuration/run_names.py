"""How commands name a recorded run: the journal that RUN means, and the command that continues a run.

RUN is the path of a journal, an id, a name, the beginning of an id, or `last`. A run of a named
benchmark is continued by `controlplane resume RUN`. A run whose tasks are objects of a Python program
can only be continued by that program, since no command knows the tasks.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from controlplane.configuration.config_file import config_path, read_config
from controlplane.configuration.run_settings import LAST
from controlplane.errors import UsageError, did_you_mean
from controlplane.journal.journal_files import (
    LOOP_FILE,
    PLAIN,
    RUNS_DIR,
    journal_id,
    journals_folder,
    newest_first,
    with_home,
)
from controlplane.journal.journal_lines import ends_with_mark
from controlplane.journal.journal_reader import name_in
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.program_invocation import invocation
from controlplane.terminal_text import one_line, say

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


def is_question(summary: RunSummary) -> bool:
    """Return True if a run is a question about files: one trial of the benchmark `files`."""
    opened = summary.opened
    if opened is None or len(summary.trials) != 1:
        return False
    return is_of_questions(opened.benchmark)


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


# Finds the journal that RUN means.

_MAX_NAMES_SHOWN: Final = 5
"""The number of names in a message on a word that matches no run or several."""
_MAX_RUNS_SUGGESTED: Final = 20
"""The number of latest runs whose names are compared with a name that matches none."""


def find_journal(
    run: str, runs_dir: str | None = None, *, runs: bool = True, loops: bool = False
) -> Path:
    """Return the journal that RUN names.

    It is one of the journals of `runs`, of the records of `loops` of `improve`, or of
    both. RUN is, in this order:

    1. the path of a journal, which ends in `.jsonl`, or of a loop's folder;
    2. `last`: the journal that this user wrote last;
    3. the id of a run;
    4. the name of a run (`--name`);
    5. the path of another file. It comes after ids and names, so that a command's
       output can be saved in the working folder under a run's name;
    6. the beginning of a run's id.

    Raises `UsageError` if it names no journal, or several.
    """
    # 1. A path.
    path = Path(run)
    if path.suffix == PLAIN:
        return path
    if loops and _is_file(path / LOOP_FILE):
        return path / LOOP_FILE

    # 2. `last`.
    folder = runs_folder(runs_dir)
    journals = newest_first(folder, runs=runs, loops=loops)
    if run == LAST and journals:
        last = last_own_journal(folder, journals)
        if sys.stderr.isatty():
            say(f"last is {journal_id(last)}", err=True)
        return last

    # 3. and 4. An id or a name.
    with_id = [journal for journal in journals if journal_id(journal) == run]
    if with_id:
        return _only_one(run, with_id)
    with_name = _journals_named(run, journals)
    if with_name:
        return _only_one(run, with_name)

    # 5. Another path.
    if _is_file(path):
        return path

    # 6. The beginning of an id.
    if not journals:
        msg = f"no journals in {folder}; start a run first, or name the folder with --runs-dir"
        raise UsageError(msg)
    with_beginning = [
        journal for journal in journals if journal_id(journal).startswith(run)
    ]
    if with_beginning:
        return _only_one(run, with_beginning)

    known_names = _names_of(journals[:_MAX_RUNS_SUGGESTED])
    hint = did_you_mean(run, known_names, most=_MAX_NAMES_SHOWN)
    msg = f"no run {run!r} in {folder}{hint}"
    raise UsageError(msg)


def _only_one(run: str, journals: Sequence[Path]) -> Path:
    """Return the only one of the journals that RUN fits. Raises `UsageError` if it fits several."""
    if len(journals) > 1:
        ids = ", ".join(journal_id(journal) for journal in journals[:_MAX_NAMES_SHOWN])
        msg = f"{run!r} fits several runs, the newest first: {ids}"
        raise UsageError(msg)
    return journals[0]


def _is_file(path: Path) -> bool:
    """Return True if there is a file. The text may be a run's name, too long for a file's."""
    with contextlib.suppress(OSError, ValueError):
        return path.is_file()
    return False


def _names_of(journals: Sequence[Path]) -> list[str]:
    """Return the names and ids by which these journals can be named, for a hint at a misspelt one."""
    names = []
    for journal in journals:
        name = name_in(journal)
        if name:
            names.append(one_line(name))
        names.append(journal_id(journal))
    return names


def last_own_journal(folder: Path, journals: Sequence[Path]) -> Path:
    """Return the newest of the journals in a folder whose last line this user wrote.

    `journals` begins with the newest. The program marks each line that it writes with a
    key of the user, so the mark tells whose line it is. Raises `UsageError` if there is
    none.
    """
    for journal in journals:
        if ends_with_mark(journal):
            return journal
    msg = f"last: you wrote none of the journals in {folder}; name the one to read"
    raise UsageError(msg)


def _journals_named(name: str, journals: Sequence[Path]) -> list[Path]:
    """Return the journals whose runs have this name."""
    return [journal for journal in journals if name_in(journal) == name]


def refuse_known_name(name: str, runs_dir: str) -> None:
    """Raise `UsageError` if a run in the folder already has this name.

    A second run of the same name would make it ambiguous.
    """
    if not name:
        return
    journals = _journals_named(name, newest_first(Path(runs_dir)))
    if journals:
        msg = (
            f"--name: the run {journal_id(journals[0])} already has the name {name!r}; "
            "give another name"
        )
        raise UsageError(msg)
