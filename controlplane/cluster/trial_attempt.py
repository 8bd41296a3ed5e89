"""One attempt at a trial on a worker, as the process of the run follows it: what it did, and where the next goes on."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

from agent.loop import ResumeState
from controlplane.benchmark import TrialHead
from controlplane.cluster.shipped_data import TrialParcel
from controlplane.journal.journal_reader import Chain, joined_event
from controlplane.journal.run_events import JournalEvent
from controlplane.journal.trial_record import TrialRecord


@dataclass(slots=True, eq=False)
class TrialAttempt:
    """An attempt. Its events are taken under its lock; once it is cut off, no more of them are."""

    head: TrialHead
    over: Future[None]
    """Is done when the trial is, whatever the number of attempts."""
    begins_with: ResumeState
    number: int = 1
    """Counts the attempts at the trial."""
    losses: int = 0
    """How many attempts before it were lost after they had begun."""
    task: Future[str] | None = None
    """Its task at the cluster; None until it has one."""
    places: frozenset[str] = frozenset()
    """The workers that may take the task."""
    worker: int | None = None
    """The connection that its events come by; None until it begins."""
    is_cut_off: bool = False
    record: TrialRecord = field(default_factory=TrialRecord)
    lock: threading.Lock = field(default_factory=threading.Lock)
    _chain: Chain = field(default_factory=Chain)

    def __post_init__(self) -> None:
        state = self.begins_with
        self.record = TrialRecord(
            opening=state.opening,
            steps=list(state.steps),
            replies=dict(state.replies),
            answer=state.answer,
            answers={step: list(each) for step, each in state.answers.items()},
        )
        if state.pending is not None:
            # The chain and the record go on with the same step.
            self._chain.open_steps[self.head.trial_id] = self.record.open_step = state.pending

    @property
    def name(self) -> str:
        """What its events carry."""
        return f"{self.number}:{self.head.trial_id}"

    def parcel(self, run: str) -> TrialParcel:
        """Return what is shipped."""
        head = self.head
        return TrialParcel(
            run=run, attempt=self.name, trial_id=head.trial_id, task_id=head.task_id, resume_state=self.begins_with
        )

    def event_of(self, fields: dict[str, Any]) -> JournalEvent:
        """Return the event of these fields, and take it into the record. Raises `ValueError` for what is none of the
        trial's."""
        event = joined_event(fields, self._chain)
        if getattr(event, "trial_id", None) != self.head.trial_id:
            msg = f"an event of {self.name} is none of that trial"
            raise ValueError(msg)
        self.record.take(event)
        return event

    def cut_off(self) -> None:
        """Take no more of its events from here on."""
        with self.lock:
            self.is_cut_off = True

    def next(self) -> TrialAttempt:
        """Return the attempt that goes on where this one was cut off."""
        state = self.record.resume_state()
        state = replace(state, now=state.now or self.begins_with.now)
        losses = self.losses + (self.worker is not None)
        return TrialAttempt(self.head, self.over, state, self.number + 1, losses)
