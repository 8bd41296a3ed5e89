"""Decodes the user's text files in their own encodings, and changes files without
losing a byte.

A file is decoded as UTF-8, as UTF-16, or in the charset that `charset-normalizer`
detects. An encoding is used only if encoding the text again gives the same bytes;
Latin-1, the last choice, always does. A set of changes is made as a whole or not at
all.
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
from typing import Final, NoReturn

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
"""The charsets besides Unicode's that are detected. Other charsets are rare in text
files."""
CYRILLIC: Final = ("cp1251", "koi8_r")
"""Charsets that are often detected by mistake, so that the text is checked for Cyrillic
words."""
SAMPLED_BYTES: Final = 32_768
"""The number of bytes of a file that are examined to detect its encoding."""
LEAST_ZERO_SHARE: Final = 0.4
"""A text may be UTF-16 in a Latin script if at least this share of its byte pairs have
a zero byte in the same place."""
MOST_STRAY_ZERO_SHARE: Final = 0.04
"""At most this share of the byte pairs of a UTF-16 text have a zero byte in the other
place."""
LEAST_READABLE_SHARE: Final = 0.98
"""At least this share of the characters of a UTF-16 text are printable or white
space."""
BOMS: Final = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


class ChangeRefused(ControlPlaneError):
    """A change is refused because it would harm a file or cannot be written. No file is
    changed."""

    exit_code = 1

    def __init__(self, place: Path, reason: str) -> None:
        super().__init__(f"{place}: {reason}")
        self.place = place
        self.reason = reason

    def __reduce__(self) -> tuple[type[ChangeRefused], tuple[Path, str]]:
        """Pickle the error: the process that makes changes sends it to the process that
        asked."""
        return ChangeRefused, (self.place, self.reason)


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file, and how the file stores it: encoding, byte-order mark and
    line ends."""

    text: str
    encoding: str = "utf-8"
    bom: bytes = b""
    has_crlf: bool = False
    """Every line ends with a carriage return and a line feed."""

    @property
    def form(self) -> str:
        """The encoding and line ends in words, such as `cp1252, CRLF`; empty for plain
        UTF-8."""
        parts = []
        if self.bom:
            parts.append(f"{self.encoding} with a byte-order mark")
        elif self.encoding != "utf-8":
            parts.append(self.encoding)
        if self.has_crlf:
            parts.append("CRLF")
        return ", ".join(parts)

    def encode(self, text: str) -> bytes:
        """Return the bytes of another text in the same encoding, with the same line
        ends.

        Raises `ValueError` if the encoding lacks a character. The message is a
        predicate, such as `is written in cp1252, which has no '→' (line 3)`.
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
    """Return the text of a file with its encoding. Encoding the text again gives the
    same bytes."""
    for encoding, bom in _likely_forms(data):
        text = _decoded(data[len(bom) :], encoding)
        if text is not None:
            line_ends = text.count("\n")
            has_crlf = line_ends > 0 and text.count("\r\n") == line_ends
            return FileText(text, encoding, bom, has_crlf=has_crlf)
    msg = "Latin-1 fits any bytes"
    raise AssertionError(msg)


def is_text(head: bytes) -> bool:
    """Return True if the first bytes of a file are text: they have no zero byte, or are
    UTF-16."""
    if b"\0" not in head:
        return True
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return True
    return bool(_utf_16_of(head))


def _likely_forms(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield possible encodings, each with its byte-order mark, the likeliest first.

    The last one can decode any bytes.
    """
    for bom, encoding in BOMS.items():
        if data.startswith(bom):
            yield encoding, bom
    utf_16 = _utf_16_of(data)
    if utf_16:
        yield utf_16, b""
    yield "utf-8", b""
    yield _detected(data), b""  # Detection is slow, so it comes late.
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
    """Return the UTF-16 encoding of a text without a byte-order mark; empty if it is
    not UTF-16.

    UTF-16 stores a character in a pair of bytes. For a Latin letter, one of them is
    zero: `A` is `00 41` in big-endian order, and `41 00` in little-endian order.
    """
    sample = head[:SAMPLED_BYTES]
    if len(sample) % 2:
        sample = sample[:-1]
    pairs = max(len(sample) // 2, 1)
    first_zeros = sample[0::2].count(0) / pairs
    second_zeros = sample[1::2].count(0) / pairs

    # Many zeros must be in one place of the pairs, and almost none in the other.
    if max(first_zeros, second_zeros) < LEAST_ZERO_SHARE:
        return ""
    if min(first_zeros, second_zeros) > MOST_STRAY_ZERO_SHARE:
        return ""
    encoding = "utf-16-be" if first_zeros > second_zeros else "utf-16-le"

    # Binary data may have zeros at such places, too, but not as readable text.
    text = sample.decode(encoding, "replace")
    readable_count = 0
    for character in text:
        if character.isprintable() or character.isspace():
            readable_count += 1
    if readable_count > LEAST_READABLE_SHARE * len(text):
        return encoding
    return ""


def _detected(data: bytes) -> str:
    """Return the most likely charset, judged by the lines with bytes outside ASCII."""
    from charset_normalizer import from_bytes  # slow to import, and seldom needed

    lines = [line for line in data.split(b"\n") if not line.isascii()]
    sample = b"\n".join(lines)[:SAMPLED_BYTES]
    guess = from_bytes(sample, cp_isolation=list(CHARSETS)).best()

    # cp1252, the most common charset, replaces two guesses: one that gives the same
    # text, and a Cyrillic one for words that are not Cyrillic.
    if guess is None or str(guess) == sample.decode("cp1252", "ignore"):
        return "cp1252"
    if guess.encoding in CYRILLIC and not _has_cyrillic_words(sample):
        if _decoded(sample, "cp1252"):
            return "cp1252"
    return guess.encoding


def _has_cyrillic_words(sample: bytes) -> bool:
    """Return True if three bytes outside ASCII follow one another, as in Cyrillic
    words.

    In Western languages, letters with accents rarely follow one another.
    """
    return re2.search(r"[\x80-\xff]{3}", sample.decode("latin-1")) is not None


@dataclass(frozen=True)
class FileChange:
    """A change of one file: its present bytes and its new text.

    `make_changes` takes a set of them, and makes all or none.
    """

    place: Path
    """The path of the file."""
    root: Path
    """The folder that contains `place`. No part of the path below it is a symbolic
    link."""
    old_bytes: bytes | None
    """The present bytes; None if the file does not exist."""
    mode: int
    """The file's mode; 0 if the file does not exist."""
    new_text: str | None
    """The new text; None deletes the file."""
    restored_bytes: bytes | None = None
    """The exact new bytes, if an old version is restored. None: the new text is encoded
    as the present file is."""

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
        if any(part.startswith(".") for part in place.relative_to(root).parts):
            raise ChangeRefused(place, "a part of the path is hidden")
        link = _link_in(place, root)
        if link is not None:
            reason = f"{link} is a symbolic link to {link.readlink()}, and changes follow no link"
            raise ChangeRefused(
                place, f"{reason}; change the file itself, if it may be written"
            )

        try:
            file = read_whole(place, root, bounds.MOST_EDITED_BYTES)
        except OSError as error:
            raise ChangeRefused(
                place, f"it cannot be changed: {error.strerror}"
            ) from error
        if file is None:
            return cls(place, root, None, 0, new_text, restored_bytes)
        old_bytes, mode = file
        return cls(place, root, old_bytes, mode, new_text, restored_bytes)

    @cached_property
    def old_file(self) -> FileText:
        """The present text with its encoding; an empty text in UTF-8 if the file does
        not exist."""
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


def _link_in(place: Path, root: Path) -> Path | None:
    """Return the first part of a path below `root` that is a symbolic link, or None."""
    part = root
    for name in place.relative_to(root).parts:
        part = part / name
        if part.is_symlink():
            return part
    return None


# --- Making a set of changes ---

# 1. `_prepare` copies the old and the new bytes of every file to a work folder. The step list, a
#    JSON file, says which file gets which bytes.
# 2. `_make_prepared_changes` makes the steps of the list: each moves one new file into its place.
# 3. It then moves the old versions to a folder of their own, and the step list becomes the undo
#    list, from which `undoing_changes` takes the changes back.
#
# If the process is killed after 1, a later process finds the step list and does 2 and
# 3. So a set of changes is never made in part. The parameter `old_versions` of these
# functions is the folder of step 3. The paths of the lists and of the work folder are
# derived from its path.

CHANGED_MEANWHILE: Final = (
    "it was changed meanwhile; ask again to work on it as it is now"
)
CHANGES_LOCK: Final = "controlplane/changes.lock"
"""A file in the user's state folder. A process locks it while it changes files."""


@dataclass(frozen=True, slots=True)
class _Step:
    """The change of one file. In a step list, it is a JSON array of these fields in
    this order."""

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

    def present_hash(self) -> str:
        """Return the SHA-256 of the present file; empty if it does not exist."""
        file = read_whole(Path(self.place), Path(self.root), bounds.MOST_EDITED_BYTES)
        return _hash(None if file is None else file[0])

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


@dataclass(frozen=True, slots=True)
class _FileStamp:
    """Values that change whenever a file is replaced or written to.

    They can be read faster than a hash of the file.
    """

    inode: int
    changed_at_ns: int
    size: int


def _stamp_of(path: str, folder: int | None = None) -> _FileStamp | None:
    """Return the stamp of a file; None if it does not exist.

    `path` is relative to the open folder `folder`, if that is given.
    """
    try:
        status = os.lstat(path, dir_fd=folder)
    except FileNotFoundError:
        return None
    return _FileStamp(status.st_ino, status.st_ctime_ns, status.st_size)


def make_changes(changes: Mapping[str, FileChange], old_versions: Path) -> None:
    """Make all changes, or none. The keys are the paths of the files below their roots.

    The folder `old_versions` keeps the files as they were, under the same paths. What
    it held before is deleted. A child process makes the changes, and goes on if this
    process is killed. If both are killed, a later call of `finish_changes` makes the
    remaining ones.

    Raises `ChangeRefused` if a file has changed meanwhile, cannot be written, or its
    encoding lacks a character, and `UsageError` if the old versions cannot be kept.
    """
    new_bytes = {path: change.new_bytes for path, change in changes.items()}
    with _changes_lock():
        _make_prepared_changes(old_versions)  # Those of a process that was killed.
        _prepare(changes, new_bytes, old_versions)
        _make_in_child_process(old_versions)


def finish_changes(old_versions: Path) -> bool:
    """Make the remaining changes of a process that was killed. Return True if there
    were any.

    If one cannot be made, all are undone. Raises `ChangeRefused` and `UsageError` as
    `make_changes` does.
    """
    if not _step_list(old_versions).exists():
        return False
    with _changes_lock():
        return _make_prepared_changes(old_versions)


@contextmanager
def _changes_lock() -> Iterator[None]:
    """Wait until no other process of this user changes files, and keep the others
    waiting.

    Without the lock, two processes could both find a file unchanged, and the second
    would overwrite the change of the first. A forked child shares the lock: if this
    process is killed, the lock is held until the child ends. Raises `UsageError`.
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


def _prepare(
    changes: Mapping[str, FileChange],
    new_bytes: Mapping[str, bytes | None],
    old_versions: Path,
) -> None:
    """Copy the old and the new versions to the work folder, and then write the step
    list.

    The step list comes last, because any process that finds it makes the changes.
    Raises `UsageError` if something cannot be written.
    """
    work_folder = _work_folder(old_versions)
    shutil.rmtree(work_folder, ignore_errors=True)
    try:
        if old_versions.is_symlink():
            raise OSError(errno.ELOOP, "it is a link")
        old_copies = work_folder / "old"
        # The folder is needed even if all files are new: it becomes that of the old
        # versions.
        old_copies.mkdir(parents=True, exist_ok=True, mode=0o700)
        steps = []
        for number, (path, change) in enumerate(changes.items()):
            step = _prepared_step(
                change,
                new_bytes[path],
                old_copy=old_copies / path.lstrip("/"),
                new_copy=work_folder / "new" / str(number),
                root=old_versions.parent,
            )
            steps.append(step)
        # Put the copies on disk first: after a crash of the machine, the step list must
        # name no file that is lost.
        os.sync()
        _write_steps(_step_list(old_versions, makes_folder=True), steps)
    except OSError as error:
        shutil.rmtree(work_folder, ignore_errors=True)
        msg = f"{old_versions} cannot be written: {error.strerror}; nothing is written"
        raise UsageError(msg) from error


def _prepared_step(
    change: FileChange,
    new_bytes: bytes | None,
    *,
    old_copy: Path,
    new_copy: Path,
    root: Path,
) -> _Step:
    """Copy the old and the new version of a file, and return the step that changes it.

    Both copies are below `root`. Raises `OSError`.
    """
    if change.old_bytes is not None:
        # A copy, as a hard link would change with a file that a program edits in place.
        write_whole(old_copy, change.old_bytes, root, mode=0o600)
        old_copy.chmod(change.mode & PERMISSIONS)
    if new_bytes is not None:
        write_whole(new_copy, new_bytes, root)
        if change.old_bytes is not None:
            new_copy.chmod(change.mode & PERMISSIONS)
    return _Step(
        place=str(change.place),
        root=str(change.root),
        old_copy=str(old_copy) if change.old_bytes is not None else "",
        new_copy=str(new_copy) if new_bytes is not None else "",
        old_hash=_hash(change.old_bytes),
        new_hash=_hash(new_bytes),
    )


def _make_in_child_process(old_versions: Path) -> None:
    """Make the prepared changes in a child process, which goes on if this process is
    killed.

    Raises `ChangeRefused` and `UsageError`, as the child reports them. If the child is
    killed before it reports, this process makes the remaining changes.

    The child is forked, because a worker of a process pool would wait for more work,
    and never end, if this process were killed.
    """
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        _make_and_report(old_versions, sender)

    os.close(sender)
    with os.fdopen(receiver, "rb") as file:
        report = file.read()
    os.waitpid(child, 0)
    if not report:
        _make_prepared_changes(old_versions)
        return
    reported_error: ControlPlaneError | None = pickle.loads(report)
    if reported_error is not None:
        raise reported_error


def _make_and_report(old_versions: Path, sender: int) -> NoReturn:
    """Make the prepared changes, write the error or None to the pipe `sender`, and
    exit.

    This is all that the child process does.
    """
    error_to_report: ControlPlaneError | None = None
    try:
        os.setsid()  # A signal for the parent's group, such as Ctrl-C, does not reach the child.
        _make_prepared_changes(old_versions)
    except ControlPlaneError as error:
        error_to_report = error
    except BaseException as error:  # noqa: BLE001 - the border of a process
        text = f"the changes cannot be made: {type(error).__name__}: {error}"
        error_to_report = UsageError(text)
    os.write(sender, pickle.dumps(error_to_report))
    os._exit(0)


def _make_prepared_changes(old_versions: Path) -> bool:
    """Make the remaining steps of the list. Return True if there is a list.

    If a step cannot be made, all are undone. The list is removed in any case. The
    caller holds the lock. Raises `ChangeRefused`.
    """
    step_list = _step_list(old_versions)
    work_folder = _work_folder(old_versions)
    steps = _read_steps(step_list)
    if not steps:
        return False

    change_set = _ChangeSet(steps)
    try:
        change_set.make()
        _keep_old_versions(work_folder / "old", old_versions)
        _write_steps(_undo_list(old_versions), steps)
    except ChangeRefused:
        change_set.undo()
        raise
    except OSError as error:
        change_set.undo()
        reason = f"it cannot be written: {error.strerror}"
        raise ChangeRefused(Path(change_set.current_place), reason) from error
    finally:
        step_list.unlink(missing_ok=True)
        shutil.rmtree(work_folder, ignore_errors=True)
    return True


def _keep_old_versions(copies: Path, old_versions: Path) -> None:
    """Replace the folder of old versions by the copies. Raises `OSError`."""
    shutil.rmtree(old_versions, ignore_errors=True)
    copies.rename(old_versions)


class _ChangeSet:
    """The steps of one step list, which are made together. `undo` takes them back if
    one fails."""

    def __init__(self, steps: list[_Step]) -> None:
        self.steps = steps
        self.current_place = ""
        """The file that was checked or changed last. An `OSError` that `make` raises is
        about this file."""
        self._steps_to_undo: list[_Step] = []
        """The steps that are made, and one that failed: it may have changed its
        file."""
        self._new_folders = _missing_folders(steps)

    def make(self) -> None:
        """Make the steps that are not made yet.

        Raises `ChangeRefused` if a file has neither its old nor its new bytes, and
        `OSError`.
        """
        # 1. Check all files before changing the first one.
        remaining: list[tuple[_Step, _FileStamp | None]] = []
        for step in self.steps:
            self.current_place = step.place
            present_hash = step.present_hash()
            if present_hash == step.new_hash:
                # A process that was killed has made this step.
                self._steps_to_undo.append(step)
            elif present_hash == step.old_hash:
                remaining.append((step, _stamp_of(step.place)))
            else:
                raise ChangeRefused(Path(step.place), CHANGED_MEANWHILE)

        # 2. Change them. Right before each change, the file's stamp shows whether the file is still
        #    the one that was checked. Hashing the file again would take longer, and another program
        #    could change the file meanwhile.
        for step, checked_stamp in remaining:
            self.current_place = step.place
            with open_parent(
                Path(step.place), Path(step.root), create_folders=True
            ) as (
                folder,
                name,
            ):
                if _stamp_of(name, folder) != checked_stamp:
                    raise ChangeRefused(Path(step.place), CHANGED_MEANWHILE)
                self._steps_to_undo.append(step)
                step.make(folder, name)

    def undo(self) -> None:
        """Undo the made steps, and remove the folders that were created for them."""
        for step in self._steps_to_undo:
            step.undo()
        for folder in self._new_folders:
            with suppress(OSError):  # The folder is not empty, or was not created.
                folder.rmdir()


def _missing_folders(steps: list[_Step]) -> list[Path]:
    """Return the folders that the steps will create, the deepest first."""
    missing = set()
    for step in steps:
        for folder in Path(step.place).parents:
            if not folder.exists():
                missing.add(folder)
    return sorted(missing, key=lambda folder: -len(folder.parts))


# --- Undoing the last set of changes ---


def undoing_changes(old_versions: Path) -> dict[str, FileChange]:
    """Return the changes that undo the last set of changes, by path below the changed
    folder.

    Raises `UsageError` if there is nothing to undo, and `ChangeRefused` if a file was
    changed since.
    """
    changes: dict[str, FileChange] = {}
    for step in _read_steps(_undo_list(old_versions)):
        path_below_root = Path(step.place).relative_to(step.root)
        path = f"/{path_below_root}"
        old_version = old_versions / path_below_root

        # The old version must still be what the step replaced.
        old_bytes = None
        if step.old_copy and old_versions.is_dir():
            file = read_whole(old_version, old_versions, bounds.MOST_EDITED_BYTES)
            old_bytes = None if file is None else file[0]
        if _hash(old_bytes) != step.old_hash:
            msg = f"{old_versions}: the old version of {path} is gone or was changed; nothing is undone"
            raise UsageError(msg)

        # The present file must still be what the step made of it.
        old_text = None if old_bytes is None else decode_text(old_bytes).text
        change = FileChange.of(
            Path(step.root), path, old_text, restored_bytes=old_bytes
        )
        if _hash(change.old_bytes) != step.new_hash:
            reason = f"it was changed since: nothing is undone; its old version is {old_version}"
            raise ChangeRefused(change.place, reason)
        changes[path] = change
    if not changes:
        msg = f"there is no change to undo: none was made with the journals in {old_versions.parent}"
        raise UsageError(msg)
    return changes


# --- The files that a set of changes uses ---


def _work_folder(old_versions: Path) -> Path:
    """Return the folder that holds the old and new versions while changes are being
    made."""
    return old_versions.with_name(f"{old_versions.name}.new")


def _step_list(old_versions: Path, *, makes_folder: bool = False) -> Path:
    """Return the file with the steps of the changes that are being made."""
    return _state_file("changes", old_versions, makes_folder=makes_folder)


def _undo_list(old_versions: Path) -> Path:
    """Return the file with the steps of the last changes, from which they can be
    undone."""
    return _state_file("changed", old_versions)


def _state_file(kind: str, old_versions: Path, *, makes_folder: bool = False) -> Path:
    """Return a file in the user's state folder, which only the user can write.

    Each folder of old versions has a file of its own, with a hash of the folder's path
    in its name: `controlplane/changes-3f9a0c12be45d678.json`.
    """
    digest = hashlib.sha256(os.fsencode(old_versions.absolute())).hexdigest()[:16]
    return state_path(f"controlplane/{kind}-{digest}.json", makes=makes_folder)


def _write_steps(file: Path, steps: list[_Step]) -> None:
    values = [astuple(step) for step in steps]
    write_whole(file, json.dumps(values).encode(), mode=0o600)


def _read_steps(file: Path) -> list[_Step]:
    """Return the steps in a file; none if the file does not exist."""
    data = private_bytes(
        file.relative_to(state_path("")).as_posix(), bounds.MOST_UNDO_BYTES
    )
    return [_Step(*values) for values in json.loads(data or b"[]")]


def _hash(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()
