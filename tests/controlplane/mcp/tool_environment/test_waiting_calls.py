"""A call of a tool that never replies ends with its script's step, or with its trial.

A trial is a task that a model works on, and a step is one script of it. Both have a time limit: the
call then fails with "db.look gave no answer within ...".
"""

import time
from pathlib import Path

import pytest

from controlplane.agent.loop import TrialClock
from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import with_tools
from controlplane.sandbox.interface import CallError, bounds
from tests.controlplane.mcp.empty_environment import EmptyEnvironment
from tests.controlplane.mcp.small_servers import small_server

LONGEST_WAIT = f"{bounds.TOOL_CALL_S:g} s"
"""How long a call waits where neither a step nor a trial ends before: "60 s"."""

NO_ANSWER_IN_TIME = rf"db\.look gave no answer within (?!{LONGEST_WAIT})"
"""A pattern for an error that names a shorter time than that."""


def test_call_waits_no_longer_than_the_step_of_its_script(tmp_path: Path) -> None:
    """The script may run for 0.6 s more, and the tool never replies."""
    clock = TrialClock()
    access = ToolAccess({"db": small_server(tmp_path)})
    with with_tools(EmptyEnvironment(), access, clock) as environment:
        clock.end_calls_at(time.monotonic() + 0.6)
        with pytest.raises(CallError, match=NO_ANSWER_IN_TIME):
            environment.call("db.look", {})


def test_call_waits_no_longer_than_its_trial(tmp_path: Path) -> None:
    """The second call begins when the time of the trial is already over."""
    clock = TrialClock(limit_s=0.6)
    access = ToolAccess({"db": small_server(tmp_path)})
    with with_tools(EmptyEnvironment(), access, clock) as environment:
        for _ in range(2):
            with pytest.raises(CallError, match=NO_ANSWER_IN_TIME):
                environment.call("db.look", {})
