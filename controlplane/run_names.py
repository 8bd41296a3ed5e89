"""Finds a journal by a path, an id, a name, the beginning of an id, or `last`."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from controlplane.configuration.continuation import runs_folder
from controlplane.configuration.worker_place import LAST
from controlplane.errors import UsageError, did_you_mean
from controlplane.journal.journal_files import (
    LOOP_FILE,
    PLAIN,
    journal_id,
    newest_first,
)
from controlplane.journal.journal_lines import ends_with_mark
from controlplane.journal.journal_reader import name_in
from controlplane.terminal_text import one_line, say

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
        return _announced(last_own_journal(folder, journals))

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


def _announced(last: Path) -> Path:
    """Tell the user at a terminal which journal `last` stands for, and return it."""
    if sys.stderr.isatty():
        say(f"last is {journal_id(last)}", err=True)
    return last


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
