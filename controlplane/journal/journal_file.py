"""Opens the file of a journal: as it is, or out of gzip (`.jsonl.gz`) or Zstandard (`.jsonl.zst`)."""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, Final, cast

from controlplane.errors import JournalDamaged, NotAJournal, UsageError

PLAIN: Final = ".jsonl"
PACKED: Final = (".jsonl.gz", ".jsonl.zst")
_FAULTS: Final = (EOFError, zlib.error)
"""Errors of a damaged gzip file, beside `OSError`."""


def is_journal_name(path: Path) -> bool:
    """Say whether a file is a journal by its name."""
    return path.name.endswith((PLAIN, *PACKED))


def is_packed(path: Path) -> bool:
    """Say whether the journal at `path` is compressed, and so can be read but not gone on with."""
    return path.name.endswith(PACKED)


def journal_id(path: Path) -> str:
    """Return the id of the journal at `path`: its name without the suffixes."""
    ending = next((each for each in (PLAIN, *PACKED) if path.name.endswith(each)), "")
    return path.name.removesuffix(ending) if ending else path.stem


@contextmanager
def reading_faults(path: Path) -> Iterator[None]:
    """Turn what keeps the file at `path` from being read into `NotAJournal`, `JournalDamaged` or `UsageError`."""
    try:
        yield
    except OSError as error:
        if is_packed(path) and error.strerror is None:
            raise _damaged(path, error) from error
        msg = f"cannot read {path}: {error.strerror}"
        raise NotAJournal(msg) from error
    except _FAULTS as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> JournalDamaged:
    return JournalDamaged(f"{path} is damaged: it cannot be unpacked ({error})")


@contextmanager
def byte_stream(path: Path) -> Iterator[IO[bytes]]:
    """Give the journal's bytes from its beginning on, unpacked as they are read. Raises as `reading_faults` does."""
    with reading_faults(path):
        if path.name.endswith(".gz"):
            import gzip

            with gzip.open(path, "rb") as unzipped:
                yield cast("IO[bytes]", unzipped)
        elif path.name.endswith(".zst"):
            zstd = _zstandard(path)
            try:
                with zstd.open(path, "rb") as unpacked:
                    yield unpacked
            except zstd.ZstdError as error:
                raise _damaged(path, error) from error
        else:
            with path.open("rb") as file:
                yield file


def open_unpacked(path: Path) -> BinaryIO:
    """Return the journal's bytes as a file to seek in: its own, or an unnamed temporary one that holds them unpacked.

    The caller closes it. Raises `NotAJournal`, `JournalDamaged`, and `UsageError` if Zstandard is not installed.
    """
    if not is_packed(path):
        with reading_faults(path):
            return path.open("rb")
    unpacked = tempfile.TemporaryFile("w+b")  # noqa: SIM115 - the caller closes it
    try:
        with byte_stream(path) as stream:
            shutil.copyfileobj(stream, unpacked, 1 << 20)
        unpacked.seek(0)
    except BaseException:
        unpacked.close()
        raise
    return unpacked


def _zstandard(path: Path) -> Any:
    """Return the module that reads Zstandard: the standard library's where there is one, else the package."""
    for name in ("compression.zstd", "zstandard"):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            continue
    msg = f"{path} is packed with Zstandard, which needs the extra: pip install 'grounded-control-plane[zstd]'"
    raise UsageError(msg)


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
