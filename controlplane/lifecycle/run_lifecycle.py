"""One run in this process: its journal, its totals, and how it is stopped."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from controlplane.agent.record.trial_record import TrialRecord
from controlplane.configuration.run_settings import RunSettings
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent, RunNotice
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.run_event_log import RunEventLog
from controlplane.lifecycle.run_work import RunWork
from controlplane.lifecycle.trials.opening_workers import OpenWorkers, open_workers
from controlplane.lifecycle.trials.stuck_trials import StuckTrials
from controlplane.lifecycle.trials.trial_watch import TrialWatch

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
    workers_opener: OpenWorkers = open_workers
    """Opens the threads that play trials. Tests replace it."""
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
        )
        spending = resources.budget.spending
        self._events = RunEventLog(self.journal, self.summary, spending, watch)
        resources.notices.listener = lambda text: self.emit(RunNotice(text=text))
        stuck_trials = StuckTrials(watch, self.controls, self.emit)
        self.work = RunWork(
            resources, self.emit, self.controls, stuck_trials, self.workers_opener
        )

    @property
    def settings(self) -> RunSettings:
        return self.resources.spec.settings

    def emit(self, event: JournalEvent) -> None:
        """Write an event to the journal, and add it to the totals.

        Raises `Abandoned` in the thread of a trial that was given up because it was stuck.
        """
        self._events.emit(event)

    def pause(self, error: Exception) -> None:
        """Stop the run because of an error that would fail every further trial, too.

        The first such error is kept in `paused`, unless the run is already stopping.
        """
        with self._lock:
            if self.paused or self.controls.stop.is_set():
                return
            self.paused = error
        self.stop()

    def stop(self) -> None:
        """Start no more trials, and leave running trials open at the end of their current step."""
        self.controls.stop.set()

    def interrupt(self) -> None:
        """Stop the run because the user asks for it."""
        self.controls.interrupted.set()
        self.stop()
