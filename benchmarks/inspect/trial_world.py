"""The world of a trial of Inspect: the tools of a sample, for scripts to call.

Which tools there are is known only after the sample's solvers have run.
"""

from __future__ import annotations

from functools import partial

from controlplane import TaskEnvironment
from controlplane.benchmarks.inspect.solver_runs import PreparedSample
from controlplane.inspect_support import tool_of_inspect


def world_of(prepared: PreparedSample) -> TaskEnvironment:
    """Return the world of a sample whose solvers have asked the model.

    Its `state` is the prepared sample, which grading needs.
    """
    from inspect_ai.tool import ToolDef

    state = prepared.task_state
    run_tool = partial(prepared.context.result_of, state=state)
    tools = [tool_of_inspect(ToolDef(tool), run_tool) for tool in state.tools]
    return TaskEnvironment(tools, state=prepared)
