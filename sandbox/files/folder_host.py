"""A folder on disk as a script's world: its files behind a tree with an overlay, and a few tools."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

from sandbox.files.file_paths import normal_path
from sandbox.files.file_tree import FileTree
from sandbox.interface.error_codes import INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED
from sandbox.interface.file_operations import FILE_OPERATIONS
from sandbox.interface.host import Refusal, Verify, VerifyReply
from sandbox.interface.operations import CallError, Plain
from sandbox.interface.surface import Executable, ExecutableKind, Surface

MAX_FILE_BYTES: Final = 16_000_000
MAX_CAT_CHARS: Final = 4_000_000
MIN_REASON_CHARS: Final = 8


class DirectoryFiles(Mapping[str, str]):
    """The files below a directory by absolute path, read when asked for. Links that lead out of it are left out."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def on_disk(self, path: str) -> Path:
        """Return where a path lies on disk. Raises `KeyError` for one that would lie outside or in a circle, and for
        what is there and neither a file nor a directory: opening a pipe can take for ever."""
        place = Path(os.path.normpath(f"{self._root}/{path.lstrip('/')}"))
        try:
            real = (place.parent.resolve(), place.resolve())
        except RuntimeError:
            raise KeyError(path) from None
        if not all(each.is_relative_to(self._root) for each in real):
            raise KeyError(path)
        if place.exists() and not place.is_file() and not place.is_dir():
            raise KeyError(path)
        return place

    def __getitem__(self, path: str) -> str:
        place = self.on_disk(path)
        if not _is_file(place):
            raise KeyError(path)
        if place.stat().st_size > MAX_FILE_BYTES:
            msg = f"{path} has more than {MAX_FILE_BYTES} bytes"
            raise CallError(RESOURCE_EXHAUSTED, msg)
        return place.read_bytes().decode("utf-8", "replace")

    def __contains__(self, path: object) -> bool:
        try:
            return isinstance(path, str) and _is_file(self.on_disk(path))
        except KeyError:
            return False

    def __iter__(self) -> Iterator[str]:
        for folder, names, files in os.walk(self._root):
            names.sort()
            for name in sorted(files):
                path = "/" + Path(folder, name).relative_to(self._root).as_posix()
                if path in self:
                    yield path

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def directories(self) -> list[str]:
        """Return the paths of the directories, so that empty ones show too."""
        found = (Path(folder, name) for folder, names, _ in os.walk(self._root) for name in names)
        return ["/" + each.relative_to(self._root).as_posix() for each in found if not each.is_symlink()]


_ABSENT: Final = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


def _is_file(place: Path) -> bool:
    """Say whether a file is there. Raises `OSError` if the system objects, as pathlib does until Python 3.14."""
    try:
        return stat.S_ISREG(place.stat().st_mode)
    except OSError as error:
        if error.errno not in _ABSENT:
            raise
        return False


@dataclass(frozen=True, slots=True)
class Submitted:
    """What a script answered, and what its own verify said."""

    answer: Plain
    outcome: Plain
    refs_why: Plain
    verify: VerifyReply
    verify_blanked: VerifyReply


