"""The events of a trial that was played or resumed, and what they say of it."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import AnswerSent
from controlplane.journal.run_events import JournalEvent, Scored, TrialEnded


@dataclass(frozen=True)
class PlayedTrial:
    """The trial `ada-0` of the task `ada`, after it was played or resumed.

    Its `event_types` are `["trial_started", "submission_judged", "answer_sent", …, "trial_ended"]`.
    """

    events: list[JournalEvent]
    """What the journal of a run would get, in this order."""

    @property
    def event_types(self) -> list[str]:
        return [event.type for event in self.events]

    @property
    def sent_answers(self) -> list[AnswerSent]:
        return [event for event in self.events if isinstance(event, AnswerSent)]

    @property
    def ended_how(self) -> str:
        """How the trial ended: "answered" or "fallback"; empty if it was left open."""
        for event in self.events:
            if isinstance(event, TrialEnded):
                return event.how
        return ""

    @property
    def score(self) -> float | None:
        """The score that the benchmark gave, from 0 to 1; None if it gave none."""
        for event in self.events:
            if isinstance(event, Scored):
                return event.score
        return None
