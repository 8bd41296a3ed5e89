"""The host of `python -m controlplane.sandbox run`: lets a script work on a folder of the disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, cast

from controlplane.sandbox.files.disk_files import (
    DirectoryFiles,
    remove_file,
    write_whole,
)
from controlplane.sandbox.files.file_paths import normal_path
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    INVALID_ARGUMENT,
    NOT_FOUND,
    RESOURCE_EXHAUSTED,
    CallError,
    Refusal,
)
from controlplane.sandbox.interface.executables import (
    Executable,
    ExecutableKind,
    FileArguments,
)
from controlplane.sandbox.interface.file_operations import FILE_OPERATIONS
from controlplane.sandbox.interface.host import Verify
from controlplane.sandbox.interface.operations import Plain
from controlplane.sandbox.interface.tool_schema import ToolSchema

CAT: Final = "/bin/cat"


class FolderHost:
    """The host of a script that runs against a folder.

    Only the script's own `verify` checks its answer.

    `canned` has the output of tools by path, as in `{"/bin/whoami": "ann"}`. Unless
    `writes` is true, changes of files stay in memory.
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
        """The script's answer with the replies of its `verify`; None until one is accepted."""

        # 1. The files.
        self._disk = DirectoryFiles(root)
        self._tree = FileTree(self._disk, directories=tuple(self._disk.directories))
        if writes:
            self._tree.watch_changes(self._write_to_disk)
        self._citable: set[str] = set()
        """The paths that the script read, changed or ran. It may cite them as sources."""

        # 2. The tools: canned ones, which print a fixed text, and `cat`, which opens files.
        #    A canned `cat` prints its text, too, and opens none.
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
        """Make one call. Raises `CallError`.

        An error of the system is reported without the path on disk, which scripts may
        not know. `in_verify` (the script's `verify` makes the call) changes nothing here.
        """
        try:
            if operation == "exec":
                return self._exec(**cast("dict[str, Any]", arguments))
            # The sandbox only passes operations of `FILE_OPERATIONS`, with checked
            # arguments. Each of them except `exec` is a method of `FileTree`.
            method = getattr(self._tree, operation)
            result: dict[str, Plain] = method(**arguments)
        except OSError as error:
            raise CallError(
                INVALID_ARGUMENT, error.strerror or "the file cannot be reached"
            ) from None
        if operation in ("read", "write", "delete"):
            self._citable.add(normal_path(str(arguments["path"])))
        return result

    def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Plain]]]
    ) -> list[Mapping[str, Plain] | CallError]:
        """Raise `CallError`. Only functions of a benchmark make such calls; here are none."""
        raise CallError(
            INVALID_ARGUMENT,
            f"{len(calls)} calls side by side: only a benchmark's functions make these",
        )

    def cite(self, path: str, reason: str, quote: str = "") -> str:
        """Return `path` in its normal form. Raises `Refusal` if it was not read.

        A path may end with a fragment, which is kept: `docs/a.md#limits` -> `/docs/a.md#limits`.
        """
        if len(reason.strip()) < bounds.LEAST_REASON_CHARS:
            msg = f"the reason has fewer than {bounds.LEAST_REASON_CHARS} characters: {reason!r}"
            raise Refusal(msg)

        not_read = Refusal(f"{path} was not read in this run")

        # 1. The name of a file may contain `#`. So take the path as it is first.
        whole_path = normal_path(path)
        if whole_path in self._citable:
            return whole_path
        if whole_path in self._disk:
            raise not_read

        # 2. There is no such file, so `#` begins a fragment.
        file_path, mark, fragment = path.partition("#")
        cited_path = normal_path(file_path)
        if cited_path not in self._citable:
            raise not_read
        return cited_path + mark + fragment

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        """Accept an answer if the script's `verify` says yes. Raises `Refusal`.

        `verify` is also called for a blank answer, to which it should say no. That reply
        is reported, but decides nothing.
        """
        if not verify.is_callable or not verify.takes_one_argument:
            msg = "verify must be a function of one argument, the scratchpad"
            raise Refusal(msg)
        reply = verify.ask(False)  # on the scratchpad as it was submitted
        blanked_reply = verify.ask(True)  # on one without an answer
        if not reply.says_yes:
            msg = "verify does not say yes"
            if reply.error:
                msg += f": {reply.error}"
            raise Refusal(msg)
        self.submitted = {
            key: scratchpad.get(key) for key in ("answer", "outcome", "refs_why")
        }
        self.submitted["verify"] = reply._asdict()
        self.submitted["verify_blanked"] = blanked_reply._asdict()

    def _exec(self, path: str, args: list[str], stdin: str) -> dict[str, Plain]:
        """Run a tool: return its canned output, or do as `cat`."""
        tool = normal_path(path)
        tools = [executable.path for executable in self.tool_schema.executables]
        if tool not in tools:
            raise CallError(
                NOT_FOUND, f"there is no tool {path}; there are {', '.join(tools)}"
            )
        self._citable.add(tool)  # An answer may rest on what a tool printed.
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
                return {
                    "stdout": text,
                    "stderr": f"cat: {error.message}\n",
                    "exit_code": 1,
                }
            if len(text) > bounds.MOST_OUTPUT_CHARS:
                msg = f"the output is longer than {bounds.MOST_OUTPUT_CHARS} characters"
                raise CallError(RESOURCE_EXHAUSTED, msg)
        for path in paths:
            self._citable.add(normal_path(path))
        return {"stdout": text, "stderr": "", "exit_code": 0}

    def _write_to_disk(self, path: str, text: str | None) -> None:
        """Write a changed file, or remove it if `text` is None."""
        place = self._disk.root / path.lstrip("/")
        if text is None:
            remove_file(place, self._disk.root)
        else:
            write_whole(place, text.encode(), self._disk.root)
