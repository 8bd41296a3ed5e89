"""The turns of a trial: in each, a solver asks its model, and carries out the reply as one step.

A solver derives a class from `TurnLoop`, with three methods. `run` calls them like this:

    begin                  system: "You work on one request. ...", user: "What is the fee?"
    do_step                the model replies with the script `print(6 + 6)`, which is run
    add_to_conversation    assistant: "print(6 + 6)", user: "<output>12</output>"
    do_step                and so on, until the trial is over or a limit is used up
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from controlplane.agent.loop.limit_warnings import summary_with_warnings
from controlplane.agent.loop.model_conversation import ModelConversation
from controlplane.agent.model import OutOfTime
from controlplane.agent.record.trial_step import TrialStep


class TurnLoop(ModelConversation, ABC):
    """The turns of one trial, which have its `session`, its `limits` and the `conversation`."""

    @abstractmethod
    def begin(self) -> None:
        """Begin the conversation by calls of `say`. This may already end the trial.

        If an earlier attempt has recorded steps, it also calls `count_step` for each of them.
        """

    @abstractmethod
    def do_step(self, step: TrialStep) -> None:
        """Ask the model, carry out its reply, and set `step.done`, the summary of the step."""

    @abstractmethod
    def add_to_conversation(self, step: TrialStep) -> None:
        """Call `say` for each message about a completed step."""

    def run(self) -> str:
        """Work on the trial until it ends. Return why it has no answer; empty if it is over.

        Raises `ModelError` if the model fails, and `LeftOpen` if the trial was told to stop.
        """
        self.begin()
        while not self.session.is_over:
            reason = self.limits.reason
            if reason:
                return reason
            self.session.leave_if_stopped()
            try:
                self.take_turn()
            except OutOfTime as error:
                return f"no answer within {self.limits.time.limit_s:g} s: {error}"
        return ""

    def take_turn(self) -> None:
        """Do one step, write it to the journal, and count it."""
        with self.session.step() as step:
            self.do_step(step)
            if not self.session.is_over:
                # The limits may warn the model: `2 steps are left`.
                step.done = summary_with_warnings(self.limits.all, step)
        # At the end of the block above, the session has written `step.done` to the journal.
        self.count_step(step)

    def count_step(self, step: TrialStep) -> None:
        """Count a completed step, new or recorded, and add it to the conversation."""
        self.limits.count(step)
        self.add_to_conversation(step)
