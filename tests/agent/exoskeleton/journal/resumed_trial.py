"""A trial that is killed after some of its events, and resumed by another process.

    resumed = ResumedTrial.after(3, trial.events)
    resumed.recorded     # the three events that were written before
    resumed.lost         # the events that would have followed
    resumed.all_events   # the three, and those of the second process

The trial is that of `trial_with_mistakes.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from controlplane.agent.events import TrialEvent
from tests.agent.exoskeleton.journal.trial_with_mistakes import play_trial_with_mistakes
from tests.support.books.attempt_result import AttemptResult


@dataclass(frozen=True)
class ResumedTrial:
    """A trial that was killed after some of its events, and then resumed to its end."""

    recorded: Sequence[TrialEvent]
    lost: Sequence[TrialEvent]
    attempt: AttemptResult
    """What the second process did."""

    @classmethod
    def after(cls, event_count: int, events: Sequence[TrialEvent]) -> Self:
        """Resume the trial after so many of its events."""
        recorded = events[:event_count]
        attempt = play_trial_with_mistakes(recorded)
        return cls(recorded, events[event_count:], attempt)

    @property
    def all_events(self) -> list[TrialEvent]:
        """The events of both processes, which must be those of one trial."""
        return [*self.recorded, *self.attempt.events]

    def count(self, event_type: str) -> int:
        """Return how many events of a type both processes have written together."""
        return [event.type for event in self.all_events].count(event_type)
