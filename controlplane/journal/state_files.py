"""Files in the user's state folder, which only the user may read and write.

It has the key that signs journals, for example. They are opened as regular files alone: a
pipe or a link in their place is refused.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from controlplane.sandbox.files import write_whole


def open_regular(
    path: Path, flags: int = os.O_RDONLY, *, mode: int = 0o600
) -> BinaryIO:
    """Open a regular file, for reading unless `flags` say otherwise.

    A file that is created gets `mode`, less the umask.

    Raises `OSError` for a pipe, a device or a folder,
    and for a link if the file is to be written.
    """
    is_to_read = flags == os.O_RDONLY
    if not is_to_read:
        flags |= os.O_NOFOLLOW
    flags |= os.O_CLOEXEC  # Child processes do not get the file.
    flags |= os.O_NONBLOCK  # Opening a pipe does not wait for its other end.
    descriptor = os.open(path, flags, mode)
    kind = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(kind):
        os.close(descriptor)
        if stat.S_ISDIR(kind):
            raise OSError(errno.EISDIR, "Is a directory")
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file")
    return os.fdopen(descriptor, "rb" if is_to_read else "wb")


def state_path(name: str, *, makes: bool = False) -> Path:
    """Return the path of a file in the user's state folder.

    With `makes`, the folder is created if it is missing. Raises `OSError`, and
    `RuntimeError` if there is no home folder.
    """
    folder = Path(os.environ.get("XDG_STATE_HOME", ""))
    if not folder.is_absolute():
        folder = Path("~/.local/state").expanduser()
    path = folder / name
    if makes:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path


def private_bytes(name: str, max_bytes: int) -> bytes:
    """Return up to `max_bytes` of a file in the state folder.

    Returns nothing if there is no such file, or if others can read or write it.
    """
    with (
        contextlib.suppress(OSError, RuntimeError),
        open_regular(state_path(name)) as file,
    ):
        status = os.fstat(file.fileno())
        is_own = status.st_uid == os.getuid()
        # These bits are the rights of the file's group and of all other users.
        others_have_access = bool(status.st_mode & 0o077)
        if is_own and not others_have_access:
            return file.read(max_bytes)
    return b""


# The user's secret key, which signs the lines of the user's journals.

KEY_FILE: Final = "controlplane/journal.key"
"""The file of the user's key, in the user's state folder (`~/.local/state`)."""
_KEY_BYTES: Final = 32


def own_key() -> bytes | None:
    """Return this user's key; None if there is none, or others can read or write its file."""
    # One byte more than a key has, to notice a file that is longer.
    key = private_bytes(KEY_FILE, _KEY_BYTES + 1)
    return key if len(key) == _KEY_BYTES else None


def made_key() -> bytes | None:
    """Return this user's key, and create it if it is missing; None if it cannot be written."""
    with suppress(OSError, RuntimeError):
        path = state_path(KEY_FILE, makes=True)
        if not path.exists():
            key = secrets.token_bytes(_KEY_BYTES)
            # Another process may create it first.
            write_whole(path, key, mode=0o600, replaces=False)
    return own_key()
