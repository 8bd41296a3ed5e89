"""Makes the objects that carry out the replies of one trial's model.

    tools = TrialTools(session, bindings, parts, helper)
    runner = tools.runner(opening, Permission(files=True, tools=False))
    runner.run([read_call, write_call])      makes these calls
    runner.run([completion_call])            submits the answer

The calls keep what they return as *findings*, by which functions of the benchmark check the
answer.
"""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class TrialTools:
    """What the objects of one trial are made of."""

    session: TrialSession
    bindings: SolverBindings
    """The functions that the benchmark adds to the solver."""
    parts: frozenset[str]
    """The optional parts of the solver that are on: `{"classifier", "references"}`."""
    helper: HelperModel
    """Asks small models, for the functions that check the answer."""

    def runner(self, opening: ConversationOpened, permission: Permission) -> ToolRunner:
        """Return the object that makes the model's calls, and submits its answer.

        `opening` is the start of the conversation, which shows files that were read. The calls
        make only changes of the permission.
        """
        findings = Findings.of_opening(opening, self.session.tool_schema)
        operation_calls = self._operation_calls(opening, permission, findings)
        return ToolRunner(operation_calls, self._assembly(findings))

    def _operation_calls(
        self, opening: ConversationOpened, permission: Permission, findings: Findings
    ) -> OperationCalls:
        """Return what makes calls such as `read`."""
        tool_schema = self.session.tool_schema
        tools = tools_of(tool_schema, self.bindings.task_types, permission)
        # The model does not get a text again that the opening has shown.
        results = ShownResults.after_opening(
            opening, tool_schema, may_write_files=permission.files
        )
        return OperationCalls(self.session, tools, permission, findings, results)

    def _assembly(self, findings: Findings) -> Assembly:
        """Return what turns the last call, which has the model's answer, into a submission."""
        reference_check = reference_check_of(
            self.session, self.bindings.references, self.parts, findings
        )
        return Assembly(
            self.session, self.bindings, reference_check, self.helper, findings
        )
