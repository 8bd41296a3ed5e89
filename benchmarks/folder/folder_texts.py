"""Read the files of a folder of tasks: only texts, within limits, and without following links."""

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
    """The texts of the files below a folder. Each file is read once.

    File names are relative to the folder: `orders/files/docs/a.md`. All methods raise
    `BenchmarkError` for a file that a task cannot have, such as a link or a binary
    file, and if the folder exceeds a limit.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._real_root = Path(os.path.realpath(root))
        self._texts: dict[str, str] = {}
        """The texts that were read and that are part of the digest, by name."""
        self._total_bytes = 0
        """The total size of these texts."""
        self._names: set[str] = set()
        """The names of all files and folders that were read, whose number is limited."""
        self._worlds: dict[str, dict[str, str]] = {}
        """The results of `world_of`, by folder."""

    def world_of(self, folder: str) -> dict[str, str]:
        """Return the texts below a folder, by their paths from it.

        For `orders/files`, the path of `orders/files/docs/a.md` is `/docs/a.md`.
        """
        if folder not in self._worlds:
            self._add_name(folder)
            self._worlds[folder] = self._read_world(folder)
        return self._worlds[folder]

    def _read_world(self, folder: str) -> dict[str, str]:
        texts: dict[str, str] = {}
        top = self._real_root / folder
        if not top.is_dir():
            return texts
        for place, folder_names, file_names in os.walk(top, onerror=_raise):
            path = place.removeprefix(str(top))
            folder_names.sort()
            for name in folder_names:
                self._add_name(f"{folder}{path}/{name}")
            # `os.walk` lists a link to a folder, but does not enter it, which would leave
            # out the files below it. So the link is read like a file, and `read` refuses it.
            links = [name for name in folder_names if Path(place, name).is_symlink()]
            for name in sorted([*file_names, *links]):
                texts[f"{path}/{name}"] = self.read(f"{folder}{path}/{name}")
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
            self._check_bounds()
        return self._texts[name]

    def read_without_digest(self, name: str) -> str | None:
        """Return the text of a file; None if it is missing.

        Unlike `read`, this does not make the file a part of the digest: a grader, for
        example, may change without changing what trials see.
        """
        self._add_name(name)
        try:
            file = read_whole(
                self._real_root / name, self._real_root, bounds.MOST_TASK_BYTES
            )
            if file is None:
                return None
            data, _ = file
            return data.decode()
        except UnicodeDecodeError as error:
            reason = (
                f"it is not UTF-8 text (byte {error.start}); a task's files are texts"
            )
            raise self._unreadable(name, reason) from error
        except OSError as error:
            reason = error.strerror or "it cannot be read"
            if error.errno == errno.ELOOP:
                reason = (
                    "it is a link or below one, and links are not followed: "
                    "put the file itself there"
                )
            raise self._unreadable(name, reason) from error

    def _unreadable(self, name: str, reason: str) -> BenchmarkError:
        return BenchmarkError(INVALID, f"{self.root / name}: {reason}")

    def digest(self) -> str:
        """Return a hash of the names and texts of all files read by `read`."""
        digest = hashlib.sha256()
        for name, text in sorted(self._texts.items()):
            digest.update(f"{len(name)} {len(text)} {name}{text}".encode())
        return digest.hexdigest()[:12]

    def _add_name(self, name: str) -> None:
        """Add a file or folder to those that were read.

        Raises `BenchmarkError` if its name is not allowed, or if there are too many.
        """
        try:
            name.encode()
            normal_path(name)
        except (UnicodeEncodeError, CallError) as error:
            reason = (
                error.message if isinstance(error, CallError) else "it is not UTF-8"
            )
            shown_name = str(self.root / name)[:MAX_NAME_CHARS_SHOWN]
            msg = f"{shown_name!r}: this name cannot be used: {reason}"
            raise BenchmarkError(INVALID, msg) from None
        self._names.add(name)
        self._check_bounds()

    def _check_bounds(self) -> None:
        """Raise `BenchmarkError` if there are too many files and folders, or too many bytes."""
        has_too_many = len(self._names) > bounds.MOST_TASK_FILES
        if has_too_many or self._total_bytes > bounds.MOST_TASK_BYTES:
            megabytes = bounds.MOST_TASK_BYTES // 1_000_000
            limit = f"{bounds.MOST_TASK_FILES:,} files and folders, or {megabytes} MB"
            raise BenchmarkError(
                INVALID, f"{self.root}: it holds more than {limit}; split it"
            )


def _raise(error: OSError) -> None:
    raise error
