"""The events before a fork, rewritten for the trials of a new run.

A fork continues a recorded trial from one of its steps. The journal of the new run begins with
copies of the recorded events before that step, as if the new trial had made these steps itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.events import (
    ConversationOpened,
    ModelReplied,
    StepDone,
    TrialStarted,
    now_ms,
)
from controlplane.agent.initial_calls.working_tools import without_failed_tools
from controlplane.agent.loop import Prompts, system_prompt
from controlplane.journal.run_events import JournalEvent
from controlplane.journal.tool_schema_text import tool_schema_from_text

PAID_ELSEWHERE: Final = {
    "usage": ModelReplied.model_fields["usage"].default,
    "cost_usd": None,
}
"""The fields of a copied reply with the tokens and dollars that it took: none, because they are
already in the totals of the recorded run."""


@dataclass(frozen=True, slots=True)
class ForkedEvents:
    """The events of a recorded trial that a fork takes over."""

    events: tuple[JournalEvent, ...]
    """The recorded events."""
    has_new_prompt: bool
    """True if the fork uses the new run's system prompt instead of the recorded one."""

    def rewritten(self, trial_id: str, prompts: Prompts | None) -> list[JournalEvent]:
        """Return copies of the events, with the id of the new trial and the present time.

        `prompts` are the prompt texts of the new run; None if its solver asks no model.
        """
        rewritten: list[JournalEvent] = []
        for event in self.events:
            changes: dict[str, object] = {"trial_id": trial_id, "at_ms": now_ms()}
            changes.update(self._changed_fields(event, prompts))
            rewritten.append(event.model_copy(update=changes))
        return rewritten

    def _changed_fields(
        self, event: JournalEvent, prompts: Prompts | None
    ) -> dict[str, object]:
        """Return the fields of an event that differ in the fork: a copied reply has cost nothing."""
        match event:
            case TrialStarted():
                # The origin is the id of the first trial in a chain of forks. It seeds the
                # scripts' random numbers, so that a fork gets the same ones.
                return {"origin": event.origin or event.trial_id}
            case ConversationOpened() if self.has_new_prompt:
                return {"system": self._new_system_prompt(event, prompts)}
            case ModelReplied():
                # `cached`: no model was asked for this reply.
                return {**PAID_ELSEWHERE, "cached": True}
            case StepDone():
                return dict(PAID_ELSEWHERE)
            case _:
                return {}

    def _new_system_prompt(
        self, opened: ConversationOpened, prompts: Prompts | None
    ) -> str:
        """Return the system prompt with the texts of the new run.

        It describes the same tools as the recorded prompt: those that worked when the
        conversation was opened.
        """
        declaration = ""
        for event in self.events:
            if isinstance(event, TrialStarted):
                declaration = event.tool_schema
        # Leave out tools that were down: those that failed when they were probed.
        working_tools = without_failed_tools(
            tool_schema_from_text(declaration), opened.calls
        )
        return system_prompt(working_tools, prompts)


def with_note(events: Sequence[JournalEvent], note: str) -> tuple[JournalEvent, ...]:
    """Return the events, with a note of the user added to the last message to the model.

    That message is the feedback of the last step or, if there is no step, the first message.
    The model then reads: "… [note from the operator] Look into /archive, too."
    """
    noted = list(events)
    addition = f"\n\n[note from the operator]\n{note}"
    for index in reversed(range(len(noted))):
        event = noted[index]
        if isinstance(event, StepDone):
            feedback = (*event.feedback, addition)
            noted[index] = event.model_copy(update={"feedback": feedback})
            break
        if isinstance(event, ConversationOpened):
            message = (*event.first_message, addition)
            noted[index] = event.model_copy(update={"first_message": message})
            break
    return tuple(noted)
