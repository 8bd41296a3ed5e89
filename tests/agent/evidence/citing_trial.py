"""A trial whose calls have chosen results, and the files that it may cite after them.

    trial.read("/docs/Loans.md", "A loan runs 21 days.")
    trial.can_cite("/docs/Loans.md", reason="a loan runs 21 days")   # -> True
    trial.can_cite("/docs/Loans.md", reason="a loan runs 90 days")   # -> False: the file does not say so

A script may try to be shown its own words: it writes "a loan runs 90 days" into a new file, reads the
file, and cites it. Words that the script itself has written or passed to a tool do not count.
"""

from collections.abc import Mapping

from controlplane.sandbox.interface import CallError, Plain, ToolSchema
from tests.gates.judged_scratchpads import (
    TOOL_SCHEMA,
    CallsOfTrial,
    judge_scratchpad,
    rejecting_gates,
    valid_scratchpad,
)
from tests.support.ended_calls import add_call

# Calls of a trial whose results a test chooses, so that the environment may show anything.
#
#     trial.read("/docs/Loans.md", "A loan runs 21 days.")
#     trial.run("/bin/show", "/docs/Loans.md", stdout="A loan runs 21 days.")
#
# No environment is asked. The evidence log gets each call as if it had been made with this result.


class ChosenCalls:
    """Records calls with the results that a test chooses."""

    def __init__(self, tool_schema: ToolSchema = TOOL_SCHEMA) -> None:
        self.calls = CallsOfTrial(tool_schema)

    def call(
        self, operation: str, arguments: dict[str, Plain], result: Mapping[str, Plain]
    ) -> None:
        """Make any call."""
        self.calls.record(operation, arguments, result)

    def fail(self, operation: str, arguments: dict[str, Plain], code: str) -> None:
        """Make a call that fails with an error code.

        The code `unknown` leaves open whether the environment has done what was asked.
        """
        error = CallError(code, "the desk is closed")
        add_call(self.calls.evidence_log, operation, arguments, None, error)

    def run(
        self,
        path: str,
        *arguments: str,
        stdin: str = "",
        stdout: str = "",
        stderr: str = "",
        exit_code: int = 0,
    ) -> None:
        """Run a program that prints `stdout`, and errors to `stderr`."""
        call_arguments = {"path": path, "args": list(arguments), "stdin": stdin}
        result = {"stdout": stdout, "stderr": stderr, "exit_code": exit_code}
        self.call("exec", call_arguments, result)

    def read(self, path: str, content: str) -> None:
        """Read a file of which the environment shows this content."""
        arguments = {"path": path, "start_line": 0, "end_line": 0}
        result = {"path": path, "content": content, "truncated": False}
        self.call("read", arguments, result)

    def write(self, path: str, content: str) -> None:
        """Write a file. No hash is given, so the file may be new or an old one."""
        arguments = {"path": path, "content": content, "if_match_sha256": ""}
        self.call("write", arguments, {"path": path})

    def delete(self, path: str) -> None:
        self.call("delete", {"path": path}, {"path": path})

    def list(self, folder: str, *files: str) -> None:
        """List a folder that has these files, given by their full paths."""
        entries: list[Plain] = []
        for file in files:
            name = file.rpartition("/")[2]
            entries.append({"name": name, "path": file, "is_dir": False})
        self.call("list", {"path": folder}, {"entries": entries})

    def find(self, path: str) -> None:
        """Search for files by their names, and find only the one at this path."""
        arguments = {"name": "*", "root": "/", "kind": "all", "limit": 0}
        self.call("find", arguments, {"paths": [path]})


FORM_GATE = 3
"""The gate that rejects a citation for its form."""

READ_GATE = 4
"""The gate that rejects a citation if no call has read the file."""

REASON_GATE = 5
"""The gate that rejects a citation if no call has shown what its reason names."""


class CitingTrial(ChosenCalls):
    """Makes calls, such as `read(path, content)`, and tells which files can then be cited."""

    def can_cite(self, path: str, reason: str) -> bool:
        """Return True if the script's function `cite` and the gates accept the citation.

        `cite` must also keep the path as it is. It could correct the spelling instead, and so
        cite another file.
        """
        try:
            cited_place = self.calls.cite(path, reason)
        except ValueError:
            return False
        if cited_place.spelling != path:
            return False
        rejecting = self._gates_that_reject(path, reason)
        return rejecting.isdisjoint({FORM_GATE, READ_GATE, REASON_GATE})

    def can_quote(self, path: str, quotation: str) -> bool:
        """Return True if `cite` accepts a quotation from what calls have shown at this path."""
        try:
            self.calls.cite(path, "as it says", quotation)
        except ValueError:
            return False
        return True

    def has_shown(self, path: str, reason: str) -> bool:
        """Return True if a call has shown at this path what the reason names."""
        return REASON_GATE not in self._gates_that_reject(path, reason)

    def _gates_that_reject(self, path: str, reason: str) -> set[int]:
        """Return the gates that reject a submission with this citation."""
        reasons_by_path = {path: reason}
        scratchpad = valid_scratchpad(refs_why=reasons_by_path)
        return set(rejecting_gates(judge_scratchpad(scratchpad, self.calls)))
