"""The conversation of a trial with its model, and the limits that count it.

A model remembers nothing between two requests. So each request sends all messages so far:

    system       "You work on one request. ..."
    user         "What is the fee?"
    assistant    "print(6 + 6)"
    user         "<output>12</output>"
"""

from __future__ import annotations

from controlplane.agent.events import Conversation
from controlplane.agent.loop.loop_limits import LoopLimits
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.model_retry import ModelRetry
from controlplane.agent.loop.patient_model import PatientModel
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.model import Message, Model
from controlplane.agent.retry.run_budget import RunBudget


class ModelConversation:
    """What a solver needs to talk to its model in one trial."""

    def __init__(
        self,
        model: Model,
        session: TrialSession,
        settings: LoopSettings,
        run_budget: RunBudget,
        *,
        may_change_form: bool = False,
    ) -> None:
        """With `may_change_form`, a model that fails in JSON, for example, may reply in text."""
        self.session = session
        self.settings = settings
        self.prompts = settings.prompts
        self.conversation: Conversation = []
        """All messages so far."""
        self.limits = LoopLimits(session, settings, may_change_form=may_change_form)
        """Count the steps, warn the model, and end the trial."""
        retry = ModelRetry(
            settings.patience_s, stop=session.stop, run_budget=run_budget
        )
        self.model = PatientModel(model, session, retry, self.limits.time.limit_s)
        """Asks the model. If a request fails, asks again for some time."""

    def say(self, message: Message) -> None:
        """Add a message to the conversation, and count it towards the size of the context."""
        self.conversation.append(message)
        self.limits.context.add(message["content"])
        for call in message.get("tool_calls", ()):
            self.limits.context.add(call.arguments)
