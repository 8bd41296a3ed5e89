"""Prepares a trial of the exoskeleton solver: everything before its model is asked.

The initial calls are made, and the first step decides what the trial may change.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import ConversationOpened
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.exoskeleton.answer.assembly import Assembly
from controlplane.agent.exoskeleton.bindings import SolverBindings
from controlplane.agent.exoskeleton.calls.operation_calls import OperationCalls
from controlplane.agent.exoskeleton.calls.tool_runner import ToolRunner
from controlplane.agent.exoskeleton.checking.first_step import CheckedRequest, FirstStep
from controlplane.agent.exoskeleton.helper_model import HelperModel
from controlplane.agent.exoskeleton.opening import build_exchange
from controlplane.agent.exoskeleton.shown.shown_results import ShownResults
from controlplane.agent.exoskeleton.tools.offered_tools import tools_of
from controlplane.agent.loop.loop_settings import LoopSettings
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
    """Prepares one trial."""

    session: TrialSession
    settings: LoopSettings
    parts: frozenset[str]
    """The optional parts of the solver that are on."""
    bindings: SolverBindings
    """The functions that the benchmark adds to the solver."""

    def prepare(self, helper: HelperModel) -> PreparedTrial:
        """Make the initial calls, and take the first step, which may ask the helper model."""
        opened = self.session.open(self._opened)
        first_step = FirstStep(self.session, self.parts, self.bindings)
        checked = first_step.take(helper)
        return PreparedTrial(
            messages=first_messages(opened, checked),
            runner=self._runner(opened, checked, helper),
        )

    def _opened(self, recorder: Recorder) -> ConversationOpened:
        """Make the initial calls, and return the start of the conversation."""
        trial = self.session.trial
        context_tokens = self.settings.context_tokens or trial.context_tokens
        return build_exchange(
            trial.instruction,
            recorder,
            self.settings,
            self.bindings,
            trial.now,
            context_tokens=context_tokens,
        )

    def _runner(
        self, opened: ConversationOpened, checked: CheckedRequest, helper: HelperModel
    ) -> ToolRunner:
        """Return what makes the model's calls, within the changes that the trial may make."""
        session = self.session
        tool_schema = session.tool_schema
        allowed = checked.allowed
        assembly = Assembly(session, self.bindings, self.parts, helper)
        assembly.findings.take_initial_prompt(opened, tool_schema)
        results = ShownResults(may_write_files=allowed.files)
        results.take_initial_prompt(opened, tool_schema)
        tools = tools_of(tool_schema, self.bindings.task_types, allowed)
        operation_calls = OperationCalls(
            session, tools, allowed, assembly.findings, results
        )
        return ToolRunner(operation_calls, assembly)


def first_messages(
    opened: ConversationOpened, checked: CheckedRequest
) -> list[Message]:
    """Return the system prompt, the initial calls as messages, and the first message."""
    first_message = "".join((*opened.first_message, checked.message_text))
    return [
        Message(role="system", content=opened.system),
        *(message.message() for message in opened.exchange),
        Message(role="user", content=first_message),
    ]
