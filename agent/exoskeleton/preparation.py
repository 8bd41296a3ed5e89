"""Prepares a trial of the exoskeleton solver: everything before its model is asked.

Code makes the initial calls, such as `read /docs/rules.md`, whose results begin the
conversation. Then, in the first step, checks of the benchmark may answer the request
themselves, or limit what the trial may change.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import ConversationOpened
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.exoskeleton.answer.assembly import Assembly
from controlplane.agent.exoskeleton.answer.reference_check import reference_check_of
from controlplane.agent.exoskeleton.bindings import SolverBindings
from controlplane.agent.exoskeleton.calls.operation_calls import OperationCalls
from controlplane.agent.exoskeleton.calls.tool_runner import ToolRunner
from controlplane.agent.exoskeleton.checking.first_step import CheckedRequest, FirstStep
from controlplane.agent.exoskeleton.checks import Permission
from controlplane.agent.exoskeleton.findings import Findings
from controlplane.agent.exoskeleton.helper_model import HelperModel
from controlplane.agent.exoskeleton.opening import build_opening
from controlplane.agent.exoskeleton.shown.shown_results import ShownResults
from controlplane.agent.exoskeleton.tools.offered_tools import tools_of
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.session.earlier_attempt import open_prompt
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.model import Message


@dataclass(frozen=True, slots=True)
class PreparedTrial:
    """What the turns of a trial begin with."""

    messages: list[Message]
    """The start of the conversation, up to the user's first message."""
    runner: ToolRunner
    """Makes the calls of the model's replies."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """Prepares one trial: everything before the solver's model is asked.

    1. Code makes the *initial calls*, such as `read /docs/rules.md`.
    2. In the first step, checks of the benchmark may answer the request themselves, or limit
       what the trial may change.
    3. The objects are made that carry out the model's replies: `OperationCalls` makes a call
       such as `read`, and `Assembly` submits the answer.
    """

    session: TrialSession
    """Has the trial, and records its steps."""
    settings: LoopSettings
    parts: frozenset[str]
    """The optional parts of the solver that are on: `{"classifier", "references"}`."""
    bindings: SolverBindings
    """The functions that the benchmark adds to these parts."""

    def prepare(self, helper: HelperModel) -> PreparedTrial:
        """Make the initial calls, and take the first step, which may ask the helper model."""
        # In a resumed trial, this is the recorded opening, and no calls are made.
        opening = open_prompt(self.session, self._build_opening)
        first_step = FirstStep(self.session, self.bindings)
        checked_request = first_step.take(helper)
        return PreparedTrial(
            messages=first_messages(opening, checked_request),
            runner=self._runner(opening, checked_request.permission, helper),
        )

    def _build_opening(self, recorder: Recorder) -> ConversationOpened:
        """Make the initial calls, and return the start of the conversation."""
        return build_opening(self.session.trial, recorder, self.settings, self.bindings)

    def _runner(
        self, opening: ConversationOpened, permission: Permission, helper: HelperModel
    ) -> ToolRunner:
        """Return the object that makes the model's calls, and submits its answer."""
        # Keeps what the calls return, for the functions that check the answer.
        findings = Findings.of_opening(opening, self.session.tool_schema)
        return ToolRunner(
            self._operation_calls(opening, permission, findings),
            self._assembly(helper, findings),
        )

    def _operation_calls(
        self, opening: ConversationOpened, permission: Permission, findings: Findings
    ) -> OperationCalls:
        """Return what makes calls such as `read`, as far as the permission goes."""
        tool_schema = self.session.tool_schema
        tools = tools_of(tool_schema, self.bindings.task_types, permission)
        # The model does not get a text again that the opening has shown.
        results = ShownResults.after_opening(
            opening, tool_schema, may_write_files=permission.files
        )
        return OperationCalls(self.session, tools, permission, findings, results)

    def _assembly(self, helper: HelperModel, findings: Findings) -> Assembly:
        """Return what turns the last call, which has the model's answer, into a submission."""
        session = self.session
        reference_check = reference_check_of(
            session, self.bindings.references, self.parts, findings
        )
        return Assembly(session, self.bindings, reference_check, helper, findings)


def first_messages(
    opening: ConversationOpened, checked_request: CheckedRequest
) -> list[Message]:
    """Return the messages before the model's first reply.

    They are the system prompt, the initial calls with their results (the exchange), and the
    user's first message, which ends with the texts of the checks.
    """
    first_message = "".join((*opening.first_message, checked_request.message_text))
    return [
        Message(role="system", content=opening.system),
        *(message.message() for message in opening.exchange),
        Message(role="user", content=first_message),
    ]
