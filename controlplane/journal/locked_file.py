"""The file of a journal, locked while a process writes it."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Final, NoReturn

from controlplane.errors import JournalUnwritable, UsageError

# Opens the file of a journal to append, and locks it, so that no second process writes it.
#
# The file may be anybody's: a link, a named pipe, or a file on a system without locks is refused.


def _open_to_append(path: Path, *, create: bool) -> int:
    """Return the descriptor of a journal's file, opened to append.

    With `create` the file must not exist yet. Raises `JournalUnwritable`.
    """
    # Opening a named pipe, which is no journal, must not wait (`O_NONBLOCK`). A journal to
    # continue must not be a link (`O_NOFOLLOW`), which may lead to any file of the user.
    # `O_EXCL` creates a new file, and does not follow links either.
    flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK
    if create:
        flags |= os.O_CREAT | os.O_EXCL
        remedy = "name a folder that you may write with --runs-dir"
    else:
        flags |= os.O_NOFOLLOW
        remedy = "copy it to where you may write"
    try:
        if create:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return os.open(path, flags, 0o600)
    except (FileExistsError, NotADirectoryError) as error:
        # A parent of the path is a file. (Callers create only files whose names are not in use.)
        msg = f"cannot write the journal {path}: that is not a folder; {remedy}"
        raise JournalUnwritable(msg) from error
    except OSError as error:
        msg = f"cannot write the journal {path}: {error.strerror}; {remedy}"
        raise JournalUnwritable(msg) from error


def _lock_file(file: int, path: Path, *, is_new: bool) -> None:
    """Lock an open file. If that fails, close it.

    Raises `UsageError` if another process has locked it. Raises `JournalUnwritable` if the
    file system has no locks; then also removes a file that was just created.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(file)
        msg = f"another process is writing {path}; wait for it, or stop it first"
        raise UsageError(msg) from error
    except OSError as error:
        os.close(file)
        if is_new:
            path.unlink(missing_ok=True)
        msg = f"cannot lock the journal {path}: {error.strerror}; use a folder on another file system"
        raise JournalUnwritable(msg) from error


RESUMABLE: Final = "what was recorded before is kept and resumable"
"""The end of a writer's error message, unless the run cannot be resumed."""


class LockedFile:
    """The file of a journal, opened to append and locked against other writers.

    After the first failure to write, such as a full disk, nothing more may be written: the file would
    have a gap.
    """

    def __init__(self, path: Path, *, create: bool) -> None:
        """Open a new file at `path` or, if not `create`, an existing one.

        Raises `JournalUnwritable`, or `UsageError` if another process is writing the journal.
        """
        self.path = path
        self.absolute_path = path.absolute()
        """The same path, still valid after a solver or a benchmark has changed the working folder."""
        self.failure: JournalUnwritable | None = None
        """The error after which nothing more is written; None if there was none."""
        self.resume_hint = RESUMABLE
        """The end of that error's message: if the run can be resumed. The run sets it."""
        self._file = _open_to_append(path, create=create)
        """The descriptor of the open file; -1 after `close`."""
        _lock_file(self._file, path, is_new=create)

    @property
    def current_path(self) -> Path:
        """`path`, or the absolute path if the working folder has changed since."""
        return self.path if self.path.exists() else self.absolute_path

    def append(self, data: bytes) -> None:
        """Write all of `data`. Raises `JournalUnwritable`."""
        unwritten = memoryview(data)
        try:
            while unwritten:
                unwritten = unwritten[os.write(self._file, unwritten) :]
        except OSError as error:
            self._fail(error)

    def sync(self) -> None:
        """Flush everything to the disk.

        Raises `JournalUnwritable`, also if the file was removed.
        """
        was_removed = False
        try:
            os.fsync(self._file)
            was_removed = not os.path.samestat(
                self.absolute_path.stat(), os.fstat(self._file)
            )
        except FileNotFoundError:
            was_removed = True
        except OSError as error:
            self._fail(error)
        if was_removed:
            msg = f"the journal {self.path} was removed while it was being written; what it held is lost"
            self.failure = JournalUnwritable(msg)
            raise self.failure

    def _fail(self, error: OSError) -> NoReturn:
        """Record the error that ends all writing, and raise it as `JournalUnwritable`."""
        msg = f"cannot write the journal {self.path}: {error.strerror}; {self.resume_hint}"
        self.failure = JournalUnwritable(msg)
        raise self.failure from error

    def discard(self) -> None:
        """Close the file and remove it."""
        self.close()
        self.absolute_path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file. Closing twice does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
