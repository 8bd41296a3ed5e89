"""Files on disk: written whole or not at all, and through no link; and a folder of them as a script's world.

A new file has a name that nobody foresees until it takes its place. Below a `root`, no part of a path is a link, so a
path leads to the place that its parts name.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, cast

from controlplane.sandbox.files.file_tree import FileTree, ListedFiles, normal_path
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    INVALID_ARGUMENT,
    NOT_FOUND,
    RESOURCE_EXHAUSTED,
    CallError,
    Refusal,
)
from controlplane.sandbox.interface.file_operations import FILE_OPERATIONS
from controlplane.sandbox.interface.host import Verify
from controlplane.sandbox.interface.operations import Plain
from controlplane.sandbox.interface.tool_schema import (
    Executable,
    ExecutableKind,
    FileArguments,
    ToolSchema,
)

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_READ_ONLY: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Waits for no pipe, and follows no link."""
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
PERMISSIONS: Final = 0o777
"""The part of a mode that a new version keeps; set-user-id and its like go."""


@contextmanager
def open_parent(
    place: Path, root: Path | None = None, *, makes: bool = False
) -> Iterator[tuple[int, str]]:
    """Yield the descriptor of the folder of `place`, made if it `makes` folders, and the name of `place` in it.

    With `root`, which is above `place`, neither is a link, nor a folder between. Raises `OSError`.
    """
    start = place.parent
    flags = _FOLDER
    parts: tuple[str, ...] = ()
    if root is not None:
        start = root
        flags |= os.O_NOFOLLOW
        parts = place.relative_to(root).parts[:-1]
    if makes:
        start.mkdir(parents=True, exist_ok=True)
    folder = os.open(start, flags)
    try:
        for part in parts:
            if makes:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=folder)
            try:
                below = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
            except NotADirectoryError as error:
                raise OSError(errno.ELOOP, f"{part} is a link or a file") from error
            os.close(folder)
            folder = below
        yield folder, place.name
    finally:
        os.close(folder)


def read_whole(place: Path, root: Path, most: int) -> tuple[bytes, int] | None:
    """Return a file's bytes and its mode; None if there is no file. Raises `OSError` for anything but a regular file of
    at most `most` bytes."""
    try:
        with open_parent(place, root) as (folder, name):
            descriptor = os.open(name, _READ_ONLY, dir_fd=folder)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a file")
        if status.st_size > most:
            raise OSError(errno.EFBIG, f"it is larger than {most:,} bytes")
        return file.read(most), stat.S_IMODE(status.st_mode)


