"""The turn loop of every solver: it keeps the conversation, and ends the trial at a limit.

In each turn, a solver asks its model, and carries out the reply as one step of the trial: it
runs the script of the reply, for example. The conversation then has the reply and what came
of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from controlplane.agent.events import Conversation
from controlplane.agent.loop.loop_limits import LoopLimits
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.model_retry import ModelRetry
from controlplane.agent.loop.patient_model import PatientModel
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.model import Message, Model, OutOfTime
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.retry.run_budget import RunBudget


class TurnLoop(ABC):
    """The turns of one trial, and its conversation with the model.

    A solver derives a class with the three methods that are marked here:

        run                           works on the trial, until it is over or at a limit
            begin *                   calls `say` for each message before the model's first reply
            take_turn                 does one step, and writes it to the journal
                do_step *             asks the model, and runs its script
                count_step            counts the step in the limits
                    add_to_conversation *   calls `say` for each message about the step

    To continue an earlier attempt, `begin` may also call `count_step` for each recorded step.
    """

    def __init__(
        self,
        model: Model,
        session: TrialSession,
        settings: LoopSettings,
        run_budget: RunBudget,
        *,
        switches_reply_mode: bool = False,
    ) -> None:
        """`switches_reply_mode`: if the model replies with nothing usable in one form, such as
        JSON, it may be asked for another form, such as plain text.
        """
        self.session = session
        self.settings = settings
        self.prompts = settings.prompts
        self.conversation: Conversation = []
        """All messages so far. Each request sends all of them."""
        self.limits = LoopLimits(session, settings, may_change_form=switches_reply_mode)
        """Count the steps, warn the model, and end the trial."""
        retry = ModelRetry(
            settings.patience_s, stop=session.stop, run_budget=run_budget
        )
        self.model = PatientModel(model, session, retry, self.limits.time.limit_s)
        """Asks the model. If a request fails, asks again for some time."""

    @abstractmethod
    def begin(self) -> None:
        """Begin the conversation. This may already end the trial."""

    @abstractmethod
    def do_step(self, step: TrialStep) -> None:
        """Ask the model, carry out its reply, and set `step.done`, the summary of the step."""

    @abstractmethod
    def add_to_conversation(self, step: TrialStep) -> None:
        """Add the messages of a completed step to the conversation."""

    def take_turn(self) -> None:
        """Do one step, write it to the journal, and count it."""
        with self.session.step() as step:
            self.do_step(step)
            if not self.session.is_over:
                # The limits may warn the model: `2 steps are left`.
                step.done = self.limits.summary_with_warnings(step)
        # The end of the block has written the step to the journal.
        self.count_step(step)

    def count_step(self, step: TrialStep) -> None:
        """Count a completed step, new or recorded, and add it to the conversation."""
        self.limits.count(step)
        self.add_to_conversation(step)

    def run(self) -> str:
        """Work on the trial until it ends. Return why it has no answer; empty if it is over.

        Raises `ModelError` if the model fails, and `LeftOpen` if the trial was told to stop.
        """
        self.begin()
        session = self.session
        while not session.is_over:
            reason = self.limits.reason
            if reason:
                return reason
            session.leave_if_stopped()
            try:
                self.take_turn()
            except OutOfTime as error:
                return f"no answer within {self.limits.time.limit_s:g} s: {error}"
        return ""

    def say(self, message: Message) -> None:
        """Add a message to the conversation."""
        self.conversation.append(message)
        self.limits.context.add(message["content"])
        for call in message.get("tool_calls", ()):
            self.limits.context.add(call.arguments)
