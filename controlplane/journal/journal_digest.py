"""Sums journals up without reading all of them, for lists; finds the journals of a folder."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable
from pathlib import Path

from controlplane.errors import ControlPlaneError, UsageError
from controlplane.journal.chained_lines import resolved
from controlplane.journal.journal_file import byte_stream, is_journal_name, open_unpacked
from controlplane.journal.journal_index import index_of
from controlplane.journal.journal_reader import fields_of
from controlplane.journal.run_events import JOURNAL_EVENT, RunOpened, TextStored
from controlplane.journal.run_summary import RunSummary


def glance_at(
    path: Path,
    *,
    at_trials: bool = False,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> RunSummary:
    """Return what the journal at `path` amounts to, with `at_trials` all that a list of its trials shows, telling how
    many of its bytes are read.

    Without it, texts stay references but for those that say how the run was opened and how it ended. What a trial is
    busy with is told by neither. Raises `NotAJournal`, `JournalDamaged`, as reading all of it does but for events that
    are not looked into.
    """
    with open_unpacked(path) as file:
        return index_of(file, path, at_trials=at_trials, on_progress=on_progress).summary


def newest_first(folder: Path) -> list[Path]:
    """Return the journals of a folder, the one that was written to last first; none if there is no such folder.

    Raises `UsageError` if it cannot be read.
    """
    stamped: list[tuple[float, Path]] = []
    try:
        for each in folder.iterdir():
            if is_journal_name(each):
                with contextlib.suppress(FileNotFoundError):  # removed since
                    stamped.append((each.stat().st_mtime, each))
    except FileNotFoundError:
        return []
    except OSError as error:
        msg = f"cannot read the folder of the journals {folder}: {error.strerror}; name another with --runs-dir"
        raise UsageError(msg) from error
    return [path for _, path in sorted(stamped, reverse=True)]


def opening_of(path: Path) -> RunOpened | None:
    """Return the first event of a journal without reading further; None if the file is no journal."""
    try:
        with byte_stream(path) as file:
            texts: dict[str, str] = {}
            for line in file:
                event = JOURNAL_EVENT.validate_python(resolved(fields_of(line), texts))
                if not isinstance(event, TextStored):
                    return event if isinstance(event, RunOpened) else None
                texts[event.key] = event.text
    except (ControlPlaneError, ValueError, KeyError, RecursionError):
        return None
    return None


def name_in(path: Path) -> str:
    """Return the name that the run of a journal was given; empty if it has none, or if the file is no journal."""
    opened = opening_of(path)
    return "" if opened is None else opened.name


def is_being_written(path: Path) -> bool:
    """Say whether a process has the journal at `path` open to write it."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks, on which nothing can be written either
        return False
    finally:
        os.close(file)
    return False


def how_ended(path: Path, closed: str) -> str:
    """Return how the last process left the run of the journal at `path`.

    `closed` if it told; else `running` if a process works on it, and `cut off` if that is gone.
    """
    return closed or ("running" if is_being_written(path) else "cut off")
