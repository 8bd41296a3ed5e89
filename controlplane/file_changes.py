"""Changes of the user's files, made as a whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import pickle
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, Literal, NoReturn, TypeAlias

from controlplane.errors import ControlPlaneError, UsageError
from controlplane.journal.state_files import open_regular, private_bytes, state_path
from controlplane.sandbox.files import (
    PERMISSIONS,
    open_parent,
    read_whole,
    remove_file,
    write_whole,
)
from controlplane.sandbox.interface import bounds
from controlplane.text_files import FileText, decode_text

# A step of a set of changes: it changes one file, and can be undone.


def _hash_of(data: bytes | None) -> str:
    """Return the SHA-256 of the bytes of a file; empty if there is none."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class _ChangeStep:
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
        return _hash_of(None if file is None else file[0])

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


# The change of one file of the user.


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
    part = root
    for name in place.relative_to(root).parts:
        part = part / name
        if part.is_symlink():
            reason = (
                f"{part} is a symbolic link to {part.readlink()}, and changes follow "
                "no link; change the file itself, if it may be written"
            )
            raise ChangeRefused(place, reason)


# What a set of changes meets and makes on disk.

_CHANGED_MEANWHILE: Final = (
    "it was changed meanwhile; ask again to work on it as it is now"
)


def _stamp_of(path: str, folder: int | None = None) -> tuple[int, int, int] | None:
    """Return a file's inode, time of change and size; None if it does not exist.

    One of them changes whenever a file is replaced or written to, and they can be read faster than a
    hash of the file. `path` is relative to the open folder `folder`, if that is given.
    """
    try:
        status = os.lstat(path, dir_fd=folder)
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_ctime_ns, status.st_size


def _missing_folders(steps: list[_ChangeStep]) -> list[Path]:
    """Return the folders that the steps will create, the deepest first."""
    missing = set()
    for step in steps:
        for folder in Path(step.place).parents:
            if not folder.exists():
                missing.add(folder)
    return sorted(missing, key=lambda folder: -len(folder.parts))


# A set of changes on disk, from its preparation until it can be undone.
#
# 1. `prepare` copies the old and the new bytes of every file to a work folder. The step
#    list, a JSON file, says which file gets which bytes.
# 2. `make` makes the steps of the list: each moves one new file into its place.
# 3. It then writes the steps to the undo list, moves the old versions to a folder of their own,
#    and removes the step list.
#
# If the process is killed after 1, a later process finds the step list and does 2 and 3, as far
# as they are not done. So a set of changes is never made in part.


_ListKind: TypeAlias = Literal["changes", "changed"]
"""The beginning of a list's name: `changes` for steps that are being made, `changed` for those that
were made last, from which they can be undone."""


