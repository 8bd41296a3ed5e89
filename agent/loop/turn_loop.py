"""The turns of a trial: in each, a solver asks its model, and carries out the reply as one step.

A solver derives a class from `TurnLoop`, with three methods. `run` calls them like this:

    first_messages()     system: "You work on one request. ...", user: "What is the fee?"
    do_step(step)        the model replies with the script `print(6 + 6)`, which is run
    messages_of(step)    assistant: "print(6 + 6)", user: "<output>12</output>"
    do_step(step)        and so on, until the trial is over or a limit is used up
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from controlplane.agent.loop.limit_warnings import summary_with_warnings
from controlplane.agent.loop.model_conversation import ModelConversation
from controlplane.agent.model import Message, OutOfTime
from controlplane.agent.record.trial_step import TrialStep


class TurnLoop(ModelConversation, ABC):
    """The turns of one trial, which have its `session`, its `limits` and the `conversation`."""

    @abstractmethod
    def first_messages(self) -> list[Message]:
        """Return the messages with which the conversation begins. This may already end the trial."""

    def restored_steps(self) -> Iterable[TrialStep]:
        """Yield the steps of an earlier attempt that need not be done again; none by default."""
        return ()

    @abstractmethod
    def do_step(self, step: TrialStep) -> None:
        """Ask the model, carry out its reply, and set `step.done`, the summary of the step."""

    @abstractmethod
    def messages_of(self, step: TrialStep) -> list[Message]:
        """Return the model's reply in a completed step, and what the model is told about it."""

    def run(self) -> str:
        """Work on the trial until it ends. Return `""` if it is over, or why it has no answer.

        Raises `ModelError` if the model fails, and `LeftOpen` if the trial was told to stop.
        """
        for message in self.first_messages():
            self.say(message)
        for step in self.restored_steps():
            self._count(step)
        while not self.session.is_over:
            reason = self.limits.reason
            if reason:
                return reason
            self.session.leave_if_stopped()
            try:
                self._take_turn()
            except OutOfTime as error:  # The step is left open.
                return f"no answer within {self.limits.time.limit_s:g} s: {error}"
        return ""

    def _take_turn(self) -> None:
        """Do one step, write it to the journal, and count it."""
        with self.session.step() as step:
            self.do_step(step)
            if not self.session.is_over:
                # The limits may warn the model: `2 steps are left`.
                step.done = summary_with_warnings(self.limits, step)
        # At the end of the block above, the session has written `step.done` to the journal.
        self._count(step)
        # After unusable replies, the model may be asked in another form from now on.
        choice_of_form = self.limits.unusable.forms.choice
        notice = choice_of_form.notice_to_user  # usually empty
        if notice:
            self.session.notice(notice)

    def _count(self, step: TrialStep) -> None:
        """Count a completed step, new or restored, and add it to the conversation."""
        self.limits.count(step)
        for message in self.messages_of(step):
            self.say(message)