def write_whole(
    place: Path, data: bytes, root: Path | None = None, *, mode: int = 0o666, replaces: bool = True
) -> None:
    """Write a file whole or not at all. It has the permissions of the file there; a new one has `mode`, less the umask.

    Raises `OSError`, also if there is something other than a file, or any file unless it `replaces` one.
    """
    part = f".{secrets.token_hex(8)}.part"
    with open_parent(place, root, makes=True) as (folder, name):
        mode_before = _mode_of(name, folder)
        if mode_before is not None and stat.S_ISLNK(mode_before):
            raise OSError(errno.ELOOP, "it is a link")
        if mode_before is not None and not stat.S_ISREG(mode_before):
            raise OSError(errno.ELOOP, "it is not a file")
        descriptor = os.open(part, _NEW_FILE, mode, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                if mode_before is not None:
                    os.fchmod(descriptor, mode_before & PERMISSIONS)
                file.write(data)
            if replaces:
                os.replace(part, name, src_dir_fd=folder, dst_dir_fd=folder)
            else:
                os.link(part, name, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(part, dir_fd=folder)


def _mode_of(name: str, folder: int) -> int | None:
    """Return the mode of what has this name in an open folder, links not followed; None if nothing has it."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None


def remove_file(place: Path, root: Path) -> None:
    """Remove a file below `root`. Raises `OSError`."""
    with open_parent(place, root) as (folder, name):
        os.unlink(name, dir_fd=folder)


CAT: Final = "/bin/cat"
MOST_FILE_BYTES: Final = 8_000_000
"""A file that a script may read: it is sent to the script's process."""


class DirectoryFiles(ListedFiles):
    """The files below a directory by absolute path, as they were listed first, read when requested. Links and pipes are
    left out."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.directories: list[str] = []
        """The paths of the directories, so that empty directories show too."""
        files: list[str] = []
        for folder, folder_names, file_names in os.walk(self.root):
            path = folder.removeprefix(str(self.root)).rstrip("/")
            if path.count("/") >= bounds.MOST_FOLDER_LEVELS:
                folder_names.clear()
            for name in folder_names:
                if not Path(folder, name).is_symlink():
                    self.directories.append(f"{path}/{name}")
            for name in file_names:
                if _is_listed(Path(folder, name)):
                    files.append(f"{path}/{name}")
        self.paths = dict.fromkeys(sorted(files, key=lambda path: path.split("/")))

    def __getitem__(self, path: str) -> str:
        if path not in self:
            raise KeyError(path)
        try:
            file = read_whole(self.root / path.lstrip("/"), self.root, MOST_FILE_BYTES)
        except OSError as error:
            raise CallError(INVALID_ARGUMENT, error.strerror or "the file cannot be read") from None
        if file is None:
            raise KeyError(path)
        return file[0].decode("utf-8", "replace")


def _is_listed(place: Path) -> bool:
    try:
        place.name.encode()
        return stat.S_ISREG(place.lstat().st_mode)
    except (OSError, UnicodeEncodeError):
        return False


class FolderHost:
    """The parent's side for a script that runs alone: a folder, canned tools, a pinned clock. No gates are asked.

    `canned` is the output of tools by path. With `writes`, changes reach the disk.
    """

    def __init__(
        self,
        root: Path,
        now: datetime,
        *,
        canned: Mapping[str, str] = MappingProxyType({}),
        writes: bool = False,
    ) -> None:
        self.submitted: dict[str, Any] | None = None
        """A script's answer, with the replies of its own verify."""
        self._disk = DirectoryFiles(root)
        self._tree = FileTree(self._disk, directories=tuple(self._disk.directories))
        if writes:
            self._tree.on_change = self._to_disk
        self._known: set[str] = set()
        self._canned = {"/bin/date": now.isoformat().replace("+00:00", "Z") + "\n"}
        for path, text in canned.items():
            self._canned[normal_path(path)] = text
        executables = []
        for tool in sorted({CAT, *self._canned}):
            opens_files = tool == CAT and tool not in self._canned
            files = FileArguments() if opens_files else None
            executables.append(Executable(tool, ExecutableKind.READS, files=files))
        self.tool_schema = ToolSchema(FILE_OPERATIONS, tuple(executables))

    def call(
        self, operation: str, arguments: dict[str, Plain], *, in_verify: bool
    ) -> dict[str, Plain]:
        """Make one call. System errors are reported without places on disk, which scripts may not know."""
        try:
            if operation == "exec":
                return self._exec(**cast("dict[str, Any]", arguments))
            result: dict[str, Plain] = getattr(self._tree, operation)(**arguments)
        except OSError as error:
            raise CallError(
                INVALID_ARGUMENT, error.strerror or "the file cannot be reached"
            ) from None
        if operation in ("read", "write", "delete"):
            self._known.add(normal_path(str(arguments["path"])))
        return result

    def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Plain]]]
    ) -> list[Mapping[str, Plain] | CallError]:
        """Raise `CallError`: no function is declared here that could ask."""
        raise CallError(
            INVALID_ARGUMENT,
            f"{len(calls)} calls side by side: only a benchmark's functions make these",
        )

    def cite(self, path: str, reason: str, quote: str = "") -> str:
        """Accept a path that was read, with a reason. Raises `Refusal`."""
        if len(reason.strip()) < bounds.LEAST_REASON_CHARS:
            msg = f"the reason has fewer than {bounds.LEAST_REASON_CHARS} characters: {reason!r}"
            raise Refusal(msg)
        whole_path = normal_path(path)
        if whole_path in self._known:
            return whole_path
        base, mark, fragment = path.partition("#")
        base_path = normal_path(base)
        if whole_path in self._disk or base_path not in self._known:
            msg = f"{path} was not read in this run"
            raise Refusal(msg)
        return base_path + mark + fragment

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        """Accept an answer after calling its verify. Raises `Refusal` if there is no verify to call."""
        if not verify.is_callable or not verify.takes_one_argument:
            msg = "verify must be a function of one argument, the scratchpad"
            raise Refusal(msg)
        reply = verify.ask(False)
        blanked_reply = verify.ask(True)
        if not reply.says_yes:
            msg = "verify does not say yes"
            if reply.error:
                msg += f": {reply.error}"
            raise Refusal(msg)
        self.submitted = {key: scratchpad.get(key) for key in ("answer", "outcome", "refs_why")}
        self.submitted["verify"] = reply._asdict()
        self.submitted["verify_blanked"] = blanked_reply._asdict()

    def _exec(self, path: str, args: list[str], stdin: str) -> dict[str, Plain]:
        tool = normal_path(path)
        tools = [declared.path for declared in self.tool_schema.executables]
        if tool not in tools:
            raise CallError(NOT_FOUND, f"there is no tool {path}; there are {', '.join(tools)}")
        self._known.add(tool)
        if tool in self._canned:
            return {"stdout": self._canned[tool], "stderr": "", "exit_code": 0}
        if not args:
            return {"stdout": stdin, "stderr": "", "exit_code": 0}
        return self._cat(args)

    def _cat(self, paths: list[str]) -> dict[str, Plain]:
        """Return the texts of files one after the other, as `cat` prints them."""
        text = ""
        for path in paths:
            try:
                text += str(self._tree.read(path)["content"])
            except CallError as error:
                return {"stdout": text, "stderr": f"cat: {error.message}\n", "exit_code": 1}
            if len(text) > bounds.MOST_OUTPUT_CHARS:
                msg = f"the output is longer than {bounds.MOST_OUTPUT_CHARS} characters"
                raise CallError(RESOURCE_EXHAUSTED, msg)
        for path in paths:
            self._known.add(normal_path(path))
        return {"stdout": text, "stderr": "", "exit_code": 0}

    def _to_disk(self, path: str, text: str | None) -> None:
        place = self._disk.root / path.lstrip("/")
        if text is None:
            remove_file(place, self._disk.root)
        else:
            write_whole(place, text.encode(), self._disk.root)
