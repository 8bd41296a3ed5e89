"""One trial of a journal: its totals, its events and its record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from controlplane.agent.events import ConversationOpened, StepDone
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.journal.run_events import (
    JournalEvent,
)
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.journal.trial_reader import record_of

if TYPE_CHECKING:
    from controlplane.journal.journal_reader import Journal


@dataclass(frozen=True, slots=True)
class RecordedTrial:
    """One trial of a journal. Each access to its events reads them from the file again."""

    journal: Journal
    trial_id: str

    @property
    def summary(self) -> TrialSummary:
        """Its totals, such as state, score, answer, citations, tokens, cost and rejections."""
        return self.journal.summary.trials[self.trial_id]

    @property
    def task_id(self) -> str:
        """The id of its task; empty before the start if the benchmark names the task only then."""
        return self.summary.task_id

    @property
    def score(self) -> float | None:
        """The grader's score, 0 to 1; None if there is none, or it is sealed (not told yet)."""
        return self.summary.score

    @property
    def has_begun(self) -> bool:
        return len(self.journal.places.of_trial(self.trial_id)) > 0

    def events(self) -> Iterator[JournalEvent]:
        """Yield its events in order, complete with stored texts and the parts of steps.

        Raises `JournalDamaged`.
        """
        yield from self.journal.places.events_of_trial(self.trial_id)

    @property
    def record(self) -> TrialRecord:
        """All that is needed to replay or resume the trial. Reads the whole trial."""
        return record_of(self.events())

    @property
    def steps(self) -> tuple[StepDone, ...]:
        """Its complete steps, each with reply, code, output, calls, citations and verdicts."""
        return tuple(self.record.step_summaries)

    @property
    def initial_prompt(self) -> ConversationOpened | None:
        """Its initial prompt; None if the trial stopped before it."""
        return self.record.initial_prompt
