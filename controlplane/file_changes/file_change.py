"""The change of one file of the user."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from controlplane.errors import ControlPlaneError
from controlplane.sandbox.files import read_whole
from controlplane.sandbox.interface import bounds
from controlplane.text_files import FileText, decode_text


class ChangeRefused(ControlPlaneError):
    """A change is refused because it would harm a file or cannot be written. No file is changed."""

    exit_code = 1

    def __init__(self, place: Path, reason: str) -> None:
        super().__init__(f"{place}: {reason}")
        self.place = place
        self.reason = reason

    def __reduce__(self) -> tuple[type[ChangeRefused], tuple[Path, str]]:
        """Pickle the error: the process that makes changes sends it to the process that asked."""
        return ChangeRefused, (self.place, self.reason)


@dataclass(frozen=True)
class FileChange:
    """A change of one file: its present bytes and its new text.

    `FileChange.of(Path("/home/ann/docs"), "/notes.md", "new text")`. `make_changes` takes several of
    them, and makes all or none.
    """

    place: Path
    """The path of the file."""
    root: Path
    """The folder that contains `place`. Between the two, there is no symbolic link."""
    old_bytes: bytes | None
    """The present bytes; None if the file does not exist."""
    mode: int
    """The file's mode; 0 if the file does not exist."""
    new_text: str | None
    """The new text; None deletes the file."""
    restored_bytes: bytes | None = None
    """The exact new bytes, if an old version is restored. Then `new_text` is only shown.
    None: encode `new_text` in the encoding of the present file."""

    @classmethod
    def of(
        cls,
        root: Path,
        path: str,
        new_text: str | None,
        restored_bytes: bytes | None = None,
    ) -> FileChange:
        """Return a change of the file at `path` below `root`, with its present bytes.

        Raises `ChangeRefused` if the path is hidden, leads through a symbolic link or
        is not a file, or if the file is too large to change.
        """
        place = root / path.lstrip("/")
        _check_path(place, root)
        try:
            file = read_whole(place, root, bounds.MOST_EDITED_BYTES)
        except OSError as error:
            reason = f"it cannot be changed: {error.strerror}"
            raise ChangeRefused(place, reason) from error
        if file is None:
            return cls(place, root, None, 0, new_text, restored_bytes)
        old_bytes, mode = file
        return cls(place, root, old_bytes, mode, new_text, restored_bytes)

    @cached_property
    def old_file(self) -> FileText:
        """The present text with its encoding; an empty text in UTF-8 if the file does not exist."""
        if self.old_bytes is None:
            return FileText("")
        return decode_text(self.old_bytes)

    @cached_property
    def new_bytes(self) -> bytes | None:
        """The new bytes; None deletes the file.

        Raises `ChangeRefused` if the file's encoding lacks a character of the new text.
        """
        if self.restored_bytes is not None:
            return self.restored_bytes
        if self.new_text is None:
            return None
        try:
            return self.old_file.encode(self.new_text)
        except ValueError as error:
            reason = (
                f"it {error}; use other characters, or convert the file to UTF-8 first"
            )
            raise ChangeRefused(self.place, reason) from error


def _check_path(place: Path, root: Path) -> None:
    """Raise `ChangeRefused` if a path below `root` is hidden or leads through a symbolic link."""
    if any(part.startswith(".") for part in place.relative_to(root).parts):
        raise ChangeRefused(place, "a part of the path is hidden")
    link = _link_in(place, root)
    if link is not None:
        reason = (
            f"{link} is a symbolic link to {link.readlink()}, and changes follow "
            "no link; change the file itself, if it may be written"
        )
        raise ChangeRefused(place, reason)


def _link_in(place: Path, root: Path) -> Path | None:
    """Return the first part of a path below `root` that is a symbolic link, or None."""
    part = root
    for name in place.relative_to(root).parts:
        part = part / name
        if part.is_symlink():
            return part
    return None
