"""Reads the files of a folder of tasks: only texts, within limits, and without following links.

A folder of tasks may come from somebody else. A link in it could show a trial any file
of this machine, and a huge file could fill the memory. Both are refused.
"""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

from controlplane.benchmarks.folder.folder_limits import FolderLimits
from controlplane.benchmarks.folder.text_reading import read_text


class FolderTexts:
    """The texts of the files below a folder. Each file is read once.

    File names are relative to the folder: `orders/files/docs/a.md`. `digest` is a hash of
    what trials can see; a run is resumed only if it is the same as before. All methods
    raise `BenchmarkError` for a file that a task cannot have, such as a link or a binary
    file, and if the folder exceeds a limit.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._real_root = Path(os.path.realpath(root))
        self._limits = FolderLimits(root)
        self._texts: dict[str, str] = {}
        """The texts that were read and that are part of the digest, by name."""
        self._worlds: dict[str, dict[str, str]] = {}
        """The results of `world_of`, by folder."""

    def world_of(self, folder: str) -> dict[str, str]:
        """Return the texts below a folder, which a trial sees as its files.

        In the world of `orders/files`, the file `orders/files/docs/a.md` is `/docs/a.md`.
        """
        if folder not in self._worlds:
            self._limits.add_name(folder)
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
                self._limits.add_name(f"{folder}{world_path}/{name}")
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
            self._limits.add_text(text)
        return self._texts[name]

    def read_without_digest(self, name: str) -> str | None:
        """Return the text of a file; None if it is missing.

        Unlike `read`, this does not make the file a part of the digest: a grader, for
        example, may change without changing what trials see.
        """
        self._limits.add_name(name)
        return read_text(self._real_root, name, self.root / name)

    def digest(self) -> str:
        """Return a hash of the names and texts of all files that `read` has read so far."""
        digest = hashlib.sha256()
        for name, text in sorted(self._texts.items()):
            digest.update(f"{len(name)} {len(text)} {name}{text}".encode())
        return digest.hexdigest()[:12]


def _raise(error: OSError) -> None:
    raise error
