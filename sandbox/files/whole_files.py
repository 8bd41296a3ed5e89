"""Writes files whole or not at all, and where they were shown: through no link, and into no place that was prepared.

A new file has a name that nobody foresees until it takes its place. Below a `root`, no part of a path is a link, so a
path leads to the place that its parts name.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
PERMISSIONS: Final = 0o777
"""The part of a mode that a new version keeps; set-user-id and its like go."""


@contextmanager
def open_parent(place: Path, root: Path | None = None, *, makes: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the descriptor of the folder of `place`, made if it `makes` folders, and the name of `place` in it.

    With `root`, which is above `place`, neither is a link, nor a folder between. Raises `OSError`.
    """
    parts = () if root is None else place.relative_to(root).parts[:-1]
    start = place.parent if root is None else root
    if makes:
        start.mkdir(parents=True, exist_ok=True)
    folder = os.open(start, _FOLDER | (os.O_NOFOLLOW if root else 0))
    try:
        for part in parts:
            if makes:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=folder)
            try:
                below = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
            except NotADirectoryError as error:
                raise OSError(errno.ELOOP, f"{part} is a link or a file") from error
            os.close(folder)
            folder = below
        yield folder, place.name
    finally:
        os.close(folder)


def read_whole(place: Path, root: Path, most: int) -> tuple[bytes, int] | None:
    """Return a file's bytes and its mode; None if there is no file. Raises `OSError` for anything but a regular file of
    at most `most` bytes."""
    try:
        with open_parent(place, root) as (folder, name):
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a file")
        if status.st_size > most:
            raise OSError(errno.EFBIG, f"it is larger than {most:,} bytes")
        return file.read(most), stat.S_IMODE(status.st_mode)


def write_whole(
    place: Path, data: bytes, root: Path | None = None, *, mode: int = 0o666, replaces: bool = True
) -> None:
    """Write a file whole or not at all. It has the permissions of the file there; a new one has `mode`, less the umask.

    Raises `OSError`, also if there is something other than a file, or any file unless it `replaces` one.
    """
    part = f".{secrets.token_hex(8)}.part"
    with open_parent(place, root, makes=True) as (folder, name):
        kept = None
        with suppress(FileNotFoundError):
            kept = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if kept is not None and not stat.S_ISREG(kept):
            raise OSError(errno.ELOOP, "it is a link" if stat.S_ISLNK(kept) else "it is not a file")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(part, flags, mode, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                if kept is not None:
                    os.fchmod(descriptor, kept & PERMISSIONS)
                file.write(data)
            put = os.replace if replaces else os.link
            put(part, name, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(part, dir_fd=folder)


def remove_file(place: Path, root: Path) -> None:
    """Remove a file below `root`. Raises `OSError`."""
    with open_parent(place, root) as (folder, name):
        os.unlink(name, dir_fd=folder)
