"""The tools of `FolderHost`: some print a fixed text, and `cat` prints files."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final, NamedTuple

from controlplane.sandbox.files.citable_paths import CitablePaths
from controlplane.sandbox.files.file_paths import normal_path
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    NOT_FOUND,
    RESOURCE_EXHAUSTED,
    CallError,
)
from controlplane.sandbox.interface.executables import (
    Executable,
    ExecutableKind,
    FileArguments,
)
from controlplane.sandbox.interface.plain_data import Plain

CAT: Final = "/bin/cat"


class _Run(NamedTuple):
    """The result of a tool's run."""

    stdout: str
    stderr: str = ""
    exit_code: int = 0


class FolderTools:
    """Runs the tools that a script calls by `harness.exec("/bin/cat", ["/a.md"])`.

    Nothing is executed: `/bin/cat` is imitated, and every other tool prints a text that the
    user chose. The tool and the files that it read may then be cited as sources.
    """

    def __init__(
        self,
        canned: Mapping[str, str],
        now: datetime,
        tree: FileTree,
        citable: CitablePaths,
    ) -> None:
        """`canned` has the output of tools by path, as in `{"/bin/whoami": "ann"}`.

        `cat` reads in `tree`. Paths that a run reads are added to `citable`. `/bin/date`
        prints `now`, unless `canned` says otherwise.
        """
        self._canned = {"/bin/date": now.isoformat().replace("+00:00", "Z") + "\n"}
        for path, text in canned.items():
            self._canned[normal_path(path)] = text
        self._paths = sorted({CAT, *self._canned})
        self._tree = tree
        self._citable = citable

    def executables(self) -> tuple[Executable, ...]:
        """Return the declaration of each tool, sorted by path."""
        return tuple(self._executable(path) for path in self._paths)

    def _executable(self, path: str) -> Executable:
        """Return the declaration of one tool: it changes nothing, and `cat` opens its arguments."""
        # The user may have given `/bin/cat` a fixed output. Then it opens no files.
        opens_files = path == CAT and path not in self._canned
        files = FileArguments() if opens_files else None
        return Executable(path, ExecutableKind.READS, files=files)

    def run(self, path: str, args: list[str], stdin: str) -> dict[str, Plain]:
        """Run a tool, and return `{"stdout": "ann", "stderr": "", "exit_code": 0}`.

        A canned tool prints its text; `cat` prints the files in `args`, or else `stdin`.
        Raises `CallError` for an unknown tool, and for too long an output.
        """
        tool = normal_path(path)
        if tool not in self._paths:
            msg = f"there is no tool {path}; there are {', '.join(self._paths)}"
            raise CallError(NOT_FOUND, msg)
        self._citable.add(tool)  # An answer may rest on what a tool printed.
        if tool in self._canned:
            result = _Run(self._canned[tool])
        elif args:
            result = self._cat(args)
        else:
            result = _Run(stdin)
        return result._asdict()

    def _cat(self, paths: list[str]) -> _Run:
        """Print the texts of files one after the other, as `cat` does.

        At the first file that cannot be read, it stops with an error and exit code 1. Then no
        file becomes citable.
        """
        text = ""
        for path in paths:
            try:
                text += str(self._tree.read(path)["content"])
            except CallError as error:
                return _Run(text, f"cat: {error.message}\n", exit_code=1)
            if len(text) > bounds.MOST_OUTPUT_CHARS:
                msg = f"the output is longer than {bounds.MOST_OUTPUT_CHARS} characters"
                raise CallError(RESOURCE_EXHAUSTED, msg)
        for path in paths:
            self._citable.add(path)
        return _Run(text)
