"""A tool of the shop that was stopped for taking too long is run a second time, and not a third.

Such a run has the exit code 124, and what it has printed may be incomplete.
`WorkspaceReader(harness).run("/bin/id")` returns what the tool prints: "Herbert".
"""

import pytest

from controlplane.benchmarks.shop.workspace.workspace_reader import WorkspaceReader
from controlplane.sandbox.functions import CannotRead
from tests.benchmarks.shop.workspace_reader.chosen_outcomes import HarnessWithOutcomes


def test_a_tool_that_timed_out_is_run_once_more() -> None:
    timed_out = {"stdout": "Herb", "stderr": "", "exit_code": 124}
    success = {"stdout": "Herbert", "stderr": "", "exit_code": 0}
    harness = HarnessWithOutcomes({("exec", "/bin/id"): [timed_out, success]})

    output = WorkspaceReader(harness).run("/bin/id")

    assert output == "Herbert"
    two_calls = [["exec"], ["exec"]]
    assert harness.batches == two_calls


def test_a_tool_that_timed_out_twice_has_failed() -> None:
    timed_out = {"stdout": "Herb", "stderr": "", "exit_code": 124}
    harness = HarnessWithOutcomes({("exec", "/bin/id"): [timed_out, timed_out]})

    with pytest.raises(CannotRead, match="/bin/id ended with exit code 124"):
        WorkspaceReader(harness).run("/bin/id")

    two_calls = [["exec"], ["exec"]]
    assert harness.batches == two_calls
