"""How one attempt of the second solver at a trial ended, and what happened in it.

    result = run_attempt(ModelByTurn([[FIND_BOOKS_BY_AUSTEN], [completion_call()]]))
    result.reason          # "": the trial has an answer
    len(result.steps)      # 3: the checks before the model, and two turns of it
    result.shown_to_model  # '{"value": ["/books/emma.txt", ...], ...}', before its last reply

A trial that is resumed from recorded events has several attempts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.agent.events import Judged, StepDone, TrialEvent
from controlplane.agent.loop import TrialSession
from controlplane.agent.model import Message
from tests.support.books.model_by_turn import ModelByTurn, from_instruction
from tests.support.books.shelf import Shelf


@dataclass
class AttemptResult:
    """How one attempt at a trial ended, and what happened in it."""

    reason: str
    """Why the trial has no answer; empty if it has one."""
    events: list[TrialEvent]
    model: ModelByTurn
    shelf: Shelf
    session: TrialSession

    @property
    def steps(self) -> list[StepDone]:
        """Return the steps: each is a reply of the model, with the results of its calls."""
        return [event for event in self.events if isinstance(event, StepDone)]

    @property
    def judged_answers(self) -> list[Judged]:
        """Return each answer that the model handed in, with the gates' verdicts on it."""
        return [judged for step in self.steps for judged in step.verdicts]

    @property
    def last_request(self) -> Sequence[Message]:
        """Return the messages of the last request to the main model."""
        return self.model.main_requests[-1].messages

    @property
    def shown_to_model(self) -> str:
        """Return the texts behind the instruction in the last request to the main model."""
        later_messages = from_instruction(self.last_request)[1:]
        return "\n".join(message["content"] for message in later_messages)
