"""One run in this process: its journal, its totals, its trials side by side, and how it is stopped."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Final, TypeAlias

from controlplane.agent.events import ModelAsked, ModelReplied, build_models
from controlplane.agent.limits.spending import EarlierSpending
from controlplane.agent.model import Abandoned
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import PlannedTrial, TrialFolders
from controlplane.configuration.run_settings import THREADS, RunSettings
from controlplane.errors import extra_module
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import (
    JournalEvent,
    RunNotice,
    TrialEnded,
    TrialFailed,
    TrialLeftOpen,
)
from controlplane.journal.totals.run_summary import RunSummary, fold_event
from controlplane.journal.totals.trial_summary import FAILED, TrialSummary
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.trial_lifecycle import run_trial
from controlplane.sandbox.interface import bounds

if TYPE_CHECKING:
    from controlplane.lifecycle.run_plan import RunPlan
    from controlplane.workers.dask_workers import ClusterPlace

_LOOK_INTERVAL_S: Final = 0.2
"""Seconds between two looks at the trials. In between, the main thread can handle signals."""
_Endings: TypeAlias = SimpleQueue[tuple[str, BaseException | None]]
"""The trials that are over, by their ids, each with the error that ends the whole run, if any."""


@dataclass(slots=True)
class Run:
    """One run in this process.

    `opened_run` creates a new one, and `reopen_run` one to resume. Then `begin_run` (new
    runs only), `play_trials` and `close_run` follow. Threads of trials call `emit`.
    """

    resources: RunResources
    journal: JournalWriter
    cluster: ClusterPlace | None = None
    """The cluster that plays the trials; None if they are played in threads of this process."""
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
    _is_open: bool = False
    """True if what trials need in this process is open."""
    _threads: dict[str, threading.Thread] = field(default_factory=dict)
    """The thread of each trial that is being played, without those that were given up."""
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
        trial_id = getattr(event, "trial_id", "")
        trial = self.controls.watch[trial_id]
        if trial.is_given_up:
            msg = f"the trial {trial_id} was given up"
            raise Abandoned(msg)
        trial.note_sign_of_life(asks_model=isinstance(event, ModelAsked))
        self.journal.write(event)
        if isinstance(event, TrialEnded):
            self.journal.sync()
        with self._lock:
            fold_event(self.summary, event)
        # Add what an event says about a request to a model to the run's spending.
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

    # Its trials, side by side

    def open_place(self) -> None:
        """Open what plays the trials, unless it is open: the cluster that the settings name, or this process.

        Raises `ControlPlaneError` if no trial can be played there.
        """
        workers = self.settings.workers
        if self._is_open or self.cluster is not None:
            return
        if workers == THREADS:
            build_models()
            # Begin to start the server of sandbox processes. The first script will not wait for it.
            self.resources.sandbox.launch_for_scripts()
            self._is_open = True
        else:
            cluster = extra_module(
                "controlplane.workers.dask_workers", f"--workers {workers}", "cluster"
            )
            self.cluster = cluster.open_cluster(
                self.resources, self.emit, self.controls
            )

    def close_place(self) -> None:
        """Wait until no trial is played any more, and disconnect from a cluster."""
        for thread in list(self._threads.values()):
            thread.join()
        self._threads.clear()
        if self.cluster is not None:
            cluster = self.cluster
            self.cluster = None
            cluster.close()

    def play_trials(self) -> None:
        """Play every unfinished trial, then try once more those that could not start.

        Raises `ControlPlaneError` if the whole run cannot continue.
        """
        self.open_place()
        trials = self.summary.trials.values()
        try:
            # 1. All unfinished trials. In a resumed run, some may have failed to start before.
            self._expect_failures()
            self._play([trial for trial in trials if not trial.is_over])

            # 2. Those that failed to start, once more
            self._play(self._expect_failures())
        finally:
            self.close_place()

    def _expect_failures(self) -> list[TrialSummary]:
        """Let the trials that failed to start do so again without consequences, and return them.

        Several failures in a row usually count as an outage of the benchmark, which pauses the
        run. These are known to fail. Trials that were given up are left out, since they would get
        stuck again.
        """
        failed = []
        for trial in self.summary.trials.values():
            is_given_up = self.controls.watch[trial.trial_id].is_given_up
            if trial.state == FAILED and not is_given_up:
                failed.append(trial)
        self.controls.health.known_failed = frozenset(
            trial.trial_id for trial in failed
        )
        return failed

    def _play(self, trials: Iterable[TrialSummary]) -> None:
        """Play trials, each in a thread, and return when every one is over, left out or given up.

        At most `concurrency` are played at a time. Raises the first error that ends the whole run.
        """
        waiting = deque(trials)
        endings: _Endings = SimpleQueue()
        while waiting or self._threads:
            # 1. If the run stops, do not play the trials that have not begun.
            if self.controls.stop.is_set():
                waiting.clear()
            while waiting and len(self._threads) < self.resources.concurrency:
                self._begin_trial(waiting.popleft(), endings)

            # 2. A trial that is over may end the whole run by its error.
            with suppress(Empty):
                trial_id, error = endings.get(timeout=_LOOK_INTERVAL_S)
                was_given_up = self._threads.pop(trial_id, None) is None
                if error is not None and not was_given_up:
                    self.controls.stop.set()
                    raise error

            # 3. Go on without the trials that are stuck. A thread cannot be ended: it is left alone.
            for trial_id in list(self._threads):
                silence_s = self._stuck_for_s(trial_id)
                if silence_s is not None:
                    # Record that a trial is stuck, and go on without it.
                    reason = f"it did not come back: nothing was heard of it for {silence_s:.0f} s"
                    # A run that stops can be resumed, and then plays the trial again. One that goes on must come
                    # to an end, so the end of the trial has failed; a resumed run tries it again.
                    if self.controls.stop.is_set():
                        self.emit(TrialLeftOpen(trial_id=trial_id, reason=reason))
                    else:
                        self.emit(
                            TrialFailed(trial_id=trial_id, phase="end", error=reason)
                        )
                    self.controls.watch[trial_id].is_given_up = True
                    del self._threads[trial_id]

    def _begin_trial(self, trial: TrialSummary, endings: _Endings) -> None:
        """Play a trial in a thread of its own, which puts its ending into `endings`."""
        trial_id = trial.trial_id
        planned = PlannedTrial(trial_id, trial.task_id, trial.number, trial.repeat)
        record = self.trial_records.get(trial_id, TrialRecord())

        def play() -> None:
            failure: BaseException | None = None
            try:
                if self.cluster is not None:
                    self.cluster.play(planned, record)
                else:
                    run_trial(self.resources, planned, self.emit, self.controls, record)
            except BaseException as error:  # noqa: BLE001 - the main thread raises it
                failure = error
            endings.put((trial_id, failure))

        self.controls.watch[trial_id].begin()
        # A daemon, so that one that never returns does not keep the program from ending.
        thread = threading.Thread(target=play, name="trial", daemon=True)
        self._threads[trial_id] = thread
        thread.start()

    def _stuck_for_s(self, trial_id: str) -> float | None:
        """Return for how many seconds a stuck trial has been silent; None if it is not stuck.

        It is stuck if it was silent for too long, and its time is over or the run stops. A trial
        that may be waiting for the user, who is to approve a call, is never stuck.
        """
        if self.resources.spec.may_ask_user:
            return None
        trial = self.controls.watch[trial_id]
        # A healthy trial may be silent for a script of a whole step, and for the longest call.
        settings = self.settings
        max_silence_s = bounds.TRIAL_SILENCE_S + settings.step_time
        max_silence_s += self.resources.opened.longest_silence_s
        if trial.asks_model:
            max_silence_s += settings.model_timeout

        now = time.monotonic()
        silence_s = now - trial.sign_at
        # Until a trial has begun, its benchmark starts it, and its own limit is not known.
        time_limit_s = trial.time_limit_s or settings.trial_time
        is_time_over = now - trial.began_at > time_limit_s + max_silence_s
        may_end = is_time_over or self.controls.stop.is_set()
        return silence_s if may_end and silence_s >= max_silence_s else None
