"""Reads the files of a folder of tasks: texts within bounds, no links, and nothing outside the folder."""

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

INVALID: Final = error_codes.INVALID_ARGUMENT
MAX_NAME_CHARS_SHOWN: Final = 300


class FolderTexts:
    """The texts of the files below a folder, each read once. All methods raise `BenchmarkError`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._real_root = Path(os.path.realpath(root))
        self._texts: dict[str, str] = {}
        """The texts that were read, by names relative to the root."""
        self._total_bytes = 0
        self._names: set[str] = set()
        """The names of all files and folders that were met."""
        self._worlds: dict[str, dict[str, str]] = {}

    def below(self, folder: str) -> dict[str, str]:
        """Return the texts below a folder, by paths in a world of that folder alone: `/docs/a.md`."""
        if folder not in self._worlds:
            self._check(folder)
            self._worlds[folder] = self._read_below(folder)
        return self._worlds[folder]

    def _read_below(self, folder: str) -> dict[str, str]:
        texts: dict[str, str] = {}
        top = self._real_root / folder
        if not top.is_dir():
            return texts
        for place, folder_names, file_names in os.walk(top, onerror=_raise):
            path = place.removeprefix(str(top))
            folder_names.sort()
            for name in folder_names:
                self._check(f"{folder}{path}/{name}")
            # A link to a folder is read as a file, which refuses it by name.
            links = [name for name in folder_names if Path(place, name).is_symlink()]
            for name in sorted([*file_names, *links]):
                texts[f"{path}/{name}"] = self.read(f"{folder}{path}/{name}")
        return texts

    def read(self, name: str) -> str:
        """Return the text of a file, named relative to the root. Raises `FileNotFoundError`, too."""
        if name not in self._texts:
            text = self.read_apart(name)
            if text is None:
                path = str(self.root / name)
                raise FileNotFoundError(errno.ENOENT, "there is no such file", path)
            self._texts[name] = text
            self._check(name, len(text.encode()))
        return self._texts[name]

    def read_apart(self, name: str) -> str | None:
        """Return the text of a file that is no part of a world and its digest; None if it is missing."""
        self._check(name)
        try:
            file = read_whole(self._real_root / name, self._real_root, bounds.MOST_TASK_BYTES)
            if file is None:
                return None
            data, _ = file
            return data.decode()
        except UnicodeDecodeError as error:
            reason = f"it is not UTF-8 text (byte {error.start}); a task's files are texts"
        except OSError as error:
            reason = error.strerror or "it cannot be read"
            if error.errno == errno.ELOOP:
                reason = (
                    "it is a link or below one, and links are not followed: "
                    "put the file itself there"
                )
        raise BenchmarkError(INVALID, f"{self.root / name}: {reason}")

    def digest(self) -> str:
        """Return a digest of the names and texts of all files that were read."""
        digest = hashlib.sha256()
        for name, text in sorted(self._texts.items()):
            digest.update(f"{len(name)} {len(text)} {name}{text}".encode())
        return digest.hexdigest()[:12]

    def _check(self, name: str, size: int = 0) -> None:
        """Count a name and the bytes of its file. Raises `BenchmarkError` for a name that a world cannot
        have, and beyond the bounds."""
        try:
            name.encode()
            normal_path(name)
        except (UnicodeEncodeError, CallError) as error:
            reason = error.message if isinstance(error, CallError) else "it is not UTF-8"
            shown_name = str(self.root / name)[:MAX_NAME_CHARS_SHOWN]
            msg = f"{shown_name!r}: this name cannot be used: {reason}"
            raise BenchmarkError(INVALID, msg) from None
        self._names.add(name)
        self._total_bytes += size
        has_too_many = len(self._names) > bounds.MOST_TASK_FILES
        if has_too_many or self._total_bytes > bounds.MOST_TASK_BYTES:
            megabytes = bounds.MOST_TASK_BYTES // 1_000_000
            limit = f"{bounds.MOST_TASK_FILES:,} files and folders, or {megabytes} MB"
            raise BenchmarkError(INVALID, f"{self.root}: it holds more than {limit}; split it")


def _raise(error: OSError) -> None:
    raise error
