r"""A trial in an environment with a call that moves files and folders.

    trial = MovingTrial()
    trial.write("/drafts/own.md", "the request is\napproved by the board")
    trial.move("/drafts", "/docs")
    trial.read_second_line("/docs/own.md", "approved by the board")
    trial.counts_as_read("/docs/own.md")   # -> False: the text may be the script's own

Only a part of the file is read, so what the script wrote does not equal what it reads.
"""

from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Parameter,
    ToolSchema,
)
from tests.gates.library_workspace import TOOL_SCHEMA
from tests.gates.recorded_calls import CallsOfTrial

MOVE = Operation(
    name="move",
    parameters=(Parameter("path", "str"), Parameter("to", "str")),
    fields=(),
    summary="moves a file or a folder",
    effect=Effect.MOVES,
    target="to",
)


class MovingTrial(CallsOfTrial):
    """The calls of a trial in an environment with the call `move`."""

    def __init__(self) -> None:
        super().__init__(ToolSchema((*TOOL_SCHEMA.operations, MOVE)))

    def move(self, path: str, to: str) -> None:
        """Move a file or a folder."""
        arguments = {"path": path, "to": to}
        self.evidence_log.add_call("move", arguments, result={}, error=None)

    def move_with_timeout(self, path: str, to: str) -> None:
        """Call `move` and get no reply in time: the file may have been moved, or not."""
        arguments = {"path": path, "to": to}
        timeout = CallError("deadline_exceeded", "late")
        self.evidence_log.add_call("move", arguments, result=None, error=timeout)

    def read_second_line(self, path: str, line: str) -> None:
        """Read the second line of a file, and no other."""
        result = {"path": path, "content": line}
        self.record("read", {"path": path, "start_line": 2}, result)

    def counts_as_read(self, path: str) -> bool:
        """Return True if an answer may say that the trial has read the file at this path."""
        return "read" in self.access_to(path).actions

    def has_proof(self, path: str) -> bool:
        """Return True if an answer may cite the file for a text that was read at this path."""
        return any(text.is_proof for text in self.access_to(path).seen)
