"""Makes the object that carries out the replies of one trial's model.

It needs to know what the checks of the benchmark permit, and what the start of the conversation (the
*opening*) has shown already:

    runner = new_tool_runner(session, bindings, parts, helper, opening, permission)
    runner.run([read_call, write_call])      makes these calls
    runner.run([completion_call])            submits the answer
"""

from __future__ import annotations

from collections.abc import Collection

from controlplane.agent.events import ConversationOpened
from controlplane.agent.exoskeleton.answer.assembly import Assembly
from controlplane.agent.exoskeleton.answer.reference_parts import reference_check_of
from controlplane.agent.exoskeleton.bindings import SolverBindings
from controlplane.agent.exoskeleton.calls.operation_calls import OperationCalls
from controlplane.agent.exoskeleton.calls.tool_runner import ToolRunner
from controlplane.agent.exoskeleton.checks import Permission
from controlplane.agent.exoskeleton.findings import Findings
from controlplane.agent.exoskeleton.helper_model import HelperModel
from controlplane.agent.exoskeleton.shown.shown_results import ShownResults
from controlplane.agent.exoskeleton.tools.offered_tools import tools_of
from controlplane.agent.loop.session.trial_session import TrialSession


def new_tool_runner(
    session: TrialSession,
    bindings: SolverBindings,
    parts: Collection[str],
    helper: HelperModel,
    opening: ConversationOpened,
    permission: Permission,
) -> ToolRunner:
    """Return the object that makes the model's calls, and submits its answer.

    Args:
        session: Makes the calls.
        bindings: The functions of the benchmark, some of which check the answer.
        parts: The optional parts of the solver that are on: `{"classifier", "references"}`.
        helper: Asks small models, for the functions that check the answer.
        opening: The start of the conversation. What it shows is not shown again.
        permission: The changes that calls may make.
    """
    tool_schema = session.tool_schema
    # What calls return is kept as *findings*, by which the answer is checked.
    findings = Findings.of_opening(opening, tool_schema)

    # 1. What makes calls such as `read`
    tools = tools_of(tool_schema, bindings.task_types, permission)
    results = ShownResults.after_opening(
        opening, tool_schema, may_write_files=permission.files
    )
    operation_calls = OperationCalls(session, tools, permission, findings, results)

    # 2. What turns the last call, which has the model's answer, into a submission
    references = reference_check_of(session, bindings.references, parts, findings)
    assembly = Assembly(session, bindings, references, helper, findings)
    return ToolRunner(operation_calls, assembly)
