"""An environment whose calls fail with given error codes, one after the other.

An environment is what a benchmark gives to a trial: files to read, and a place for the answer. Each
call takes 2 s by a clock of its own:

    failing = FailingEnvironment(["unavailable", SUCCESS])
    watched(failing, controls).call("read", {"path": "/a"})     raises CallError("unavailable")
    failing.clock_s                                             -> 2.0
"""

from collections.abc import Mapping, Sequence

from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.trials.trial_lifecycle import CallWatch, WatchedEnvironment
from controlplane.sandbox.interface import FILE_OPERATIONS, CallError, Plain, ToolSchema

SUCCESS = ""
"""In place of an error code: the call succeeds."""

CALL_S = 2.0
"""How long each call takes by the clock of the environment."""


class FailingEnvironment:
    """Its first call fails with the first of these error codes, its second call with the second."""

    tool_schema = ToolSchema(operations=FILE_OPERATIONS)

    def __init__(self, codes: list[str]) -> None:
        self.remaining_codes = list(codes)
        self.clock_s = 0.0

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        self.clock_s += CALL_S
        code = self.remaining_codes.pop(0)
        if code != SUCCESS:
            raise CallError(code, "the call failed")
        return {}

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.call("answer", {})

    def now(self) -> None:
        return None


def watched(failing: FailingEnvironment, controls: RunControls) -> WatchedEnvironment:
    """Return the environment as a trial gets it: a `CallWatch` sees each of its calls."""
    watch = CallWatch(controls, report_fault=print)
    return WatchedEnvironment(failing, failing.tool_schema, watch)
