"""Prepares a trial of the exoskeleton solver: everything before its model is asked.

For the request "Renew loan l-12":

1. Code reads what any model will need: `read /docs/rules.md`. This is the *opening*.
2. Functions of the benchmark check the request: the *first step*. One permits that it changes files.
   Another could answer it, for example if the loan is not the user's.
3. The conversation begins with the opening, the request, and what the checks say to the model.
4. The runner is made, which will make the model's calls: `read(...)`, `write(...)`.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import ConversationOpened
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.exoskeleton.bindings import SolverBindings
from controlplane.agent.exoskeleton.calls.new_tool_runner import new_tool_runner
from controlplane.agent.exoskeleton.calls.tool_runner import ToolRunner
from controlplane.agent.exoskeleton.checking.first_step import take_first_step
from controlplane.agent.exoskeleton.helper_model import HelperModel
from controlplane.agent.exoskeleton.initial_results import initial_results
from controlplane.agent.exoskeleton.opening import build_opening, first_messages
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.session.earlier_attempt import open_prompt
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.model import Message


@dataclass(frozen=True, slots=True)
class PreparedTrial:
    """The start of the conversation, and what makes the calls of the model's replies."""

    messages: list[Message]
    runner: ToolRunner


@dataclass(frozen=True, slots=True)
class Preparation:
    """Prepares one trial."""

    session: TrialSession
    settings: LoopSettings
    parts: frozenset[str]
    """The optional parts of the solver that are on: `{"classifier", "references"}`."""
    bindings: SolverBindings
    """The functions that the benchmark adds to these parts."""

    def prepare(self, helper: HelperModel) -> PreparedTrial:
        """Do the four steps. Some functions of the benchmark ask small models by the `helper`."""
        session = self.session
        opening = open_prompt(session, self._build_opening)  # or the recorded one
        checked = take_first_step(session, self.bindings, helper)
        messages = first_messages(opening, checked.message_text)
        runner = new_tool_runner(
            session,
            self.bindings,
            self.parts,
            helper,
            initial_results(opening, session.tool_schema),
            checked.permission,
        )
        return PreparedTrial(messages, runner)

    def _build_opening(self, recorder: Recorder) -> ConversationOpened:
        return build_opening(self.session.trial, recorder, self.settings, self.bindings)
