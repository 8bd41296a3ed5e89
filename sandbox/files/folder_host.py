"""The host of `python -m controlplane.sandbox run`: lets a script work on a folder of the disk."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, cast

from controlplane.sandbox.files.disk_files import read_whole, remove_file, write_whole
from controlplane.sandbox.files.file_paths import normal_path
from controlplane.sandbox.files.file_tree import FileTree, TextFiles
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

# The files of a folder on the disk, read when they are asked for.

_MOST_FILE_BYTES: Final = 8_000_000
"""The largest file that a script may read. Its text is sent to the script's process."""


class _DirectoryFiles(TextFiles):
    """The texts of the files below a directory, by path.

    The file `root/docs/a.md` has the path `/docs/a.md`. The paths are listed once, at the
    start. A text is read from disk whenever it is requested. Links, pipes and other
    special files are left out.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.directories: list[str] = []
        """The paths of all directories, which include empty ones."""
        files: list[str] = []
        for folder, folder_names, file_names in os.walk(self.root):
            path = folder.removeprefix(str(self.root)).rstrip("/")
            if path.count("/") >= bounds.MOST_FOLDER_LEVELS:
                folder_names.clear()  # `os.walk` goes no deeper then.
            for name in folder_names:
                if not Path(folder, name).is_symlink():
                    self.directories.append(f"{path}/{name}")
            for name in file_names:
                if _is_listed(Path(folder, name)):
                    files.append(f"{path}/{name}")
        # Sorted by their parts, so that the files of a folder stand together: `/a/x` before `/a-b`.
        files.sort(key=lambda path: path.split("/"))
        # A dict finds a path at once, and keeps the order.
        self.paths = dict.fromkeys(files)

    def __getitem__(self, path: str) -> str:
        """Return the text of a file.

        Raises `KeyError` if there is no such file, as a mapping does, and `CallError`
        if there is one that cannot be read.
        """
        if path not in self:
            raise KeyError(path)
        try:
            file = read_whole(self.root / path.lstrip("/"), self.root, _MOST_FILE_BYTES)
        except OSError as error:
            raise CallError(
                INVALID_ARGUMENT, error.strerror or "the file cannot be read"
            ) from None
        if file is None:
            raise KeyError(path)
        return file[0].decode("utf-8", "replace")


def _is_listed(place: Path) -> bool:
    """Return True if a place is a regular file whose name is text in UTF-8."""
    try:
        place.name.encode()
        return stat.S_ISREG(place.lstat().st_mode)
    except (OSError, UnicodeEncodeError):
        return False


_CAT: Final = "/bin/cat"


class FolderHost:
    """Answers the calls of a script with the files of a folder, `root`.

    The file `docs/a.md` of the folder is `/docs/a.md` to the script. Nothing is executed: the tool
    `/bin/cat` is imitated, and every other tool prints a text that the user chose. An answer is
    accepted if the script's own `verify`, a function that checks the answer, says yes.
    """

    def __init__(
        self,
        root: Path,
        now: datetime,
        *,
        canned: Mapping[str, str] = MappingProxyType({}),
        writes: bool = False,
    ) -> None:
        """Fix the time of scripts at `now`, and read the paths of the folder.

        `canned` has fixed outputs of tools by path, as in `{"/bin/whoami": "ann"}`. `/bin/date`
        prints `now`, unless `canned` says otherwise. Unless `writes` is true, changes of files stay
        in memory.
        """
        self.submitted: dict[str, Any] | None = None
        """The script's answer with the replies of its `verify`; None until one is accepted."""
        self._disk = _DirectoryFiles(root)
        """The files as they are on disk."""
        self._tree = FileTree(self._disk, directories=tuple(self._disk.directories))
        """The same files with all changes of the script."""
        if writes:
            self._tree.watch_changes(self._write_to_disk)
        self._citable: set[str] = set()
        """The paths that the script read, changed or ran: an answer may cite only these."""

        self._canned = {"/bin/date": now.isoformat().replace("+00:00", "Z") + "\n"}
        for path, text in canned.items():
            self._canned[normal_path(path)] = text
        self._tools = sorted({_CAT, *self._canned})
        executables = tuple(self._executable(path) for path in self._tools)
        self.tool_schema = ToolSchema(FILE_OPERATIONS, executables)

    def _executable(self, path: str) -> Executable:
        """Return the declaration of one tool: it changes nothing, and `cat` opens its arguments."""
        # The user may have given `/bin/cat` a fixed output. Then it opens no files.
        opens_files = path == _CAT and path not in self._canned
        files = FileArguments() if opens_files else None
        return Executable(path, ExecutableKind.READS, files=files)

    def call(
        self, operation: str, arguments: dict[str, Plain], *, in_verify: bool
    ) -> dict[str, Plain]:
        """Make one call of the script and return its result. Raises `CallError` if it fails.

        For `harness.stat("/a.md")`, `operation` is `stat`, and `arguments` `{"path": "/a.md"}`.
        An error of the system is reported without the path on disk, which scripts may not
        know. `in_verify` (the call comes from the script's `verify`) makes no difference here.
        """
        try:
            if operation == "exec":
                return self._run(**cast("dict[str, Any]", arguments))
            # The sandbox only passes operations of `FILE_OPERATIONS`, with checked
            # arguments. Each of them except `exec` is a method of `FileTree`.
            method = getattr(self._tree, operation)
            result: dict[str, Plain] = method(**arguments)
        except OSError as error:
            reason = error.strerror or "the file cannot be reached"
            raise CallError(INVALID_ARGUMENT, reason) from None
        if operation in ("read", "write", "delete"):
            self._citable.add(normal_path(str(arguments["path"])))
        return result

    def _run(self, path: str, args: list[str], stdin: str) -> dict[str, Plain]:
        """Run a tool, and return `{"stdout": "ann", "stderr": "", "exit_code": 0}`.

        A canned tool prints its text; `cat` prints the files in `args`, or else `stdin`.
        Raises `CallError` for an unknown tool, and for too long an output.
        """
        tool = normal_path(path)
        if tool not in self._tools:
            msg = f"there is no tool {path}; there are {', '.join(self._tools)}"
            raise CallError(NOT_FOUND, msg)
        self._citable.add(tool)  # An answer may rest on what a tool printed.
        stdout = self._canned.get(tool, stdin)
        stderr = ""
        if tool not in self._canned and args:
            stdout, stderr = self._cat(args)
        return {"stdout": stdout, "stderr": stderr, "exit_code": 1 if stderr else 0}

    def _cat(self, paths: list[str]) -> tuple[str, str]:
        """Return what `cat` prints: the texts of files one after the other, and its error.

        At the first file that cannot be read, it stops with an error. Then no file becomes citable.
        """
        text = ""
        for path in paths:
            try:
                text += str(self._tree.read(path)["content"])
            except CallError as error:
                return text, f"cat: {error.message}\n"
            if len(text) > bounds.MOST_OUTPUT_CHARS:
                msg = f"the output is longer than {bounds.MOST_OUTPUT_CHARS} characters"
                raise CallError(RESOURCE_EXHAUSTED, msg)
        self._citable.update(map(normal_path, paths))
        return text, ""

    def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Plain]]]
    ) -> list[Mapping[str, Plain] | CallError]:
        """Refuse several calls at once by a `CallError`.

        Only functions of a benchmark make such calls, and there are none here.
        """
        raise CallError(
            INVALID_ARGUMENT,
            f"{len(calls)} calls side by side: only a benchmark's functions make these",
        )

    def cite(self, path: str, reason: str, quote: str = "") -> str:
        """Return `path` in its normal form. Raises `Refusal` if it was not read.

        A path may end with a fragment, which is kept: `docs/a.md#limits` -> `/docs/a.md#limits`.
        """
        if not bounds.is_full_reason(reason):
            msg = f"the reason has fewer than {bounds.LEAST_REASON_CHARS} characters: {reason!r}"
            raise Refusal(msg)

        # 1. The name of a file may contain `#`. So take the path as it is first.
        whole_path = normal_path(path)
        if whole_path in self._citable:
            return whole_path

        # 2. If there is no such file, `#` begins a fragment.
        file_path, mark, fragment = path.partition("#")
        cited_path = normal_path(file_path)
        if whole_path in self._disk or cited_path not in self._citable:
            msg = f"{path} was not read in this run"
            raise Refusal(msg)
        return cited_path + mark + fragment

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        """Accept an answer if the script's `verify` says yes. Raises `Refusal`.

        `verify` is also called for a blank answer, to which it should say no. That reply
        is reported, but decides nothing.
        """
        if not verify.is_callable or not verify.takes_one_argument:
            msg = "verify must be a function of one argument, the scratchpad"
            raise Refusal(msg)
        # The argument is True for a call with a blank answer.
        reply = verify.ask(False)
        blanked_reply = verify.ask(True)
        if not reply.says_yes:
            msg = "verify does not say yes"
            if reply.error:
                msg += f": {reply.error}"
            raise Refusal(msg)
        self.submitted = {
            "answer": scratchpad.get("answer"),
            "outcome": scratchpad.get("outcome"),
            "refs_why": scratchpad.get("refs_why"),
            "verify": reply._asdict(),
            "verify_blanked": blanked_reply._asdict(),
        }

    def _write_to_disk(self, path: str, text: str | None) -> None:
        """Write a changed file, or remove it if `text` is None."""
        place = self._disk.root / path.lstrip("/")
        if text is None:
            remove_file(place, self._disk.root)
        else:
            write_whole(place, text.encode(), self._disk.root)
