"""Opens the file of a journal to append, and locks it, so that no second process writes it.

The file may be anybody's: a link, a named pipe, or a file on a system without locks is refused.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from controlplane.errors import JournalUnwritable, UsageError


def open_to_append(path: Path, *, create: bool) -> int:
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


def lock_file(file: int, path: Path, *, is_new: bool) -> None:
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
