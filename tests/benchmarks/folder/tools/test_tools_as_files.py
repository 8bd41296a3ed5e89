"""A tool that a task defines is also a file of the task, which shows its summary: "renews".

`runtime_with(calls, files)` is the world of a task with the tool `/bin/renew` and these files.
"""

import pytest

from controlplane.sandbox.interface import CallError
from tests.benchmarks.folder.tools.tool_runs import runtime_with


def test_a_tool_can_be_read_but_not_written_or_deleted() -> None:
    runtime = runtime_with([], files={})

    assert runtime.tree.read("/bin/renew")["content"] == "#!tool\nrenews\n"
    with pytest.raises(CallError):
        runtime.tree.write("/bin/renew", "")
    with pytest.raises(CallError):
        runtime.tree.delete("/bin/renew")
    assert runtime.tree.changes == {}


def test_a_tool_that_is_not_defined_cannot_be_run() -> None:
    """The task defines `/bin/renew` only."""
    runtime = runtime_with([], files={})

    with pytest.raises(CallError):
        runtime.call("exec", {"path": "/bin/none", "args": [], "stdin": ""})

    assert runtime.tree.changes == {}