@dataclass
class FolderHost:
    """The parent's side for a script that runs alone: a folder, canned tools, a pinned clock. No gates are asked."""

    root: Path
    now: datetime
    canned: Mapping[str, str] = field(default_factory=dict)
    """Output of tools by path."""
    writes: bool = False
    """If set, writes and deletes reach the disk; else they stay in an overlay."""
    submitted: Submitted | None = None

    def __post_init__(self) -> None:
        self._files = DirectoryFiles(self.root)
        self._tree = FileTree(
            self._files, directories=self._files.directories(), on_change=self._to_disk if self.writes else _keep
        )
        self._known: set[str] = set()
        self._tools: dict[str, Callable[[list[str], str], dict[str, Plain]]] = {
            "/bin/date": lambda args, stdin: output(self.now.isoformat().replace("+00:00", "Z") + "\n"),
            "/bin/cat": self._cat,
            "/bin/sql": self._sql,
        }
        for path, text in self.canned.items():
            self._tools[normal_path(path)] = partial(_canned, text)
        self.surface = Surface(
            FILE_OPERATIONS, tuple(Executable(each, ExecutableKind.READS) for each in sorted(self._tools))
        )

    def call(self, operation: str, arguments: dict[str, Plain], *, in_verify: bool) -> dict[str, Plain]:
        """Make one call. Errors of the system are reported without places on disk, which scripts may not know."""
        try:
            if operation == "exec":
                return self._exec(**cast("dict[str, Any]", arguments))
            result: dict[str, Plain] = getattr(self._tree, operation)(**arguments)
        except OSError as error:
            raise CallError(INVALID_ARGUMENT, error.strerror or "the file cannot be reached") from None
        if operation in ("read", "write", "delete"):
            self._known.add(str(result["path"]))
        return result

    def cite(self, path: str, reason: str) -> str:
        """Accept a path that was read, with a reason. Raises `Refusal`."""
        if len(reason.strip()) < MIN_REASON_CHARS:
            msg = f"the reason has fewer than {MIN_REASON_CHARS} characters: {reason!r}"
            raise Refusal(msg)
        plain = normal_path(path.split("#", 1)[0])
        if plain not in self._known:
            msg = f"{path} was not read in this run"
            raise Refusal(msg)
        return path if "#" in path else plain

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        """Accept an answer once verify was asked. Raises `Refusal` if there is no verify to ask."""
        if not verify.is_callable or not verify.takes_one_argument:
            msg = "verify must be a function of one argument, the scratchpad"
            raise Refusal(msg)
        says = [verify.ask(blanked) for blanked in (False, True)]
        if not says[0].says_yes:
            msg = f"verify does not say yes{': ' + says[0].error if says[0].error else ''}"
            raise Refusal(msg)
        answer, outcome, refs_why = (scratchpad.get(each) for each in ("answer", "outcome", "refs_why"))
        self.submitted = Submitted(answer, outcome, refs_why, *says)

    def _exec(self, path: str, args: list[str], stdin: str) -> dict[str, Plain]:
        tool = self._tools.get(normal_path(path))
        if tool is None:
            msg = f"there is no tool {path}; there are {', '.join(sorted(self._tools))}"
            raise CallError(NOT_FOUND, msg)
        self._known.add(normal_path(path))
        return tool(args, stdin)

    def _cat(self, args: list[str], stdin: str) -> dict[str, Plain]:
        if not args:
            return output(stdin)
        parts: list[str] = []
        left = MAX_CAT_CHARS
        for path in args:
            try:
                parts.append(str(self._tree.read(path)["content"]))
                left -= len(parts[-1])
                if left < 0:
                    raise CallError(RESOURCE_EXHAUSTED, f"the output is longer than {MAX_CAT_CHARS} characters")
            except CallError as error:
                return output("".join(parts), f"cat: {error.message}\n", 1)
            self._known.add(normal_path(path))
        return output("".join(parts))

    def _sql(self, args: list[str], stdin: str) -> dict[str, Plain]:
        from sandbox.files.folder_sql import answer_query

        return output(*answer_query(self._tree, self._files.on_disk, " ".join(args) or stdin))

    def _to_disk(self, path: str, text: str | None) -> None:
        try:
            place = self._files.on_disk(path)
        except KeyError:
            msg = f"{path} leads out of the folder, or is no file"
            raise CallError(PERMISSION_DENIED, msg) from None
        if text is None:
            place.unlink()
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")


def _keep(path: str, text: str | None) -> None:
    """Leave a change to the overlay."""


def _canned(text: str, args: list[str], stdin: str) -> dict[str, Plain]:
    return output(text)


def output(stdout: str, stderr: str = "", exit_code: int = 0) -> dict[str, Plain]:
    """Return what a tool printed, as the result of a call."""
    return {"stdout": stdout, "stderr": stderr, "exit_code": exit_code}
