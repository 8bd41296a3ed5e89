"""Names, finds and opens the files of journals, and other files of the user.

Only regular files are opened: pipes and devices are refused, whoever made them.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, BinaryIO, Final

from controlplane.errors import NotAJournal, UsageError
from controlplane.journal.state_files import open_regular
from controlplane.sandbox.interface import bounds

CONFIG_FILE: Final = "controlplane.toml"
RUNS_DIR: Final = "runs"
"""The default folder of journals."""
LOOP_FILE: Final = "loop.jsonl"
"""The record in the folder of a loop of `improve`."""
PLAIN: Final = ".jsonl"
"""The suffix of a journal's file."""


def with_home(path: str) -> str:
    """Return `path` with a leading `~` expanded.

    Shells do not expand it after `=` and a colon.
    """
    return os.path.expanduser(path)  # noqa: PTH111 - pathlib's raises if there is no such user


def journals_folder(named: str) -> str:
    """Return the folder of journals that a default or a configuration names, as it is named.

    Raises `UsageError` for a link out of the working folder: a folder from somebody
    else may have a link `runs` that leads to the user's files.
    """
    here = Path.cwd().resolve()
    folder = Path(with_home(named))
    real = (here / folder).resolve()  # all links followed
    path_as_named = os.path.normpath(here / folder)  # no links followed
    is_reached_by_link = path_as_named != str(real)
    if is_reached_by_link and not real.is_relative_to(here):
        msg = f"{named} is a link out of this folder, to {real}: name that with --runs-dir if it is meant"
        raise UsageError(msg)
    return str(folder)


def journal_id(path: Path) -> str:
    """Return the id of the journal at `path`: its name without the suffix.

    The id of a loop's record is the name of its folder.
    """
    return path.parent.name if path.name == LOOP_FILE else path.stem


def new_run_id(benchmark: str) -> str:
    """Return the id of a new run's journal, such as `20261127-191130-ecom-ca93`.

    The last four characters are random, since two runs may start in the same second.
    """
    time_text = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    name = benchmark.partition(":")[0]
    letters = [letter if letter.isalnum() else "-" for letter in name]
    return f"{time_text}-{''.join(letters)}-{secrets.token_hex(2)}"


def journal_path(runs_dir: str, run_id: str) -> Path:
    """Return the path of the journal with this id: `runs/20261127-191130-ecom-ca93.jsonl`."""
    return Path(runs_dir) / f"{run_id}{PLAIN}"


@contextmanager
def reading_faults(path: Path) -> Iterator[None]:
    """Raise `NotAJournal` in place of an error in reading the file at `path`."""
    try:
        yield
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}"
        raise NotAJournal(msg) from error


def lines_of(
    file: IO[bytes], max_bytes: int = bounds.MOST_LINE_BYTES
) -> Iterator[bytes]:
    """Yield the lines from here on. Raises `ValueError` for a line of more than `max_bytes`."""
    while True:
        line = file.readline(max_bytes + 1)
        if len(line) > max_bytes:
            msg = f"it is longer than {max_bytes:,} bytes"
            raise ValueError(msg)
        if not line:
            return
        yield line


def open_to_read(path: Path) -> BinaryIO:
    """Return the journal's file, opened to be read; the caller closes it.

    Raises `NotAJournal` if there is no file, or it is not a regular one.
    """
    with reading_faults(path):
        return open_regular(path)


def newest_first(folder: Path, *, runs: bool = True, loops: bool = False) -> list[Path]:
    """Return the journals of `runs` in a folder, the records of `loops`, or both.

    The latest written comes first. There are none if the folder does not exist. Raises
    `UsageError` if the folder cannot be read.
    """
    paths: list[Path] = []
    try:
        if runs:
            paths.extend(path for path in folder.iterdir() if path.suffix == PLAIN)
        if loops:
            paths.extend(folder.glob(f"*/{LOOP_FILE}"))
    except FileNotFoundError:
        return []
    except OSError as error:
        msg = f"cannot read the folder of the journals {folder}: {error.strerror}; name another with --runs-dir"
        raise UsageError(msg) from error

    paths_by_time: list[tuple[float, Path]] = []
    for path in paths:
        with contextlib.suppress(OSError):  # removed since, or a broken link
            paths_by_time.append((path.stat().st_mtime, path))
    return [path for _, path in sorted(paths_by_time, reverse=True)]


def is_being_written(path: Path) -> bool:
    """Return True if a process has the journal at `path` open for writing."""
    try:
        with open_regular(path) as file:
            # While a writer has its exclusive lock, nobody else gets a lock.
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        # No file, or a file system without locks, to which no journal can be written.
        return False
    return False
