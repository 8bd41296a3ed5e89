"""Makes the object that carries out the replies of one trial's model: the tool runner.

    runner.run([read_call, write_call])      makes these calls
    runner.run([completion_call])            submits the answer

The start of the conversation shows results already, such as the text of `/docs/rules.md`. The
runner does not show them again, but the answer may cite them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from controlplane.agent.exoskeleton.answer.assembly import Assembly
from controlplane.agent.exoskeleton.answer.reference_parts import reference_check_of
from controlplane.agent.exoskeleton.bindings import SolverBindings
from controlplane.agent.exoskeleton.calls.operation_calls import OperationCalls
from controlplane.agent.exoskeleton.calls.tool_runner import ToolRunner
from controlplane.agent.exoskeleton.checks import Permission
from controlplane.agent.exoskeleton.findings import Findings
from controlplane.agent.exoskeleton.helper_model import HelperModel
from controlplane.agent.exoskeleton.initial_results import InitialResult
from controlplane.agent.exoskeleton.shown.shown_results import ShownResults
from controlplane.agent.exoskeleton.tools.offered_tools import tools_of
from controlplane.agent.loop.session.trial_session import TrialSession


def new_tool_runner(
    session: TrialSession,
    bindings: SolverBindings,
    parts: Collection[str],
    helper: HelperModel,
    initial_results: Sequence[InitialResult],
    permission: Permission,
) -> ToolRunner:
    """Return the object that makes the model's calls, and submits its answer.

    `bindings` are the functions of the benchmark. Some check the answer, and may ask small models by
    the `helper`. `parts` are the optional parts of the solver that are on: `{"references"}`.
    `permission` tells which changes the request permits, such as to write files.
    """
    # Each result is used twice. `findings` keeps it for the functions that check the answer, and
    # `shown_results` shows it to the model, a long text only once.
    findings = Findings.of(initial_results)
    shown_results = ShownResults.after(
        initial_results, session.tool_schema, may_write_files=permission.files
    )

    # Makes calls such as `read`, as far as the permission allows.
    tools = tools_of(session.tool_schema, bindings.task_types, permission)
    operation_calls = OperationCalls(
        session, tools, permission, findings, shown_results
    )

    # Takes the last call, which has the model's answer: has the functions correct the answer and
    # the files that it cites, and submits it.
    reference_check = reference_check_of(session, bindings.references, parts, findings)
    assembly = Assembly(session, bindings, reference_check, helper, findings)
    return ToolRunner(operation_calls, assembly)
