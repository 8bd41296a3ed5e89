"""Files on disk: written whole or not at all, and never through a link.

A file is first written under a random name and then moved to its place, so that nobody
reads half of it. Functions with a `root` follow no link below it: no path leads out of
the folder, even if another program puts links there at the same time.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

# Flags of `os.open`. All of them close the descriptor in programs that this process starts.
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_READ_ONLY: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Follows no link, and does not wait for the other end of a pipe."""
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
"""Fails if there is a file already."""

PERMISSIONS: Final = 0o777
"""The bits of a mode that the new version of a file keeps.
The others, such as set-user-id, are cleared."""


@contextmanager
def open_parent(
    place: Path, root: Path | None = None, *, create_folders: bool = False
) -> Iterator[tuple[int, str]]:
    """Open the folder of a file, and yield its descriptor and the file's name in it.

    For `/data/docs/a.md`: the descriptor of `/data/docs`, and `a.md`.

    Without a `root`, the folder is opened by its path, through links if there are any.
    With a `root` above `place`, it is reached from there, and `OSError` is raised if
    the root, or a folder between the two, is a link.
    """
    if root is None:
        start = place.parent
        start_flags = _FOLDER
        folders_below: tuple[str, ...] = ()
    else:
        start = root
        start_flags = _FOLDER | os.O_NOFOLLOW
        folders_below = place.relative_to(root).parts[:-1]

    if create_folders:
        try:
            start.mkdir(parents=True, exist_ok=True)
        except FileExistsError as error:
            raise NotADirectoryError(errno.ENOTDIR, "that is not a folder") from error
    descriptor = os.open(start, start_flags)

    # Open one folder after another by its name in the one above, instead of all by one
    # path. So none can be replaced by a link between a check and its use.
    try:
        for folder in folders_below:
            if create_folders:
                with suppress(FileExistsError):
                    os.mkdir(folder, dir_fd=descriptor)
            try:
                descriptor_below = os.open(
                    folder, _FOLDER | os.O_NOFOLLOW, dir_fd=descriptor
                )
            except NotADirectoryError as error:
                raise OSError(errno.ELOOP, f"{folder} is a link or a file") from error
            os.close(descriptor)
            descriptor = descriptor_below
        yield descriptor, place.name
    finally:
        os.close(descriptor)


@contextmanager
def open_regular(place: Path, root: Path) -> Iterator[tuple[IO[bytes], os.stat_result]]:
    """Open a file, and yield it with its status, as it was when it was opened.

    Neither the file nor a folder from `root` to it may be a link. Raises `OSError` if one
    is, or if it is not a regular file; `FileNotFoundError` if it is missing.
    """
    with open_parent(place, root) as (folder, name):
        descriptor = os.open(name, _READ_ONLY, dir_fd=folder)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a file")
        yield file, status


def read_whole(place: Path, root: Path, max_bytes: int) -> tuple[bytes, int] | None:
    """Return a file's bytes and its permission bits, or None if there is no file.

    Neither the file nor a folder from `root` to it may be a link. Raises `OSError` if one
    is, if it is not a regular file, or if it has more than `max_bytes`.
    """
    try:
        with open_regular(place, root) as (file, status):
            if status.st_size > max_bytes:
                raise OSError(errno.EFBIG, f"it is larger than {max_bytes:,} bytes")
            return file.read(max_bytes), stat.S_IMODE(status.st_mode)
    except FileNotFoundError:
        return None


def write_whole(
    place: Path,
    data: bytes | Iterable[bytes],
    root: Path | None = None,
    *,
    mode: int = 0o666,
    replaces: bool = True,
) -> None:
    """Write a file whole or not at all, and make the folders above it that are missing.

    With a `root`, no folder from there to the file may be a link. The data may come in
    pieces, which are made while the file is written. An existing file keeps its permissions;
    a new one gets `mode`, less the umask. Raises `OSError` if there is something other than
    a file at the place, or any file if `replaces` is false.
    """
    temporary_name = f".{secrets.token_hex(8)}.part"
    with open_parent(place, root, create_folders=True) as (folder, name):
        # 1. Look at what is at the place.
        mode_before = _mode_of_file(name, folder)

        # 2. Write a file with a random name beside it.
        descriptor = os.open(temporary_name, _NEW_FILE, mode, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                if mode_before is not None:
                    os.fchmod(descriptor, mode_before & PERMISSIONS)
                if isinstance(data, bytes):
                    file.write(data)
                else:
                    file.writelines(data)

            # 3. Give that file its real name. Moving it replaces an existing file. A hard link,
            #    a second name for the file, fails if there is a file of that name.
            if replaces:
                os.replace(temporary_name, name, src_dir_fd=folder, dst_dir_fd=folder)
            else:
                os.link(temporary_name, name, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            # 4. Remove the random name. After a move there is none.
            with suppress(FileNotFoundError):
                os.unlink(temporary_name, dir_fd=folder)


def _mode_of_file(name: str, folder: int) -> int | None:
    """Return the mode of a file in an open folder, or None if there is nothing of that name.

    Raises `OSError` if it is a link or anything else that is not a regular file. Its number ELOOP,
    the system's for a link in a path, tells callers so.
    """
    try:
        # `.` and `/`, which are folders, have no name in their parent.
        mode = os.stat(name or ".", dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(mode):
        raise OSError(errno.ELOOP, "it is a link")
    if not stat.S_ISREG(mode):
        raise OSError(errno.ELOOP, "it is not a file")
    return mode


def check_writable(place: Path) -> None:
    """Raise the `OSError` that `write_whole` would raise for this place, and leave nothing behind.

    A command calls it before long work whose result it is to write there.
    """
    missing_folders = [folder for folder in place.parents if not folder.exists()]
    temporary_name = f".{secrets.token_hex(8)}.part"
    try:
        with open_parent(place, create_folders=True) as (folder, name):
            _mode_of_file(name, folder)
            os.close(os.open(temporary_name, _NEW_FILE, 0o600, dir_fd=folder))
            os.unlink(temporary_name, dir_fd=folder)
    finally:
        for made_folder in missing_folders:  # the innermost first
            with suppress(OSError):  # It was not made, or another program uses it.
                made_folder.rmdir()


def remove_file(place: Path, root: Path) -> None:
    """Remove a file below `root`. Raises `OSError` if it is missing, or if a folder is a link."""
    with open_parent(place, root) as (folder, name):
        os.unlink(name, dir_fd=folder)
