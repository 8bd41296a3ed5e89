"""Reads the files of a folder of tasks: only texts, within limits, and without following links.

A folder of tasks may come from somebody else. A link in it could show a trial any file
of this machine, and a huge file could fill the memory. Both are refused.
"""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path
from typing import Final

from controlplane import BenchmarkError
from controlplane.sandbox import normal_path
from controlplane.sandbox.files import read_whole
from controlplane.sandbox.interface import CallError, bounds, error_codes
from controlplane.sandbox.interface.outcomes import names_platform_outcome

_INVALID: Final = error_codes.INVALID_ARGUMENT
_MAX_NAME_CHARS_SHOWN: Final = 300
_LINK_REASON: Final = (
    "it is a link or below one, and links are not followed: put the file itself there"
)


def _fault_of(name: str) -> str:
    """Return why scripts could not use a name; empty if they can."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return "it is not UTF-8"
    try:
        normal_path(name)
    except CallError as error:
        return error.message
    return ""


class FolderTexts:
    """The texts of the files below a folder. Each file is read once.

    File names are relative to the folder: `orders/files/docs/a.md`. `digest` is a hash of
    what trials can see; a run is resumed only if it is the same as before. All methods
    raise `BenchmarkError` for a file that a task cannot have, such as a link or a binary
    file, and if the folder exceeds a limit: the one that a user names may be a wrong one,
    such as `/`, and is refused before it fills the memory.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._real_root = Path(os.path.realpath(root))
        self._names: set[str] = set()
        """The files and folders so far, which are limited."""
        self._total_bytes = 0
        self._texts: dict[str, str] = {}
        """The texts that were read and that are part of the digest, by name."""
        self._worlds: dict[str, dict[str, str]] = {}
        """The results of `world_of`, by folder."""

    def name_platform_outcome(self) -> bool:
        """Return True if a text that was read names an outcome that only the platform has."""
        return any(names_platform_outcome(text) for text in self._texts.values())

    def world_of(self, folder: str) -> dict[str, str]:
        """Return the texts below a folder, which a trial sees as its files.

        In the world of `orders/files`, the file `orders/files/docs/a.md` is `/docs/a.md`.
        """
        if folder not in self._worlds:
            self._add_name(folder)
            self._worlds[folder] = self._read_world(folder)
        return self._worlds[folder]

    def _read_world(self, folder: str) -> dict[str, str]:
        """Read the texts below a folder. It may be missing: then there are none."""
        texts: dict[str, str] = {}
        top = self._real_root / folder
        if not top.is_dir():
            return texts
        for place, folder_names, file_names in os.walk(top, onerror=_raise):
            # `/docs`; empty for the top itself.
            world_path = place.removeprefix(str(top))
            folder_names.sort()  # So that `os.walk` enters them in this order.
            for name in folder_names:
                self._add_name(f"{folder}{world_path}/{name}")
            # `os.walk` lists a link to a folder, but does not enter it, which would leave
            # out the files below it. So the link is read like a file, and `read` refuses it.
            links = [name for name in folder_names if Path(place, name).is_symlink()]
            for name in sorted([*file_names, *links]):
                path = f"{world_path}/{name}"
                texts[path] = self.read(f"{folder}{path}")
        return texts

    def read(self, name: str) -> str:
        """Return the text of a file. The file becomes part of the digest, and its size counts.

        Raises `FileNotFoundError` if the file is missing.
        """
        if name not in self._texts:
            text = self.read_without_digest(name)
            if text is None:
                path = str(self.root / name)
                raise FileNotFoundError(errno.ENOENT, "there is no such file", path)
            self._texts[name] = text
            self._total_bytes += len(text.encode())
            self._check_limits()
        return self._texts[name]

    def read_without_digest(self, name: str) -> str | None:
        """Return the text of a file; None if it is missing.

        Unlike `read`, this does not make the file a part of the digest: a grader, for
        example, may change without changing what trials see.
        """
        self._add_name(name)
        try:
            # Raises `OSError` if the file, or a folder that leads to it, is a link.
            file = read_whole(
                self._real_root / name, self._real_root, bounds.MOST_TASK_BYTES
            )
            if file is None:
                return None
            data, _mode = file
            return data.decode()
        except UnicodeDecodeError as error:
            reason = (
                f"it is not UTF-8 text (byte {error.start}); a task's files are texts"
            )
            raise self._unreadable(name, reason) from error
        except OSError as error:
            reason = error.strerror or "it cannot be read"
            if error.errno == errno.ELOOP:
                reason = _LINK_REASON
            raise self._unreadable(name, reason) from error

    def _unreadable(self, name: str, reason: str) -> BenchmarkError:
        return BenchmarkError(_INVALID, f"{self.root / name}: {reason}")

    def _add_name(self, name: str) -> None:
        """Count a file or folder, once. Its name is relative to the root.

        Raises `BenchmarkError` if the name is not allowed, or if there are too many.
        """
        fault = _fault_of(name)
        if fault:
            shown_name = str(self.root / name)[:_MAX_NAME_CHARS_SHOWN]
            msg = f"{shown_name!r}: this name cannot be used: {fault}"
            raise BenchmarkError(_INVALID, msg)
        self._names.add(name)
        self._check_limits()

    def _check_limits(self) -> None:
        """Raise `BenchmarkError` if more was read than is allowed."""
        has_too_many = len(self._names) > bounds.MOST_TASK_FILES
        if has_too_many or self._total_bytes > bounds.MOST_TASK_BYTES:
            megabytes = bounds.MOST_TASK_BYTES // 1_000_000
            limit = f"{bounds.MOST_TASK_FILES:,} files and folders, or {megabytes} MB"
            msg = f"{self.root}: it holds more than {limit}; split it"
            raise BenchmarkError(_INVALID, msg)

    def digest(self) -> str:
        """Return a hash of the names and texts of all files that `read` has read so far."""
        digest = hashlib.sha256()
        for name, text in sorted(self._texts.items()):
            digest.update(f"{len(name)} {len(text)} {name}{text}".encode())
        return digest.hexdigest()[:12]


def _raise(error: OSError) -> None:
    raise error
