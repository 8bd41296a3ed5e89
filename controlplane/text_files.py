"""Texts of the user's files in their own encodings, and changes to files by which no byte is lost.

A file is decoded as UTF-8, as UTF-16, or in the charset that `charset-normalizer` detects, if
encoding the text again gives the same bytes; else as Latin-1, which always does. A set of changes
is made as a whole or not at all.
"""

from __future__ import annotations

import codecs
import errno
import fcntl
import hashlib
import json
import os
import pickle
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import re2

from controlplane.errors import ControlPlaneError, UsageError
from controlplane.journal.journal_files import open_regular, private_bytes, state_path
from controlplane.sandbox.files import (
    PERMISSIONS,
    open_parent,
    read_whole,
    remove_file,
    write_whole,
)
from controlplane.sandbox.interface import bounds

CHARSETS: Final = (
    "cp1252",
    "cp1250",
    "cp1251",
    "cp1253",
    "cp1254",
    "cp1255",
    "cp1256",
    "koi8_r",
    "iso8859_2",
    "shift_jis",
    "euc_jp",
    "gb18030",
    "big5",
    "euc_kr",
)
"""Charsets besides Unicode's that are detected: those in use for text files."""
CYRILLIC: Final = ("cp1251", "koi8_r")
SAMPLED_BYTES: Final = 32_768
"""Bytes of a file from which its encoding is detected."""
LEAST_ZERO_SHARE: Final = 0.4
"""Share of pairs of bytes with a zero in the same place, from which on a text may be UTF-16 of a
Latin script."""
MOST_STRAY_ZERO_SHARE: Final = 0.04
"""Share of pairs that may have a zero in the other place."""
LEAST_READABLE_SHARE: Final = 0.98
"""Share of a text's characters that can be shown, if it is UTF-16."""
BOMS: Final = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


class ChangeRefused(ControlPlaneError):
    """A change that would harm a file, or cannot be written. No file is changed then."""

    exit_code = 1

    def __init__(self, place: Path, reason: str) -> None:
        super().__init__(f"{place}: {reason}")
        self.place = place
        self.reason = reason

    def __reduce__(self) -> tuple[type[ChangeRefused], tuple[Path, str]]:
        """Let the process that makes changes send the refusal to the one that asked for them."""
        return ChangeRefused, (self.place, self.reason)


@dataclass(frozen=True, slots=True)
class FileText:
    """A text with the form that it has in its file."""

    text: str
    encoding: str = "utf-8"
    bom: bytes = b""
    has_crlf: bool = False
    """Every line ends with a carriage return and a line feed."""

    @property
    def form(self) -> str:
        """The form in words, as `cp1252, CRLF`; empty for plain UTF-8."""
        parts = []
        if self.bom:
            parts.append(f"{self.encoding} with a byte-order mark")
        elif self.encoding != "utf-8":
            parts.append(self.encoding)
        if self.has_crlf:
            parts.append("CRLF")
        return ", ".join(parts)

    def encode(self, text: str) -> bytes:
        """Return the bytes of another text in the same form.

        Raises `ValueError` if the encoding lacks a character.
        """
        if self.has_crlf:
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        try:
            return self.bom + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            line = text.count("\n", 0, error.start) + 1
            msg = f"is written in {self.encoding}, which has no {text[error.start]!r} (line {line})"
            raise ValueError(msg) from None


def decode_text(data: bytes) -> FileText:
    """Return the text of a file with its form; encoding the text gives the same bytes."""
    for encoding, bom in _likely_forms(data):
        text = _decoded(data[len(bom) :], encoding)
        if text is not None:
            line_ends = text.count("\n")
            has_crlf = line_ends > 0 and text.count("\r\n") == line_ends
            return FileText(text, encoding, bom, has_crlf=has_crlf)
    msg = "Latin-1 fits any bytes"
    raise AssertionError(msg)


def is_text(head: bytes) -> bool:
    """Say whether the first bytes of a file are those of a text: without zero bytes, or UTF-16."""
    if b"\0" not in head:
        return True
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return True
    return bool(_utf_16_of(head))