@dataclass(frozen=True, slots=True)
class PreparedChanges:
    """The files on disk that belong to a set of changes.

    The caller holds the lock by which only one process changes files at a time.
    """

    old_versions: Path
    """The folder that keeps the files as they were before the
    last changes. The paths of all other files follow from it."""

    @property
    def exist(self) -> bool:
        """True if changes are prepared and not made yet."""
        return state_path(self.list_name("changes")).exists()

    @property
    def work_folder(self) -> Path:
        """The folder that holds the old and new versions while changes are being made."""
        return self.old_versions.with_name(f"{self.old_versions.name}.new")

    @property
    def _old_copies(self) -> Path:
        """The old versions in the work folder, under the paths of their files."""
        return self.work_folder / "old"

    def list_name(self, kind: _ListKind) -> str:
        """Return the path of a JSON file with steps, in the user's state folder.

        Only the user can write there. Each folder of old versions has lists of its own, with a hash
        of the folder's path in their names: `controlplane/changes-3f9a0c12be45d678.json`.
        """
        folder = os.fsencode(self.old_versions.absolute())
        digest = hashlib.sha256(folder).hexdigest()[:16]
        return f"controlplane/{kind}-{digest}.json"

    def steps(self, kind: _ListKind) -> list[_ChangeStep]:
        """Return the steps of a list; none if its file does not exist."""
        data = private_bytes(self.list_name(kind), bounds.MOST_UNDO_BYTES)
        return [_ChangeStep(*values) for values in json.loads(data or b"[]")]

    def write_steps(
        self,
        kind: _ListKind,
        steps: Sequence[_ChangeStep],
        *,
        makes_folder: bool = False,
    ) -> None:
        """Write a list of steps. Raises `OSError`."""
        path = state_path(self.list_name(kind), makes=makes_folder)
        values = [astuple(step) for step in steps]
        write_whole(path, json.dumps(values).encode(), mode=0o600)

    def prepare(
        self,
        changes: Mapping[str, FileChange],
        new_bytes: Mapping[str, bytes | None],
    ) -> None:
        """Copy the old and the new versions to the work folder, and then write the step list.

        The step list comes last, because any process that finds it makes the changes.
        Raises `UsageError` if something cannot be written.

        `new_bytes` has the new bytes of each file, by the same keys as `changes`; None to delete it.
        """
        shutil.rmtree(self.work_folder, ignore_errors=True)
        try:
            if self.old_versions.is_symlink():
                raise OSError(errno.ELOOP, "it is a link")
            # `make` later moves this folder to keep the old versions. So it is made even if all
            # files are new and it stays empty.
            self._old_copies.mkdir(parents=True, exist_ok=True, mode=0o700)
            steps = []
            for number, (path, change) in enumerate(changes.items()):
                steps.append(self._copied_step(number, path, change, new_bytes[path]))
            # Put the copies on disk first: after a crash of the machine, the step list
            # must name no file that is lost.
            os.sync()
            self.write_steps("changes", steps, makes_folder=True)
        except OSError as error:
            shutil.rmtree(self.work_folder, ignore_errors=True)
            msg = f"{self.old_versions} cannot be written: {error.strerror}; nothing is written"
            raise UsageError(msg) from error

    def _copied_step(
        self, number: int, path: str, change: FileChange, new_bytes: bytes | None
    ) -> _ChangeStep:
        """Copy the old and the new version of a file, and return the step that changes it.

        Raises `OSError`.
        """
        root = self.old_versions.parent
        permissions = change.mode & PERMISSIONS
        old_copy = self._old_copies / path.lstrip("/")
        new_copy = self.work_folder / "new" / str(number)
        if change.old_bytes is not None:
            # Make a copy and not a hard link, which would change with the file if a program
            # edits the file in place.
            write_whole(old_copy, change.old_bytes, root, mode=0o600)
            old_copy.chmod(permissions)
        if new_bytes is not None:
            write_whole(new_copy, new_bytes, root)
            if change.old_bytes is not None:
                new_copy.chmod(permissions)
        return _ChangeStep(
            place=str(change.place),
            root=str(change.root),
            old_copy=str(old_copy) if change.old_bytes is not None else "",
            new_copy=str(new_copy) if new_bytes is not None else "",
            old_hash=_hash_of(change.old_bytes),
            new_hash=_hash_of(new_bytes),
        )

    def make(self) -> bool:
        """Make the remaining steps of the step list. Return True if there is a list.

        If a step cannot be made, all steps are undone. The list is removed in any case.
        Raises `ChangeRefused` if a file has neither its old bytes (from before the step) nor its
        new ones, or cannot be written.
        """
        steps = self.steps("changes")
        if not steps:
            return False

        new_folders = _missing_folders(steps)
        # Those that are made, and one that failed: it may have changed its file.
        steps_to_undo: list[_ChangeStep] = []
        # The file that was checked or changed last. An `OSError` is about this file.
        place = Path()
        try:
            # 1. Check all files before the first one is changed. One that has its new bytes was
            #    changed by an earlier process, which was killed before the others.
            stamps: dict[_ChangeStep, tuple[int, int, int] | None] = {}
            for step in steps:
                place = Path(step.place)
                present_hash = step.present_hash()
                if present_hash == step.new_hash:
                    steps_to_undo.append(step)
                elif present_hash == step.old_hash:
                    stamps[step] = _stamp_of(step.place)
                else:
                    raise ChangeRefused(place, _CHANGED_MEANWHILE)

            # 2. Change them. The stamp shows if a file has changed since. It is read in no time,
            #    while another program could change the file as long as it is hashed again.
            for step, checked_stamp in stamps.items():
                place = Path(step.place)
                with open_parent(place, Path(step.root), create_folders=True) as parent:
                    folder, name = parent
                    if _stamp_of(name, folder) != checked_stamp:
                        raise ChangeRefused(place, _CHANGED_MEANWHILE)
                    steps_to_undo.append(step)
                    step.make(folder, name)

            # 3. Keep the old versions. They are moved last: until then, the files can be restored
            #    from them. If they are gone, an earlier process was killed after it had moved them.
            self.write_steps("changed", steps)
            if self._old_copies.exists():
                shutil.rmtree(self.old_versions, ignore_errors=True)
                self._old_copies.rename(self.old_versions)
        except (ChangeRefused, OSError) as error:
            for step in steps_to_undo:
                step.undo()
            for new_folder in new_folders:
                with suppress(OSError):  # The folder is not empty, or was not created.
                    new_folder.rmdir()
            if isinstance(error, ChangeRefused):
                raise
            reason = f"it cannot be written: {error.strerror}"
            raise ChangeRefused(place, reason) from error
        finally:
            state_path(self.list_name("changes")).unlink(missing_ok=True)
            shutil.rmtree(self.work_folder, ignore_errors=True)
        return True


# Makes sets of changes of files, each as a whole or not at all.

