"""The lifecycle of a run: begin it, play its trials, and record how it ended.

`Run` is one run in this process. Every event passes through `Run.emit`, which writes it
to the journal and adds it to the run's totals and spending.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from controlplane.agent.events import ModelAsked, ModelReplied
from controlplane.agent.model import Abandoned
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import (
    BenchmarkError,
    StartedRun,
    TaskSelection,
    TrialStub,
    start_selected_run,
)
from controlplane.configuration.named_modules import as_command_error
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import (
    BudgetExhausted,
    ControlPlaneError,
    Interrupted,
    JournalUnwritable,
)
from controlplane.journal.journal_writer import RESUMABLE, JournalWriter
from controlplane.journal.run_events import (
    AllottedTrial,
    JournalEvent,
    RunClosed,
    RunNotice,
    RunStarted,
    TrialEnded,
    TrialFailed,
    TrialLeftOpen,
)
from controlplane.journal.totals.run_folding import fold_event
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import FAILED, TrialSummary
from controlplane.lifecycle.benchmark_health import RunControls
from controlplane.lifecycle.opening_events import opening_event, prompts_event
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.trials.stuck_trials import TrialWatch
from controlplane.lifecycle.trials.trial_workers import (
    OpenWorkers,
    Workers,
    open_workers,
    play_all,
)

if TYPE_CHECKING:
    from controlplane.lifecycle.new_run import NewRun


@dataclass(slots=True)
class Run:
    """One run in this process.

    `opened_run` creates a new one, and `reopen_run` one to resume.
    Then `begin` (new runs only), `work` and `close` are called in this order.
    Threads of trials call `emit`.
    """

    resources: RunResources
    journal: JournalWriter
    workers_opener: OpenWorkers = open_workers
    """Opens the threads that play trials. Tests replace it."""
    summary: RunSummary = field(default_factory=RunSummary)
    """The totals of the whole journal, including those of earlier processes."""
    plan: NewRun | None = None
    """What a new run plays; None for a resumed run."""
    trial_records: dict[str, TrialRecord] = field(default_factory=dict)
    """The records of the trials that an earlier process began, by id."""
    controls: RunControls = field(init=False)
    """The signals between the run and its trials."""
    paused: Exception | None = None
    """The error for which the run stopped by itself; None if there was none."""
    _watch: TrialWatch = field(init=False)
    _given_up: set[str] = field(default_factory=set)
    """Ids of the trials that were given up because they were stuck."""
    _workers: Workers | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Connect the run with its resources, which were opened before it."""
        resources = self.resources
        self._watch = TrialWatch(
            self.settings,
            resources.opened.longest_silence_s,
            may_wait_for_user=resources.may_ask_user,
        )
        self.controls = RunControls(
            stop=resources.context.stop,
            pause=self.pause,
            note_sign_of_life=self._watch.note,
        )
        resources.notices.listener = self._emit_notice

        # What earlier processes of the run have spent counts towards its limits. The
        # dearest reply so far tells what one more may cost.
        spent = self.summary.spent
        resources.budget.spending.take_over(
            spent.known_usd,
            spent.tokens,
            dearest_usd=spent.dearest_usd,
            most_tokens=spent.most_tokens,
        )

    @property
    def settings(self) -> RunSettings:
        return self.resources.spec.settings

    # Events

    def emit(self, event: JournalEvent) -> None:
        """Write an event to the journal, and add it to the summary.

        Raises `Abandoned` for an event of a trial that was given up: its thread may
        still come back, and has to stop then.
        """
        trial_id = getattr(event, "trial_id", "")
        if trial_id in self._given_up:
            msg = f"the trial {trial_id} was given up"
            raise Abandoned(msg)
        # A trial that emits events is not stuck.
        self._watch.note(trial_id, asks_model=isinstance(event, ModelAsked))
        self.journal.write(event)
        if isinstance(event, TrialEnded):
            self.journal.sync()
        with self._lock:
            fold_event(self.summary, event)
        self._count_spending(event)

    def _emit_notice(self, text: str) -> None:
        self.emit(RunNotice(text=text))

    def _count_spending(self, event: JournalEvent) -> None:
        """Add a request to a model, or its reply, to the run's spending."""
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

    # The start

    def begin(self) -> None:
        """Open the journal of a new run, and start the run at its benchmark.

        Does nothing for a resumed run. Raises `UsageError` and `Unreachable`.
        """
        plan = self.plan
        if plan is None:
            return
        self._record_opening(plan)
        started = self._start_at_benchmark(plan)
        self._record_start(started)
        if not plan.tasks and not plan.tries:
            notice = self.resources.tasks.limit_notice()
            if notice:
                self.resources.notices.show_once(notice)
        self.journal.sync()
        if plan.fork is not None:
            # Each trial continues a recorded one, and gets the steps before the fork.
            self.trial_records = plan.fork.begin(self)

    def _record_opening(self, plan: NewRun) -> None:
        """Write the settings and prompts of a new run to its journal."""
        self.journal.resume_hint = (
            "nothing of the run can be resumed; fix that and start a new run"
        )
        run_id = self.journal.path.stem
        self.emit(
            opening_event(run_id, self.resources, plan.sources, plan.tasks, plan.parent)
        )
        if self.resources.prompts is not None:
            self.emit(prompts_event(self.resources.prompts))

    def _start_at_benchmark(self, plan: NewRun) -> StartedRun:
        """Start the planned trials. Raises `UsageError` and `Unreachable`."""
        settings = self.settings
        name = settings.name or self.journal.path.stem
        selection = self._selection(plan)
        try:
            return start_selected_run(
                self.resources.benchmark, selection, name=name, seed=settings.seed
            )
        except BenchmarkError as error:
            raise as_command_error(error) from error

    def _selection(self, plan: NewRun) -> TaskSelection:
        """Return the tasks to play. Raises `UsageError`."""
        if plan.tries:
            task_ids = dict.fromkeys(task_try.task_id for task_try in plan.tries)
            return TaskSelection(tuple(task_ids), only=plan.tries)
        settings = self.settings
        names = self.resources.tasks.chosen_by(plan.tasks)
        return TaskSelection(
            tuple(names), settings.limit, settings.repeats, settings.worlds
        )

    def _record_start(self, started: StartedRun) -> None:
        """Record the trials that the benchmark has given the run.

        From then on, the run can be resumed.
        """
        # If the journal cannot be written now, the run exists only at the benchmark.
        self.journal.resume_hint = (
            f"the run began at its benchmark as {started.run_id!r}, recorded nowhere, "
            "so it cannot be resumed; fix that and start a new run"
        )
        trials = []
        for stub in started.trials:
            trials.append(
                AllottedTrial(
                    trial_id=stub.trial_id,
                    task_id=stub.task_id,
                    number=stub.number,
                    repeat=stub.repeat,
                )
            )
        self.emit(RunStarted(run_id=started.run_id, trials=tuple(trials)))
        self.journal.resume_hint = RESUMABLE

    # The trials

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

    def work(self) -> None:
        """Play every unfinished trial, then try once more those that could not start.

        Raises `ControlPlaneError` if the whole run cannot continue.
        """
        workers = self.open_workers()
        try:
            trials = self.summary.trials.values()
            self._play_all(workers, [trial for trial in trials if not trial.is_over])
            self._play_all(workers, self._trials_to_start_again())
        finally:
            self.close_workers()

    def _trials_to_start_again(self) -> list[TrialSummary]:
        """Return the trials that failed to start. A second try may succeed.

        Trials that were given up are left out, since they would get stuck again.
        """
        trials = []
        for trial in self.summary.trials.values():
            if trial.state == FAILED and trial.trial_id not in self._given_up:
                trials.append(trial)
        return trials

    def _play_all(self, workers: Workers, trials: Sequence[TrialSummary]) -> None:
        """Play trials concurrently. Raises the first error that ends the whole run."""
        # If these trials fail to start again, that may be their own fault. So it is not
        # counted as a sign that the benchmark is down, for which the run would pause.
        failed_before = [trial.trial_id for trial in self._trials_to_start_again()]
        self.controls.health.known_failed = frozenset(failed_before)
        stubs = []
        for trial in trials:
            stubs.append(
                TrialStub(trial.trial_id, trial.task_id, trial.number, trial.repeat)
            )
        play_all(
            workers,
            stubs,
            controls=self.controls,
            records=self.trial_records,
            give_up_if_stuck=self._give_up_if_stuck,
        )

    def _give_up_if_stuck(self, stub: TrialStub, began_at: float) -> bool:
        """Give up a trial that is stuck, and record that. Return True if it was given up."""
        trial_id = stub.trial_id
        run_stops = self.controls.stop.is_set()
        silence_s = self._watch.stuck_for_s(trial_id, began_at, run_stops=run_stops)
        if silence_s is None:  # The trial is not stuck.
            return False
        reason = f"it did not come back: nothing was heard of it for {silence_s:.0f} s"
        if run_stops:
            self.emit(TrialLeftOpen(trial_id=trial_id, reason=reason))
        else:
            self.emit(TrialFailed(trial_id=trial_id, phase="end", error=reason))
        self._given_up.add(trial_id)
        return True

    # The stop

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

    # The end

    def close(
        self, error: BaseException | None = None, *, counts_trials: bool = True
    ) -> int:
        """Record how the run ended, and return its exit code.

        Without an error the code is 0 if every trial ended with an answer (or the
        fallback answer) and none broke. If `counts_trials` is False, the outcome of the
        trials does not matter.
        """
        if error is not None:
            code = _exit_code_of(error)
        else:
            code = self._exit_code_of_trials() if counts_trials else 0

        is_unwritable = isinstance(error, JournalUnwritable)
        if self.journal.failure is None and not is_unwritable:
            self.emit(_closing_event(code, error))
            self.journal.sync()
        return code

    def _exit_code_of_trials(self) -> int:
        trials = self.summary.trials.values()
        ended = self.summary.trials.count("answered", "fallback")
        is_complete = bool(self.summary.submitted) and ended == len(trials)

        has_spent_all = bool(self.resources.budget.spending.stop_reason)
        if has_spent_all and not is_complete:
            return BudgetExhausted.exit_code
        if any(trial.out_of_budget for trial in trials):
            return BudgetExhausted.exit_code
        if not is_complete or any(trial.is_broken for trial in trials):
            return 1
        return 0


def _exit_code_of(error: BaseException) -> int:
    if isinstance(error, ControlPlaneError):
        return error.exit_code
    if isinstance(error, KeyboardInterrupt):
        return Interrupted.exit_code
    return 1


def _closing_event(code: int, error: BaseException | None) -> RunClosed:
    text = str(error or "")
    if code == Interrupted.exit_code:
        return RunClosed(how="interrupted", exit_code=code, error=text)
    if error is None:
        return RunClosed(how="finished", exit_code=code, error=text)
    return RunClosed(how="failed", exit_code=code, error=text)
