"""Calls of a trial in the library workspace, and the evidence that they give.

The gates believe an answer only as far as the results of calls support it. These are kept in an
evidence log: after `calls.read("/docs/Loans.md")`, a submission may cite this file.
"""

from __future__ import annotations

from controlplane.sandbox.interface import ToolSchema
from tests.gates.call_recorder import CallRecorder
from tests.gates.library_workspace import FILES, TOOL_SCHEMA


class CallsOfTrial(CallRecorder):
    """Makes calls as a trial would, and records them with their results in an evidence log.

    `calls.read("/docs/Loans.md")` is a call of a trial that read this file. The methods that make
    a call return the log's notes on it, which the model would see.
    """

    def __init__(self, tool_schema: ToolSchema = TOOL_SCHEMA) -> None:
        super().__init__(tool_schema)
        self._changed_texts: dict[str, str | None] = {}
        """The texts of files that the trial wrote, and None for files that it deleted."""

    def read(self, *paths: str) -> tuple[str, ...]:
        """Read files of the workspace, with the texts that the trial may have written into them.

        A file that is not in `FILES` has the text `text of <path>`. To read a deleted file fails.
        """
        notes: list[str] = []
        for path in paths:
            original_text = FILES.get(path, f"text of {path}")
            content = self._changed_texts.get(path, original_text)
            if content is None:
                self.fail("read", path, "not_found")
            else:
                notes += self.read_text(path, content)
        return tuple(notes)

    def read_text(
        self, path: str, content: str, *, truncated: bool = False
    ) -> tuple[str, ...]:
        """Read any file, which has this content; only the first part of it if `truncated`."""
        result = {"path": path, "content": content, "truncated": truncated}
        return self.record("read", {"path": path}, {**result, "sha256": "0" * 64})

    def list_folder(
        self, folder: str, *files: str, folders: tuple[str, ...] = ()
    ) -> tuple[str, ...]:
        """List a folder that has these files and folders, given by their full paths."""
        entries: list[dict[str, object]] = []
        for path in (*files, *folders):
            name = path.rpartition("/")[2]
            entries.append({"name": name, "path": path, "is_dir": path in folders})
        return self.record("list", {"path": folder}, {"entries": entries})

    def run(
        self, path: str, *arguments: str, stdout: str = "", exit_code: int = 0
    ) -> tuple[str, ...]:
        """Run a program, which prints `stdout`."""
        result = {"stdout": stdout, "stderr": "", "exit_code": exit_code}
        return self.record("exec", {"path": path, "args": list(arguments)}, result)

    def write(self, path: str, content: str = "new text") -> tuple[str, ...]:
        """Write a file; `read` then returns this content."""
        self._changed_texts[path] = content
        return self.record("write", {"path": path, "content": content}, {"path": path})

    def delete(self, path: str) -> tuple[str, ...]:
        """Delete a file; `read` then fails."""
        self._changed_texts[path] = None
        return self.record("delete", {"path": path}, {"path": path})