_CHANGES_LOCK: Final = "controlplane/changes.lock"
"""A file in the user's state folder. A process locks it while it changes files."""


def make_changes(changes: Mapping[str, FileChange], old_versions: Path) -> None:
    """Make all changes, or none. The keys are the paths of the files below their roots.

    The folder `old_versions` keeps the files as they were, under the same paths.
    What it held before is deleted. A child process makes the changes, and goes on
    if this process is killed. If both are killed, a later call of `finish_changes`
    makes the remaining ones.

    Raises `ChangeRefused` if a file has changed meanwhile, cannot be written, or its
    encoding lacks a character, and `UsageError` if the old versions cannot be kept.
    """
    new_bytes = {path: change.new_bytes for path, change in changes.items()}
    prepared = PreparedChanges(old_versions)
    with _changes_lock():
        prepared.make()  # Finish the changes of a process that was killed, if any.
        prepared.prepare(changes, new_bytes)
        _make_in_child_process(prepared)


def finish_changes(old_versions: Path) -> bool:
    """Make the remaining changes of a process that was killed. Return True if there were any.

    If one cannot be made, all are undone. Raises as `make_changes` does.
    """
    prepared = PreparedChanges(old_versions)
    if not prepared.exist:
        return False
    with _changes_lock():
        return prepared.make()


@contextmanager
def _changes_lock() -> Iterator[None]:
    """Wait until no other process of this user changes files, and keep the others waiting.

    Without the lock, two processes could both find a file unchanged, and the second
    would overwrite the change of the first. A forked child shares the lock: if this
    process is killed, the lock is held until the child ends. Raises `UsageError`.
    """
    try:
        path = state_path(_CHANGES_LOCK, makes=True)
        file = open_regular(path, os.O_WRONLY | os.O_CREAT)
    except (OSError, RuntimeError) as error:
        msg = f"no file can be changed safely: the user's state folder cannot be written: {error}"
        raise UsageError(msg) from error
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make_in_child_process(prepared: PreparedChanges) -> None:
    """Make the prepared changes in a child process, which goes on if this process is killed.

    Raises `ChangeRefused` and `UsageError`, as the child reports them. If the child is
    killed before it reports, this process makes the remaining changes.

    The child is forked, because a worker of a process pool would wait for more work,
    and never end, if this process were killed.
    """
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        _make_and_report(prepared, sender)

    os.close(sender)
    with os.fdopen(receiver, "rb") as file:
        report = file.read()
    os.waitpid(child, 0)
    if not report:
        prepared.make()
        return
    reported_error: ControlPlaneError | None = pickle.loads(report)
    if reported_error is not None:
        raise reported_error


def _make_and_report(prepared: PreparedChanges, sender: int) -> NoReturn:
    """Make the prepared changes, write the error or None to the pipe `sender`, and exit.

    This is all that the child process does. It never returns to the code of its parent.
    """
    error_to_report: ControlPlaneError | None = None
    try:
        # In a session of its own, the child does not get signals for the parent's group,
        # such as Ctrl-C.
        os.setsid()
        prepared.make()
    except ControlPlaneError as error:
        error_to_report = error
    except BaseException as error:  # noqa: BLE001 - the border of a process
        text = f"the changes cannot be made: {type(error).__name__}: {error}"
        error_to_report = UsageError(text)
    os.write(sender, pickle.dumps(error_to_report))
    os._exit(0)


# Finds the changes that undo the last set of changes.


def undoing_changes(old_versions: Path) -> dict[str, FileChange]:
    """Return the changes that undo the last set of changes, by path below the changed folder.

    Raises `UsageError` if there is nothing to undo,
    and `ChangeRefused` if a file was changed since.
    """
    changes: dict[str, FileChange] = {}
    for step in PreparedChanges(old_versions).steps("changed"):
        path = f"/{Path(step.place).relative_to(step.root)}"
        old_version = old_versions / path.lstrip("/")
        # The old version must still be what the step replaced.
        old_bytes = None
        if step.old_copy and old_versions.is_dir():
            file = read_whole(old_version, old_versions, bounds.MOST_EDITED_BYTES)
            old_bytes = None if file is None else file[0]
        if _hash_of(old_bytes) != step.old_hash:
            msg = f"{old_versions}: the old version of {path} is gone or was changed; nothing is undone"
            raise UsageError(msg)

        # The present file must still be what the step made of it.
        old_text = None if old_bytes is None else decode_text(old_bytes).text
        change = FileChange.of(
            Path(step.root), path, old_text, restored_bytes=old_bytes
        )
        if _hash_of(change.old_bytes) != step.new_hash:
            reason = f"it was changed since: nothing is undone; its old version is {old_version}"
            raise ChangeRefused(change.place, reason)
        changes[path] = change
    if not changes:
        msg = f"there is no change to undo: none was made with the journals in {old_versions.parent}"
        raise UsageError(msg)
    return changes
