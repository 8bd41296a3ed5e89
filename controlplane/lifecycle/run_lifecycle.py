"""One run in this process: its journal, its totals, and how it is stopped."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from controlplane.agent.events import ModelAsked, ModelReplied
from controlplane.agent.limits.spending import EarlierSpending
from controlplane.agent.model import Abandoned
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import TrialFolders
from controlplane.configuration.run_settings import RunSettings
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import (
    JournalEvent,
    RunNotice,
    TrialEnded,
    TrialFailed,
    TrialLeftOpen,
)
from controlplane.journal.totals.run_summary import RunSummary, fold_event
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.trials_side_by_side import OpenPlace, RunWork, open_place

if TYPE_CHECKING:
    from controlplane.lifecycle.run_plan import RunPlan


@dataclass(slots=True)
class Run:
    """One run in this process.

    `opened_run` creates a new one, and `reopen_run` one to resume. Then `begin_run` (new
    runs only), `work.play_trials` and `close_run` follow. Threads of trials call `emit`.
    """

    resources: RunResources
    journal: JournalWriter
    place_opener: OpenPlace = open_place
    """Opens the place where trials are played. Tests replace it."""
    summary: RunSummary = field(default_factory=RunSummary)
    """The totals of the whole journal, including those of earlier processes."""
    plan: RunPlan | None = None
    """What a new run plays; None for a resumed run."""
    trial_records: dict[str, TrialRecord] = field(default_factory=dict)
    """The records of the trials that an earlier process began, by id."""
    paused: Exception | None = None
    """The error for which the run stopped by itself; None if there was none."""
    controls: RunControls = field(init=False)
    """The signals between the run and its trials."""
    work: RunWork = field(init=False)
    """Plays the trials."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Connect the run with its resources, which were opened before it.

        What they report, such as notices, becomes events of this run. What the run is told, such
        as to stop, reaches all trials by the shared `controls`.
        """
        resources = self.resources
        self.controls = RunControls(stop=resources.context.stop, pause=self.pause)
        # What earlier processes of a resumed run have spent counts towards its limits, too. The
        # dearest reply so far tells what one more may cost.
        spent = self.summary.spent
        resources.budget.retries.has_reply = spent.replies > 0
        resources.budget.spending.take_over(
            EarlierSpending(
                spent.known_usd, spent.tokens, spent.dearest_usd, spent.most_tokens
            )
        )
        resources.notices.listener = lambda text: self.emit(RunNotice(text=text))
        resources.context.folders.top = TrialFolders.beside(self.journal.path).top
        self.work = RunWork(resources, self.emit, self.controls, self.place_opener)

    @property
    def settings(self) -> RunSettings:
        return self.resources.spec.settings

    def emit(self, event: JournalEvent) -> None:
        """Write an event to the journal, and add it to the totals, from the thread of any trial.

        An event goes into the journal first, then into the totals and the spending. So whatever is
        counted can be counted again from the journal when the run is resumed.

        Raises `Abandoned` for an event of a trial that was given up because it was stuck: its
        thread may still come back, and has to stop then.
        """
        watch = self.controls.watch
        trial_id = getattr(event, "trial_id", "")
        if watch.of(trial_id).is_given_up:
            msg = f"the trial {trial_id} was given up"
            raise Abandoned(msg)
        watch.note_sign_of_life(trial_id, asks_model=isinstance(event, ModelAsked))
        self.journal.write(event)
        if isinstance(event, TrialEnded):
            self.journal.sync()
        with self._lock:
            fold_event(self.summary, event)
        self._count_spending(event)

    def _count_spending(self, event: JournalEvent) -> None:
        """Add what an event says about a request to a model to the run's spending."""
        spending = self.resources.budget.spending
        match event:
            case ModelAsked():
                spending.count_request(event.trial_id)
            case ModelReplied() if not event.cached:
                spending.count_reply(event.trial_id, event.known_cost_usd, event.tokens)
            case ModelReplied():  # A reply from the cache costs nothing.
                spending.end_request(event.trial_id)
            case TrialEnded() | TrialFailed() | TrialLeftOpen():
                # A request that is still open will get no reply.
                spending.end_request(event.trial_id)
            case _:
                pass

    def pause(self, error: Exception) -> bool:
        """Stop the run because of an error that would fail every further trial, too.

        The first such error is kept in `paused`, unless the run is already stopping. Returns
        False if the run is paused for the same error, which another trial has told.
        """
        with self._lock:
            if self.paused or self.controls.stop.is_set():
                return str(self.paused) != str(error)
            self.paused = error
        self.stop()
        return True

    def stop(self) -> None:
        """Start no more trials, and leave running ones open: see `RunControls.stop`."""
        self.controls.stop.set()

    def interrupt(self) -> None:
        """Stop the run because the user asks for it."""
        self.controls.interrupted.set()
        self.stop()
