"""The host of `python -m controlplane.sandbox run`: lets a script work on a folder of the disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from controlplane.sandbox.files.citable_paths import CitablePaths
from controlplane.sandbox.files.directory_files import DirectoryFiles
from controlplane.sandbox.files.disk_files import remove_file, write_whole
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.files.folder_tools import FolderTools
from controlplane.sandbox.interface.error_codes import (
    INVALID_ARGUMENT,
    CallError,
    Refusal,
)
from controlplane.sandbox.interface.file_operations import FILE_OPERATIONS
from controlplane.sandbox.interface.host import Verify
from controlplane.sandbox.interface.plain_data import Plain
from controlplane.sandbox.interface.tool_schema import ToolSchema


class FolderHost:
    """Answers the calls of a script with the files of a folder, `root`.

    The file `docs/a.md` of the folder is `/docs/a.md` to the script. An answer is accepted
    if the script's own `verify`, a function that checks the answer, says yes.
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

        `canned` has fixed outputs of tools by path, as in `{"/bin/whoami": "ann"}`: nothing
        is executed. Unless `writes` is true, changes of files stay in memory.
        """
        self.submitted: dict[str, Any] | None = None
        """The script's answer with the replies of its `verify`; None until one is accepted."""
        self._disk = DirectoryFiles(root)
        """The files as they are on disk."""
        self._tree = FileTree(self._disk, directories=tuple(self._disk.directories))
        """The same files with all changes of the script."""
        if writes:
            self._tree.watch_changes(self._write_to_disk)
        self._citable = CitablePaths(self._disk)
        """The paths that the script read, changed or ran: an answer may cite only these."""
        self._tools = FolderTools(canned, now, self._tree, self._citable)
        self.tool_schema = ToolSchema(FILE_OPERATIONS, self._tools.executables())

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
                return self._tools.run(**cast("dict[str, Any]", arguments))
            # The sandbox only passes operations of `FILE_OPERATIONS`, with checked
            # arguments. Each of them except `exec` is a method of `FileTree`.
            method = getattr(self._tree, operation)
            result: dict[str, Plain] = method(**arguments)
        except OSError as error:
            reason = error.strerror or "the file cannot be reached"
            raise CallError(INVALID_ARGUMENT, reason) from None
        if operation in ("read", "write", "delete"):
            self._citable.add(str(arguments["path"]))
        return result

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
        """Return `path` in its normal form. Raises `Refusal` if it was not read."""
        return self._citable.cite(path, reason)

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
