"""One run in this process: its journal, its totals, and how it is stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Final, TypeAlias

from controlplane.agent.events import ModelAsked, ModelReplied, build_models
from controlplane.agent.limits.spending import EarlierSpending, Spending
from controlplane.agent.model import Abandoned
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import PlannedTrial
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.worker_place import THREADS
from controlplane.errors import extra_module
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
from controlplane.journal.totals.run_trials import RunTrials
from controlplane.journal.totals.trial_summary import FAILED, TrialSummary
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.trials.trial_lifecycle import run_trial
from controlplane.lifecycle.trials.trial_reports import Emit
from controlplane.lifecycle.trials.trial_workers import GiveUpIfStuck, Workers
from controlplane.sandbox.interface import bounds

if TYPE_CHECKING:
    from controlplane.lifecycle.playing_again import RunPlan

# Tells which trials of a run are stuck, by the time since their last sign of life.


@dataclass(frozen=True, slots=True)
class _SignOfLife:
    """The latest proof that a trial is not stuck: one of its events, or a notice of a retry."""

    at: float
    """Its time, by `time.monotonic`."""
    asks_model: bool = False
    """True if it is a request to a model, so that the trial now waits for the reply."""


class _TrialWatch:
    """The signs of life of a run's trials, and the trials that were given up.

    Threads of trials call `note` for each event. The run's own thread asks `stuck_for_s` from time
    to time, and calls `give_up` for a trial that is stuck, so that the run can end without it.
    """

    def __init__(
        self, settings: RunSettings, slow_call_s: float, *, may_wait_for_user: bool
    ) -> None:
        """Watch the trials of a run.

        - `slow_call_s`: by how many seconds the longest call of this benchmark may exceed
          the usual limit; 0 unless the benchmark is slow.
        - `may_wait_for_user`: True if trials ask the user to approve calls. The user
          may take any time to answer.
        """
        self._settings = settings
        self._slow_call_s = slow_call_s
        self._may_wait_for_user = may_wait_for_user
        self._signs: dict[str, _SignOfLife] = {}
        """The last sign of life of each trial, by its id."""
        self._time_limits: dict[str, float] = {}
        """The seconds that each trial may use, by its id, once it has begun."""
        self._given_up: set[str] = set()
        """The ids of the trials that were given up because they were stuck."""

    def note(self, trial_id: str, *, asks_model: bool = False) -> None:
        """Note a sign of life of a trial."""
        self._signs[trial_id] = _SignOfLife(time.monotonic(), asks_model)

    def note_time_limit(self, trial_id: str, seconds: float) -> None:
        """Note how many seconds a trial may use. Its task may allow others than the run."""
        self._time_limits[trial_id] = seconds

    def give_up(self, trial_id: str) -> None:
        """Give up a trial that is stuck. Its thread may still come back."""
        self._given_up.add(trial_id)

    def has_given_up(self, trial_id: str) -> bool:
        return trial_id in self._given_up

    def stuck_for_s(
        self, trial_id: str, began_at: float, *, run_stops: bool
    ) -> float | None:
        """Return for how many seconds a stuck trial has been silent; None if it is not stuck.

        It is stuck if it was silent for too long, and its time is over or the run
        stops. A trial that may be waiting for the user is never stuck.

        `began_at` is the time of its start, by `time.monotonic`.
        """
        now = time.monotonic()
        sign = self._signs.get(trial_id, _SignOfLife(began_at))
        silence_s = now - max(sign.at, began_at)
        max_silence_s = self._max_silence_s(sign)
        if silence_s < max_silence_s or self._may_wait_for_user:
            return None
        # Until a trial has begun, its benchmark starts it.
        time_limit_s = self._time_limits.get(trial_id, self._settings.trial_time)
        is_time_over = now - began_at > time_limit_s + max_silence_s
        if run_stops or is_time_over:
            return silence_s
        return None

    def _max_silence_s(self, sign: _SignOfLife) -> float:
        """Return the seconds for which a healthy trial may be silent after a sign of life.

        They suffice for a script of a whole step, and for the longest call.
        """
        settings = self._settings
        silence_s = bounds.TRIAL_SILENCE_S + settings.step_time + self._slow_call_s
        if sign.asks_model:
            silence_s += settings.model_timeout
        return silence_s


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
    watch: _TrialWatch
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


# Opens the workers of a run: threads of this process, or those of a cluster.

_OpenWorkers: TypeAlias = Callable[[RunResources, Emit, RunControls], Workers]
"""Makes the workers of a run. Raises `ControlPlaneError` if there are none."""


def open_workers(resources: RunResources, emit: Emit, controls: RunControls) -> Workers:
    """Return workers that play trials where the settings say: in this process or at a cluster.

    `emit` writes the events of the trials to the journal. Raises `ControlPlaneError` if the cluster has no workers.
    """
    place = resources.spec.settings.workers
    if place != THREADS:
        cluster = extra_module(
            "controlplane.workers.dask_workers", f"--workers {place}", "cluster"
        )
        cluster_workers: Workers = cluster.open_cluster(resources, emit, controls)
        return cluster_workers
    build_models()
    # Begin to start the server of sandbox processes. The first script will not wait for it.
    resources.script_server.launch()

    def play(planned_trial: PlannedTrial, record: TrialRecord) -> None:
        run_trial(resources, planned_trial, emit, controls, record)

    concurrency = resources.spec.settings.concurrency
    usual = resources.opened.usual_concurrency
    is_set = concurrency != RunSettings.model_fields["concurrency"].default
    if usual and not is_set:
        concurrency = min(concurrency, usual)
    return Workers(play, concurrency)


# Plays several trials on the workers of a run, until each is over or given up.

_LOOK_INTERVAL_S: Final = 0.2
"""Seconds between two looks at the trials. In between, the main thread can handle signals."""


def _never_give_up(planned_trial: PlannedTrial, began_at: float) -> bool:
    return False


def play_all(
    workers: Workers,
    planned_trials: Iterable[PlannedTrial],
    *,
    controls: RunControls,
    records: Mapping[str, TrialRecord],
    give_up_if_stuck: GiveUpIfStuck = _never_give_up,
) -> None:
    """Play trials, and return when every one is over, cancelled or given up.

    `planned_trials` names the trials. `records` holds what earlier attempts did, by trial id.
    Raises the first error that ends the whole run.
    """
    unfinished: set[Future[None]] = set()
    finished: SimpleQueue[Future[None]] = SimpleQueue()
    for planned_trial in planned_trials:
        unfinished.add(
            workers.submit(
                planned_trial, records.get(planned_trial.trial_id, TrialRecord())
            )
        )
    for future in unfinished:
        future.add_done_callback(finished.put)

    while unfinished:
        ended = _next_finished(finished)
        if ended is not None:
            unfinished.discard(ended)
            error = None if ended.cancelled() else ended.exception()
            if error is not None:
                controls.stop.set()
                _cancel_waiting(unfinished)
                raise error

        if controls.stop.is_set():
            # Do not play the trials that have not begun, and wait for the others.
            cancelled = _cancel_waiting(unfinished)
            unfinished -= cancelled

        given_up = workers.give_up_stuck_trials(give_up_if_stuck)
        unfinished -= given_up


def _next_finished(finished: SimpleQueue[Future[None]]) -> Future[None] | None:
    """Wait a short time for a trial to finish. Return its future, or None if none has finished."""
    try:
        return finished.get(timeout=_LOOK_INTERVAL_S)
    except Empty:
        return None


def _cancel_waiting(futures: Iterable[Future[None]]) -> set[Future[None]]:
    """Cancel the trials that no thread has taken, and return their futures."""
    cancelled = set()
    for future in futures:
        if future.cancel():  # False if the trial has begun
            cancelled.add(future)
    return cancelled


# Gives up the trials of a run that are stuck.


@dataclass(frozen=True, slots=True)
class _StuckTrials:
    """The trials that were given up because they were stuck."""

    watch: _TrialWatch
    """Tells for how long each trial has been silent."""
    controls: RunControls
    emit: Emit

    def has(self, trial_id: str) -> bool:
        """Return True if a trial was given up."""
        return self.watch.has_given_up(trial_id)

    def give_up_if_stuck(self, planned_trial: PlannedTrial, began_at: float) -> bool:
        """Give up a trial that is stuck, and record that. Return True if it was given up.

        `began_at` is the time of its start, by `time.monotonic`.
        """
        trial_id = planned_trial.trial_id
        run_stops = self.controls.stop.is_set()
        silence_s = self.watch.stuck_for_s(trial_id, began_at, run_stops=run_stops)
        if silence_s is None:  # The trial is not stuck.
            return False
        reason = f"it did not come back: nothing was heard of it for {silence_s:.0f} s"
        # A run that stops can be resumed, and then plays the trial again. One that goes on must come
        # to an end, so the trial has failed.
        if run_stops:
            self.emit(TrialLeftOpen(trial_id=trial_id, reason=reason))
        else:
            self.emit(TrialFailed(trial_id=trial_id, phase="end", error=reason))
        self.watch.give_up(trial_id)
        return True


# Plays the trials of a run on its workers.


@dataclass(slots=True)
class RunWork:
    """The work of a run: its workers (threads, or processes of a cluster) play its trials.

    The workers are open only while `play_trials` runs, or from an earlier call of `open_workers`.
    """

    resources: RunResources
    emit: Emit
    """Takes the events of the trials."""
    controls: RunControls
    """The signals between the run and its trials, such as to stop."""
    stuck_trials: _StuckTrials
    """Tells which trials have been silent for too long, and gives them up."""
    workers_opener: _OpenWorkers
    _workers: Workers | None = None

    def open_workers(self) -> Workers:
        """Open the workers, unless they are open. Raises `ControlPlaneError` if there are none."""
        if self._workers is None:
            self._workers = self.workers_opener(
                self.resources, self.emit, self.controls
            )
        return self._workers

    def close_workers(self) -> None:
        """Wait for the workers to end, if they are open."""
        if self._workers is not None:
            workers = self._workers
            self._workers = None
            workers.close()

    def play_trials(
        self, trials: RunTrials, records: Mapping[str, TrialRecord]
    ) -> None:
        """Play every unfinished trial, then try once more those that could not start.

        `records` holds what earlier attempts did, by trial id. Raises `ControlPlaneError`
        if the whole run cannot continue.
        """
        workers = self.open_workers()
        try:
            # 1. All unfinished trials. In a resumed run, some may have failed to start before.
            unfinished = [trial for trial in trials.values() if not trial.is_over]
            self._expect_failures(self._trials_to_start_again(trials))
            self._play(workers, unfinished, records)

            # 2. Those that failed to start, once more
            failed = self._trials_to_start_again(trials)
            self._expect_failures(failed)
            self._play(workers, failed, records)
        finally:
            self.close_workers()

    def _trials_to_start_again(self, trials: RunTrials) -> list[TrialSummary]:
        """Return the trials that failed to start. A second try may succeed.

        Trials that were given up are left out, since they would get stuck again.
        """
        failed = [trial for trial in trials.values() if trial.state == FAILED]
        return [trial for trial in failed if not self.stuck_trials.has(trial.trial_id)]

    def _expect_failures(self, failed_before: Sequence[TrialSummary]) -> None:
        """Let these trials fail to start again without consequences.

        Several failures in a row usually count as an outage of the benchmark, which pauses the
        run. These are known to fail.
        """
        failed_ids = frozenset(trial.trial_id for trial in failed_before)
        self.controls.health.known_failed = failed_ids

    def _play(
        self,
        workers: Workers,
        trials: Sequence[TrialSummary],
        records: Mapping[str, TrialRecord],
    ) -> None:
        """Play trials concurrently. Raises the first error that ends the whole run."""
        play_all(
            workers,
            [_stub_of(trial) for trial in trials],
            controls=self.controls,
            records=records,
            give_up_if_stuck=self.stuck_trials.give_up_if_stuck,
        )


def _stub_of(trial: TrialSummary) -> PlannedTrial:
    """Return the trial as the benchmark allotted it."""
    return PlannedTrial(trial.trial_id, trial.task_id, trial.number, trial.repeat)


@dataclass(slots=True)
class Run:
    """One run in this process.

    `opened_run` creates a new one, and `reopen_run` one to resume. Then `begin_run` (new
    runs only), `work.play_trials` and `close_run` follow. Threads of trials call `emit`.
    """

    resources: RunResources
    journal: JournalWriter
    workers_opener: _OpenWorkers = open_workers
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
        watch = _TrialWatch(
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
        resources.context.folders.top = self.journal.path.with_suffix("")
        stuck_trials = _StuckTrials(watch, self.controls, self.emit)
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
