"""A step of a set of changes: it changes one file, and can be undone."""

from __future__ import annotations

import errno
import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from controlplane.sandbox.files import (
    PERMISSIONS,
    read_whole,
    remove_file,
    write_whole,
)
from controlplane.sandbox.interface import bounds


def hash_of(data: bytes | None) -> str:
    """Return the SHA-256 of the bytes of a file; empty if there is none."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class Step:
    """The change of one file. In a step list, it is a JSON array of these fields in this order."""

    place: str
    """The path of the file."""
    root: str
    """The folder that contains the file. No part of the path below it may be a link."""
    old_copy: str
    """The path of a copy of the old bytes; empty if there was no file."""
    new_copy: str
    """The path of a copy of the new bytes; empty if the step deletes the file."""
    old_hash: str
    """The SHA-256 of the old bytes; empty if there was no file."""
    new_hash: str
    """The SHA-256 of the new bytes; empty if the step deletes the file."""

    def present_hash(self) -> str:
        """Return the SHA-256 of the present file; empty if it does not exist."""
        file = read_whole(Path(self.place), Path(self.root), bounds.MOST_EDITED_BYTES)
        return hash_of(None if file is None else file[0])

    def make(self, folder: int, name: str) -> None:
        """Move the new bytes to the file's place, or delete the file. Raises `OSError`.

        `folder` is a descriptor of the folder that contains the file `name`. With it,
        the change meets the folder that was checked, even if somebody puts a link in
        its place meanwhile.
        """
        if not self.new_copy:
            os.unlink(name, dir_fd=folder)
            return
        try:
            os.replace(self.new_copy, name, dst_dir_fd=folder)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            # The new bytes are on another file system, and have to be copied.
            # `write_whole` follows no link, either.
            write_whole(
                Path(self.place), Path(self.new_copy).read_bytes(), Path(self.root)
            )

    def undo(self) -> None:
        """Restore the old file, unless the new one has been changed since."""
        place = Path(self.place)
        root = Path(self.root)
        with suppress(OSError):
            if self.present_hash() != self.new_hash:
                return
            if self.old_copy:
                old_copy = Path(self.old_copy)
                mode = old_copy.stat().st_mode & PERMISSIONS
                write_whole(place, old_copy.read_bytes(), root, mode=mode)
            else:
                remove_file(place, root)
