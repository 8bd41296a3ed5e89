"""Reads the files of a set of tasks that somebody else wrote, and nothing else of this machine.

A link in such a set could lead to the user's keys, whose text would then go to a model, a container
or a journal. So a link is followed only to a place in the set. What is opened must be a regular
file, and is reached folder by folder without a further link. Files are read in pieces.

    files = SetFiles.of(Path("tasks"))
    files.read(Path("tasks/hello/instruction.md"), bounds.MOST_TEXT_BYTES)  # b"Write ..."
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, NamedTuple

from controlplane.sandbox.files import (
    PERMISSIONS,
    open_regular,
    read_whole,
    write_whole,
)
from controlplane.sandbox.interface import bounds

_PIECE_BYTES: Final = 1 << 20
_BUILD_FILES: Final = ("Dockerfile", "Containerfile")
_IGNORE_FILES_END: Final = "ignore"
"""The end of `.dockerignore` and its kin."""
_MOST_SHOWN_CHARS: Final = 300
"""The most characters of a path in a message."""
_OWNER_MAY_ALL: Final = 0o700
"""The permissions that the owner of a copied folder has at least, to fill and remove it."""


class SetFileError(ValueError):
    """A file of a task cannot be used. The message is one line that names it, and says why."""


class _Entry(NamedTuple):
    """A file, folder or link below a folder."""

    parts: tuple[str, ...]
    """Its path in the folder: `("src", "main.c")`."""
    path: Path
    mode: int
    """Its kind and its permissions, as `os.lstat` has them."""

    @property
    def name(self) -> str:
        return "/".join(self.parts)


@dataclass(frozen=True, slots=True)
class SetFiles:
    """The files of one set of tasks. All methods raise `SetFileError` for what leads out of it."""

    root: Path
    """The folder of the set, without links in its own path."""

    @classmethod
    def of(cls, root: Path) -> SetFiles:
        """Return the files below a folder that the user has named."""
        return cls(Path(os.path.realpath(root)))

    def resolve(self, path: Path) -> Path:
        """Return where a path leads, without links. Nothing need be there."""
        try:
            place = Path(os.path.realpath(path))
        except (OSError, ValueError, RecursionError) as error:
            # Such as a name with a NUL, or a thousand links one after another.
            raise _fault(path, "its links cannot be followed") from error
        if not place.is_relative_to(self.root):
            reason = (
                f"it leads out of the tasks in {_shown(self.root)}; put a copy there"
            )
            raise _fault(path, reason)
        return place

    def is_file(self, path: Path) -> bool:
        """Return True if a path leads to a regular file."""
        place = self.resolve(path)
        try:
            return stat.S_ISREG(os.lstat(place).st_mode)
        except OSError:
            return False

    def read(self, path: Path, max_bytes: int) -> bytes | None:
        """Return the content of a file; None if it is missing.

        Raises `SetFileError` also if it has more than `max_bytes`.
        """
        place = self.resolve(path)
        try:
            file = read_whole(place, self.root, max_bytes)
        except OSError as error:
            raise _fault(path, error.strerror or "it cannot be read") from error
        if file is None:
            return None
        content, _mode = file
        return content

    def names(self, folder: Path) -> Iterator[tuple[str, bool]]:
        """Yield the path of each file, link and folder below a folder, and whether it is a folder."""
        for entry in self._entries(folder):
            yield entry.name, stat.S_ISDIR(entry.mode)

    def mode(self, path: Path) -> int:
        """Return the permissions of a file, without set-user-id; those of a plain text if it is missing."""
        try:
            return self.resolve(path).stat().st_mode & PERMISSIONS
        except OSError:
            return 0o644

    def contents(self, folder: Path, max_bytes: int) -> Iterator[tuple[str, bytes]]:
        """Yield the name and content of each file below a folder: `("lib/a.sh", b"exit 0")`.

        A link to a file counts as that file, and a link to a folder is left out. Raises
        `SetFileError` also if all files together have more than `max_bytes`.
        """
        unread_bytes = max_bytes
        for entry in self._entries(folder):
            if stat.S_ISDIR(entry.mode) or not self.is_file(entry.path):
                continue
            content = self.read(entry.path, max_bytes)
            if content is None:
                continue
            unread_bytes -= len(content)
            if unread_bytes < 0:
                raise _fault(folder, f"its files have more than {max_bytes:,} bytes")
            yield entry.name, content

    def digest(self, folder: Path) -> str:
        """Return a hash of the paths, modes and contents of a folder's files.

        A link counts by its target, which may be missing. Empty folders do not count.
        """
        digest = hashlib.sha256()
        unread_bytes = bounds.MOST_BUILD_BYTES
        for entry in self._entries(folder):
            header = os.fsencode(entry.name) + f"\0{entry.mode:o}\0".encode()
            if stat.S_ISLNK(entry.mode):
                target = os.fsencode(_target_of(entry))
                digest.update(header + f"{len(target)}\0".encode() + target)
            elif stat.S_ISREG(entry.mode):
                with self._opened(entry, unread_bytes) as (status, pieces):
                    unread_bytes -= status.st_size
                    digest.update(header + f"{status.st_size}\0".encode())
                    for piece in pieces:
                        digest.update(piece)
        return digest.hexdigest()

    def check_build(self, folder: Path) -> None:
        """Raise `SetFileError` if a build of the folder would read a file out of the set."""
        for entry in self._entries(folder):
            if _is_read_by_builds(entry):
                self.read(entry.path, bounds.MOST_TEXT_BYTES)

    @contextmanager
    def copied(self, folder: Path) -> Iterator[Path]:
        """Copy a folder, and yield the copy's path. The copy is removed after the block.

        For programs such as podman, which would follow links. A link stays one, for the
        container in which it may lead somewhere; but the files by which an image is built
        (a Dockerfile, a .dockerignore), which podman itself reads, become files.
        """
        unread_bytes = bounds.MOST_BUILD_BYTES
        with tempfile.TemporaryDirectory(prefix="controlplane-") as temporary:
            top = Path(temporary, "files")
            try:
                top.mkdir()
                for entry in self._entries(folder):
                    target = top.joinpath(*entry.parts)
                    if _is_read_by_builds(entry):
                        content = self.read(entry.path, bounds.MOST_TEXT_BYTES)
                        if content is not None:
                            write_whole(target, content)
                    elif stat.S_ISLNK(entry.mode):
                        target.symlink_to(_target_of(entry))
                    elif stat.S_ISDIR(entry.mode):
                        target.mkdir()
                        target.chmod(entry.mode & PERMISSIONS | _OWNER_MAY_ALL)
                    elif stat.S_ISREG(entry.mode):
                        unread_bytes -= self._copy_file(entry, target, unread_bytes)
            except OSError as error:
                reason = f"it cannot be copied: {error.strerror or error}"
                raise _fault(folder, reason) from error
            yield top

    def _copy_file(self, entry: _Entry, target: Path, max_bytes: int) -> int:
        """Copy a file with its permissions and its time, and return its size."""
        with self._opened(entry, max_bytes) as (status, pieces):
            write_whole(target, pieces)
            # Without set-user-id: the copy may belong to another user than the file.
            target.chmod(status.st_mode & PERMISSIONS)
            os.utime(target, ns=(status.st_mtime_ns, status.st_mtime_ns))
            return status.st_size

    @contextmanager
    def _opened(
        self, entry: _Entry, max_bytes: int
    ) -> Iterator[tuple[os.stat_result, Iterator[bytes]]]:
        """Open a file, and yield its status, and its content in pieces.

        Raises `SetFileError` also if it has more than `max_bytes`.
        """
        try:
            with open_regular(entry.path, self.root) as (file, status):
                if status.st_size > max_bytes:
                    limit = f"{bounds.MOST_BUILD_BYTES:,} bytes"
                    reason = f"with it, the files of its folder have more than {limit}"
                    raise _fault(entry.path, reason)
                yield status, _pieces_of(file, entry.path, status.st_size)
        except OSError as error:
            raise _fault(entry.path, error.strerror or "it cannot be read") from error

    def _entries(self, folder: Path) -> list[_Entry]:
        """Return all that is below a folder, sorted by path. Links are not entered."""
        entries: list[_Entry] = []
        unlisted: list[tuple[tuple[str, ...], Path]] = [((), self.resolve(folder))]
        while unlisted:
            parts_above, place = unlisted.pop()
            try:
                with os.scandir(place) as listing:
                    for found in listing:
                        parts = (*parts_above, found.name)
                        mode = found.stat(follow_symlinks=False).st_mode
                        entries.append(_Entry(parts, Path(found.path), mode))
                        if stat.S_ISDIR(mode):
                            unlisted.append((parts, Path(found.path)))
                        if len(entries) > bounds.MOST_BUILD_FILES:
                            limit = f"{bounds.MOST_BUILD_FILES:,} files and folders"
                            raise _fault(folder, f"it holds more than {limit}")
            except FileNotFoundError:
                continue
            except OSError as error:
                raise _fault(place, error.strerror or "it cannot be read") from error
        return sorted(entries, key=lambda entry: entry.parts)


def _pieces_of(file: IO[bytes], path: Path, size: int) -> Iterator[bytes]:
    """Yield the content of an open file in pieces, `size` bytes in all."""
    unread_bytes = size
    while unread_bytes:
        piece = file.read(min(_PIECE_BYTES, unread_bytes))
        if not piece:
            raise _fault(path, "it was cut short while it was read")
        unread_bytes -= len(piece)
        yield piece


def _target_of(link: _Entry) -> str:
    """Return the text of a link: where it leads."""
    return str(link.path.readlink())


def _is_read_by_builds(entry: _Entry) -> bool:
    """Return True if podman or docker itself reads a file when it builds the folder."""
    if len(entry.parts) != 1 or stat.S_ISDIR(entry.mode):
        return False
    return entry.name.startswith(_BUILD_FILES) or entry.name.endswith(_IGNORE_FILES_END)


def _fault(path: Path, reason: str) -> SetFileError:
    return SetFileError(f"{_shown(path)}: {reason}")


def _shown(path: Path) -> str:
    """Return a path as a message shows it: names of a stranger may have line ends."""
    text = str(path)
    if len(text) > _MOST_SHOWN_CHARS:
        text = f"{text[:_MOST_SHOWN_CHARS]}..."
    return text if text.isprintable() else ascii(text)
