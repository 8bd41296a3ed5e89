"""The files of a folder on the disk, read when they are asked for."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from controlplane.sandbox.files.disk_files import read_whole
from controlplane.sandbox.files.listed_files import ListedFiles
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    INVALID_ARGUMENT,
    CallError,
)

MOST_FILE_BYTES: Final = 8_000_000
"""The largest file that a script may read. Its text is sent to the script's process."""


class DirectoryFiles(ListedFiles):
    """The texts of the files below a directory, by path.

    The file `root/docs/a.md` has the path `/docs/a.md`. The paths are listed once, at the
    start. A text is read from disk whenever it is requested. Links, pipes and other
    special files are left out.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.directories: list[str] = []
        """The paths of all directories, which include empty ones."""
        files: list[str] = []
        for folder, folder_names, file_names in os.walk(self.root):
            path = folder.removeprefix(str(self.root)).rstrip("/")
            if path.count("/") >= bounds.MOST_FOLDER_LEVELS:
                folder_names.clear()  # `os.walk` goes no deeper then.
            for name in folder_names:
                if not Path(folder, name).is_symlink():
                    self.directories.append(f"{path}/{name}")
            for name in file_names:
                if _is_listed(Path(folder, name)):
                    files.append(f"{path}/{name}")
        # Sorted by their parts, so that the files of a folder stand together: `/a/x` before `/a-b`.
        files.sort(key=lambda path: path.split("/"))
        # A dict finds a path at once, and keeps the order.
        self.paths = dict.fromkeys(files)

    def __getitem__(self, path: str) -> str:
        """Return the text of a file.

        Raises `KeyError` if there is no such file, as a mapping does, and `CallError`
        if there is one that cannot be read.
        """
        if path not in self:
            raise KeyError(path)
        try:
            file = read_whole(self.root / path.lstrip("/"), self.root, MOST_FILE_BYTES)
        except OSError as error:
            raise CallError(
                INVALID_ARGUMENT, error.strerror or "the file cannot be read"
            ) from None
        if file is None:
            raise KeyError(path)
        return file[0].decode("utf-8", "replace")


def _is_listed(place: Path) -> bool:
    """Return True if a place is a regular file whose name is text in UTF-8."""
    try:
        place.name.encode()
        return stat.S_ISREG(place.lstat().st_mode)
    except (OSError, UnicodeEncodeError):
        return False
