"""The journals that the user names, one by one or by their folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from controlplane.errors import ControlPlaneError, UsageError
from controlplane.journal.journal_files import newest_first
from controlplane.run_names import find_journal


@dataclass(frozen=True, slots=True)
class NamedJournal:
    path: Path
    is_of_folder: bool
    """True if the user named its folder. If such a journal is faulty, the others still count."""


def named_journals(names: tuple[str, ...], runs_dir: str | None) -> list[NamedJournal]:
    """Return the named journals, each once. Raises `UsageError`."""
    journals: dict[Path, NamedJournal] = {}
    for name in names:
        if not Path(name).is_dir():
            path = find_journal(name, runs_dir)
            journals[path] = NamedJournal(path, is_of_folder=False)
            continue
        paths = newest_first(Path(name))
        if not paths:
            msg = f"no journals in {name}"
            raise UsageError(msg)
        for path in paths:
            journals.setdefault(path, NamedJournal(path, is_of_folder=True))
    return list(journals.values())


@contextmanager
def left_out_if_faulty(journal: NamedJournal, problems: list[str]) -> Iterator[None]:
    """Leave out a faulty journal that was found in a folder, and add its fault to `problems`.

    If the user named the journal itself, its error is raised. So is `UsageError`, because
    the user has to change the command.
    """
    try:
        yield
    except ControlPlaneError as error:
        if isinstance(error, UsageError) or not journal.is_of_folder:
            raise
        problems.append(str(error))