def _likely_forms(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield encodings, each with its byte-order mark; the last one fits any bytes."""
    for bom, encoding in BOMS.items():
        if data.startswith(bom):
            yield encoding, bom
    yield _utf_16_of(data) or "utf-8", b""
    yield "utf-8", b""
    yield _detected(data), b""  # It is slow.
    yield "latin-1", b""


def _decoded(data: bytes, encoding: str) -> str | None:
    """Return the text if it encodes to the same bytes, else None."""
    try:
        text = data.decode(encoding)
        if encoding == "utf-8" or text.encode(encoding) == data:
            return text
    except UnicodeError:
        pass
    return None


def _utf_16_of(head: bytes) -> str:
    """Return the UTF-16 encoding of a text without a byte-order mark; empty if it has none.

    In UTF-16, characters of Latin scripts have a zero byte each: the first of the two bytes in
    big-endian order, the second in little-endian order.
    """
    sample = head[:SAMPLED_BYTES]
    if len(sample) % 2:
        sample = sample[:-1]
    pairs = max(len(sample) // 2, 1)
    first_zeros = sample[0::2].count(0) / pairs
    second_zeros = sample[1::2].count(0) / pairs
    if max(first_zeros, second_zeros) < LEAST_ZERO_SHARE:
        return ""
    if min(first_zeros, second_zeros) > MOST_STRAY_ZERO_SHARE:
        return ""
    encoding = "utf-16-be" if first_zeros > second_zeros else "utf-16-le"
    text = sample.decode(encoding, "replace")
    readable_count = 0
    for character in text:
        if character.isprintable() or character.isspace():
            readable_count += 1
    return encoding if readable_count > LEAST_READABLE_SHARE * len(text) else ""


def _detected(data: bytes) -> str:
    """Return the likeliest charset, by the lines that hold other bytes than ASCII's."""
    from charset_normalizer import from_bytes  # slow to import, and seldom needed

    lines = [line for line in data.split(b"\n") if not line.isascii()]
    sample = b"\n".join(lines)[:SAMPLED_BYTES]
    best = from_bytes(sample, cp_isolation=list(CHARSETS)).best()
    # If a guess reads like the most common charset for this sample, it is that.
    if best is None or str(best) == sample.decode("cp1252", "ignore"):
        return "cp1252"
    if best.encoding in CYRILLIC and not _has_cyrillic_words(sample):
        if _decoded(sample, "cp1252"):
            return "cp1252"
    return best.encoding


def _has_cyrillic_words(sample: bytes) -> bool:
    """Return True if three bytes outside ASCII stand together, as in Cyrillic words.

    In words of Western languages, letters with accents mostly stand alone.
    """
    return re2.search(r"[\x80-\xff]{3}", sample.decode("latin-1")) is not None


@dataclass(frozen=True)
class FileChange:
    """A file's bytes now, and its text after a change."""

    place: Path
    root: Path
    """The folder above `place`, below which no part of its path is a link."""
    before: bytes | None
    """None if there is no file."""
    mode: int
    """The file's mode; 0 if there is no file."""
    after: str | None
    """None deletes the file."""
    raw: bytes | None = None
    """The bytes after, if they are not those of the text in the file's form."""

    @classmethod
    def of(cls, root: Path, path: str, after: str | None, raw: bytes | None = None) -> FileChange:
        """Return a change of the file as it is now.

        Raises `ChangeRefused` for a hidden place, one behind a link, anything but a file, or a file
        that is too large to change.
        """
        place = root / path.lstrip("/")
        if any(part.startswith(".") for part in place.relative_to(root).parts):
            raise ChangeRefused(place, "a part of the path is hidden")
        link = _link_in(place, root)
        if link is not None:
            reason = f"{link} is a symbolic link to {link.readlink()}, and changes follow no link"
            raise ChangeRefused(place, f"{reason}; change the file itself, if it may be written")
        before = None
        mode = 0
        try:
            file = read_whole(place, root, bounds.MOST_EDITED_BYTES)
        except OSError as error:
            raise ChangeRefused(place, f"it cannot be changed: {error.strerror}") from error
        if file is not None:
            before, mode = file
        return cls(place, root, before, mode, after, raw)

    @cached_property
    def form(self) -> FileText:
        """The text before, in its form; an empty text in UTF-8 if there is no file."""
        return FileText("") if self.before is None else decode_text(self.before)

    @cached_property
    def data(self) -> bytes | None:
        """The bytes after; None deletes the file.

        Raises `ChangeRefused` if the file's encoding lacks a character of the text.
        """
        if self.raw is not None:
            return self.raw
        try:
            return None if self.after is None else self.form.encode(self.after)
        except ValueError as error:
            reason = f"it {error}; use other characters, or convert the file to UTF-8 first"
            raise ChangeRefused(self.place, reason) from error


def _link_in(place: Path, root: Path) -> Path | None:
    """Return the first part of a path below `root` that is a symbolic link; None without any."""
    part = root
    for name in place.relative_to(root).parts:
        part = part / name
        if part.is_symlink():
            return part
    return None


# --- Making a set of changes ---

# 1. The old and the new bytes of every file are laid down in a work folder, and the steps from the
#    old to the new ones are written as a list: the step list.
# 2. The steps are made. Each puts one new file into its place.
# 3. The old versions go to the folder `kept`, and the step list becomes the one for undoing.
#
# If the process is killed after 1, a later one finds the step list and makes what is not yet made.

CHANGED_MEANWHILE: Final = "it was changed meanwhile; ask again to work on it as it is now"
CHANGES_LOCK: Final = "controlplane/changes.lock"
"""A file in the user's state folder, which a process locks while it changes files."""


@dataclass(frozen=True, slots=True)
class _Step:
    """The change of one file in a step list, whose JSON has the fields in this order."""

    place: str
    """The path of the file."""
    root: str
    """The folder above it, below which no part of its path may be a link."""
    old: str
    """The file with the bytes before. Empty if there was no file."""
    new: str
    """The file with the bytes after. Empty for a deletion."""
    old_hash: str
    """The SHA-256 of the bytes before; empty if there was no file."""
    new_hash: str

    def present_hash(self) -> str:
        """Return the SHA-256 of the file as it is now; empty if there is none."""
        file = read_whole(Path(self.place), Path(self.root), bounds.MOST_EDITED_BYTES)
        return _hash(None if file is None else file[0])

    def make(self, folder: int, name: str) -> None:
        """Put the new bytes in the place of the file `name` in an open folder, or remove the file.

        Raises `OSError`.
        """
        if not self.new:
            os.unlink(name, dir_fd=folder)
            return
        try:
            os.replace(self.new, name, dst_dir_fd=folder)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            # The new bytes lie on another file system, from which no file can be moved.
            write_whole(Path(self.place), Path(self.new).read_bytes(), Path(self.root))

    def undo(self) -> None:
        """Restore the file, unless it has been changed since."""
        place = Path(self.place)
        root = Path(self.root)
        with suppress(OSError):
            if self.present_hash() != self.new_hash:
                return
            if self.old:
                old = Path(self.old)
                mode = old.stat().st_mode & PERMISSIONS
                write_whole(place, old.read_bytes(), root, mode=mode)
            else:
                remove_file(place, root)


@dataclass(frozen=True, slots=True)
class _FileStamp:
    """What differs as soon as a file is replaced or written to. It is read faster than a hash."""

    inode: int
    changed_at_ns: int
    size: int


def _stamp_of(path: str, folder: int | None = None) -> _FileStamp | None:
    """Return the stamp of a file, None if there is none.

    `path` begins in the open folder, if there is one.
    """
    try:
        status = os.lstat(path, dir_fd=folder)
    except FileNotFoundError:
        return None
    return _FileStamp(status.st_ino, status.st_ctime_ns, status.st_size)


def make_changes(changes: Mapping[str, FileChange], kept: Path) -> None:
    """Make all changes, or none. The keys are the paths of the files below their roots.

    The old versions are kept below the folder `kept`, under the same paths, in the place of what it
    held. A process of its own makes the changes: it goes on if this one is killed. If both are,
    `finish_changes` goes on. Raises `ChangeRefused` if a file is not as it was, cannot be written,
    or its encoding lacks a character, and `UsageError` if nothing can be kept.
    """
    new_bytes = {path: change.data for path, change in changes.items()}
    with _changes_lock():
        _finish(kept)
        _stage(changes, new_bytes, kept)
        _finish_in_own_process(kept)


def finish_changes(kept: Path) -> bool:
    """Make the changes that were cut off by a kill; return whether there were any.

    If one cannot be made, all are undone. Raises `ChangeRefused` and `UsageError` as `make_changes`
    does.
    """
    if not _step_list(kept).exists():
        return False
    with _changes_lock():
        return _finish(kept)


@contextmanager
def _changes_lock() -> Iterator[None]:
    """Wait until no other process of this user changes files, and hold the others back.

    Otherwise two questions that end at the same time could both find a file as it was and replace
    it one after the other, so that the first change is lost. A forked process shares the lock: if
    this process is killed, the lock is held until the other one ends. Raises `UsageError`.
    """
    try:
        path = state_path(CHANGES_LOCK, makes=True)
        file = open_regular(path, os.O_WRONLY | os.O_CREAT)
    except (OSError, RuntimeError) as error:
        msg = f"no file can be changed safely: the user's state folder cannot be written: {error}"
        raise UsageError(msg) from error
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _stage(
    changes: Mapping[str, FileChange], new_bytes: Mapping[str, bytes | None], kept: Path
) -> None:
    """Lay the old and the new versions down in the work folder, and write the step list.

    Raises `UsageError` if the disk does not take them.
    """
    work_folder = _work_folder(kept)
    shutil.rmtree(work_folder, ignore_errors=True)
    try:
        if kept.is_symlink():
            raise OSError(errno.ELOOP, "it is a link")
        steps = []
        for number, (path, change) in enumerate(changes.items()):
            steps.append(_staged_step(number, path, change, new_bytes[path], kept))
        # The step list may name nothing that a crash of the machine could lose.
        os.sync()
        _write_steps(_step_list(kept, makes_folder=True), steps)
    except OSError as error:
        shutil.rmtree(work_folder, ignore_errors=True)
        msg = f"{kept} cannot be written: {error.strerror}; nothing is written"
        raise UsageError(msg) from error


def _staged_step(
    number: int, path: str, change: FileChange, new_bytes: bytes | None, kept: Path
) -> _Step:
    """Lay the old and the new version of a file down; return the step from one to the other.

    Raises `OSError`.
    """
    old_versions = _work_folder(kept) / "old"
    old = old_versions / path.lstrip("/")
    new = _work_folder(kept) / f"new/{number}"
    old_versions.mkdir(parents=True, exist_ok=True, mode=0o700)
    if change.before is not None:
        # A copy: a link would change with the file if a program edits that in place.
        write_whole(old, change.before, kept.parent, mode=0o600)
        old.chmod(change.mode & PERMISSIONS)
    if new_bytes is not None:
        write_whole(new, new_bytes, kept.parent)
        if change.before is not None:
            new.chmod(change.mode & PERMISSIONS)
    return _Step(
        place=str(change.place),
        root=str(change.root),
        old=str(old) if change.before is not None else "",
        new=str(new) if new_bytes is not None else "",
        old_hash=_hash(change.before),
        new_hash=_hash(new_bytes),
    )


def _finish_in_own_process(kept: Path) -> None:
    """Make the steps of the list in a process that goes on if this one is killed.

    Raises what `_finish` raises there. The process ends by itself: a worker of a pool would wait on
    if this process was killed.
    """
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        fault: ControlPlaneError | None = None
        try:
            os.setsid()
            _finish(kept)
        except ControlPlaneError as error:
            fault = error
        except BaseException as error:  # noqa: BLE001 - the border of a process
            fault = UsageError(f"the changes cannot be made: {type(error).__name__}: {error}")
        os.write(sender, pickle.dumps(fault))
        os._exit(0)
    os.close(sender)
    with os.fdopen(receiver, "rb") as file:
        reply = file.read()
    os.waitpid(child, 0)
    if not reply:  # The child was killed.
        _finish(kept)
        return
    fault = pickle.loads(reply)
    if fault is not None:
        raise fault


def _finish(kept: Path) -> bool:
    """Make the steps of the list that are not made yet; return whether there is a list.

    If one cannot be made, all are undone. The list is removed in any case. The caller holds the
    lock. Raises `ChangeRefused`.
    """
    steps = _read_steps(_step_list(kept))
    if not steps:
        return False
    change_set = _ChangeSet(steps)
    try:
        change_set.make()
        shutil.rmtree(kept, ignore_errors=True)
        (_work_folder(kept) / "old").rename(kept)
        _write_steps(_undo_list(kept), steps)
    except ChangeRefused:
        change_set.undo()
        raise
    except OSError as error:
        change_set.undo()
        reason = f"it cannot be written: {error.strerror}"
        raise ChangeRefused(Path(change_set.current_place), reason) from error
    finally:
        _step_list(kept).unlink(missing_ok=True)
        shutil.rmtree(_work_folder(kept), ignore_errors=True)
    return True


class _ChangeSet:
    """Steps that are made together, and undone together if one fails."""

    def __init__(self, steps: list[_Step]) -> None:
        self.steps = steps
        self.current_place = ""
        """The file that was looked at or changed last: an error is about it."""
        self._begun: list[_Step] = []
        """The steps that are made, or perhaps: one that failed may have changed its file."""
        self._new_folders = _missing_folders(steps)

    def make(self) -> None:
        """Make the steps that are not made yet.

        Raises `ChangeRefused` if a file has neither its old nor its new bytes, and `OSError`.
        """
        # All files are checked before the first one is changed.
        remaining: list[tuple[_Step, _FileStamp | None]] = []
        for step in self.steps:
            self.current_place = step.place
            present_hash = step.present_hash()
            if present_hash == step.new_hash:
                self._begun.append(step)
            elif present_hash == step.old_hash:
                remaining.append((step, _stamp_of(step.place)))
            else:
                raise ChangeRefused(Path(step.place), CHANGED_MEANWHILE)

        for step, checked_stamp in remaining:
            self.current_place = step.place
            with open_parent(Path(step.place), Path(step.root), makes=True) as (folder, name):
                if _stamp_of(name, folder) != checked_stamp:
                    raise ChangeRefused(Path(step.place), CHANGED_MEANWHILE)
                self._begun.append(step)
                step.make(folder, name)

    def undo(self) -> None:
        """Take the steps back, and remove the folders that were made for them."""
        for step in self._begun:
            step.undo()
        for folder in self._new_folders:
            with suppress(OSError):  # Something else is in it, or it was not made.
                folder.rmdir()


def _missing_folders(steps: list[_Step]) -> list[Path]:
    """Return the folders that steps would make, the deepest first."""
    missing = set()
    for step in steps:
        for folder in Path(step.place).parents:
            if not folder.exists():
                missing.add(folder)
    return sorted(missing, key=lambda folder: -len(folder.parts))


# --- Undoing the last set of changes ---


def undoing_changes(kept: Path) -> dict[str, FileChange]:
    """Return the changes that take the last set of changes back, by path below their root.

    Raises `UsageError` if there are none, and `ChangeRefused` if a file was changed since.
    """
    changes: dict[str, FileChange] = {}
    for step in _read_steps(_undo_list(kept)):
        path = f"/{Path(step.place).relative_to(step.root)}"
        old_version = kept / path.removeprefix("/")
        old_bytes = None
        if step.old and kept.is_dir():
            file = read_whole(old_version, kept, bounds.MOST_EDITED_BYTES)
            old_bytes = None if file is None else file[0]
        if _hash(old_bytes) != step.old_hash:
            msg = f"{kept}: the old version of {path} is gone or was changed; nothing is undone"
            raise UsageError(msg)

        old_text = None if old_bytes is None else decode_text(old_bytes).text
        change = FileChange.of(Path(step.root), path, old_text, old_bytes)
        if _hash(change.before) != step.new_hash:
            reason = f"it was changed since: nothing is undone; its old version is {old_version}"
            raise ChangeRefused(change.place, reason)
        changes[path] = change
    if not changes:
        msg = f"there is no change to undo: none was made with the journals in {kept.parent}"
        raise UsageError(msg)
    return changes


# --- Where a set of changes is kept ---


def _work_folder(kept: Path) -> Path:
    """Return the folder for the old and new versions of a set of changes, until it is made."""
    return kept.with_name(f"{kept.name}.new")


def _step_list(kept: Path, *, makes_folder: bool = False) -> Path:
    """Return the file with the steps of a set of changes that is being made."""
    return _state_file("changes", kept, makes_folder=makes_folder)


def _undo_list(kept: Path) -> Path:
    """Return the file with the steps of the last set of changes that was made."""
    return _state_file("changed", kept)


def _state_file(kind: str, kept: Path, *, makes_folder: bool = False) -> Path:
    """Return a file in the user's state folder, where nobody else can have written it.

    Each folder `kept` has its own: `controlplane/changes-3f9a0c12be45d678.json`.
    """
    digest = hashlib.sha256(os.fsencode(kept.absolute())).hexdigest()[:16]
    return state_path(f"controlplane/{kind}-{digest}.json", makes=makes_folder)


def _write_steps(file: Path, steps: list[_Step]) -> None:
    values = [astuple(step) for step in steps]
    write_whole(file, json.dumps(values).encode(), mode=0o600)


def _read_steps(file: Path) -> list[_Step]:
    """Return the steps of a list; none if there is no such file."""
    data = private_bytes(file.relative_to(state_path("")).as_posix(), bounds.MOST_UNDO_BYTES)
    return [_Step(*values) for values in json.loads(data or b"[]")]


def _hash(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()
