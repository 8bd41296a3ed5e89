"""One run in this process: its journal, its totals, and how it is stopped."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from controlplane.agent.events import ModelAsked, ModelReplied
from controlplane.agent.limits.spending import EarlierSpending, Spending
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
from controlplane.journal.totals.run_folding import fold_event
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.trials_side_by_side import (
    OpenPlace,
    RunWork,
    TrialWatch,
    open_place,
)

if TYPE_CHECKING:
    from controlplane.lifecycle.run_plan import RunPlan

# Takes every event of a run: into the journal, the totals and the spending.


@dataclass(slots=True)
class RunEventLog:
    """Takes the events of a run, from the threads of all its trials.

    An event goes into the journal first, then into the totals and the spending. So whatever is
    counted can be counted again from the journal when the run is resumed.
    """

    journal: JournalWriter
    summary: RunSummary
    """The totals of the whole journal, including those of earlier processes."""
    spending: Spending
    """What models cost, for the limits of the run."""
    watch: TrialWatch
    """Learns from the events which trials are not stuck."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        # A resumed run: what earlier processes have spent counts towards its limits, too. The
        # dearest reply so far tells what one more may cost.
        spent = self.summary.spent
        self.spending.take_over(
            EarlierSpending(
                spent.known_usd, spent.tokens, spent.dearest_usd, spent.most_tokens
            )
        )

    def emit(self, event: JournalEvent) -> None:
        """Write an event to the journal, and add it to the totals.

        Raises `Abandoned` for an event of a trial that was given up: its thread may
        still come back, and has to stop then.
        """
        trial_id = getattr(event, "trial_id", "")
        if self.watch.has_given_up(trial_id):
            msg = f"the trial {trial_id} was given up"
            raise Abandoned(msg)
        self.watch.note(trial_id, asks_model=isinstance(event, ModelAsked))
        self.journal.write(event)
        if isinstance(event, TrialEnded):
            self.journal.sync()
        self.count(event)

    def count(self, event: JournalEvent) -> None:
        """Add an event to the totals, and to the spending if it is about a model."""
        with self._lock:
            fold_event(self.summary, event)
        match event:
            case ModelAsked():
                self.spending.count_request(event.trial_id)
            case ModelReplied() if not event.cached:
                self.spending.count_reply(
                    event.trial_id, event.known_cost_usd, event.tokens
                )
            case ModelReplied():  # A reply from the cache costs nothing.
                self.spending.end_request(event.trial_id)
            case TrialEnded() | TrialFailed() | TrialLeftOpen():
                # A request that is still open will get no reply.
                self.spending.end_request(event.trial_id)
            case _:
                pass


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
    _events: RunEventLog = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Connect the run with its resources, which were opened before it.

        What they report, such as notices, becomes events of this run. What the run is told, such
        as to stop, reaches all trials by the shared `controls`.
        """
        resources = self.resources
        watch = TrialWatch(
            self.settings,
            resources.opened.longest_silence_s,
            may_wait_for_user=resources.spec.may_ask_user,
        )
        self.controls = RunControls(
            stop=resources.context.stop,
            pause=self.pause,
            note_sign_of_life=watch.note,
            note_time_limit=watch.note_time_limit,
        )
        # A resumed run may have had replies in an earlier process.
        resources.budget.retries.has_reply = self.summary.spent.replies > 0
        spending = resources.budget.spending
        self._events = RunEventLog(self.journal, self.summary, spending, watch)
        resources.notices.listener = lambda text: self.emit(RunNotice(text=text))
        resources.context.folders.top = TrialFolders.beside(self.journal.path).top
        self.work = RunWork(
            resources, self.emit, self.controls, watch, self.place_opener
        )

    @property
    def settings(self) -> RunSettings:
        return self.resources.spec.settings

    def emit(self, event: JournalEvent) -> None:
        """Write an event to the journal, and add it to the totals.

        Raises `Abandoned` in the thread of a trial that was given up because it was stuck.
        """
        self._events.emit(event)

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
        """Start no more trials, and leave running trials open at the end of their current step."""
        self.controls.stop.set()

    def interrupt(self) -> None:
        """Stop the run because the user asks for it."""
        self.controls.interrupted.set()
        self.stop()
