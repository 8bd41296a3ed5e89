"""The lifecycle of a run: start or resume it, run its trials in parallel, submit it, poll for its scores."""

from __future__ import annotations

import gc
import resource
import secrets
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from controlplane.agent.events import ModelAsked, ModelReplied, build_models
from controlplane.agent.model import Abandoned
from controlplane.agent.trial_record import TrialRecord
from controlplane.benchmark import (
    BenchmarkError,
    OpenedBenchmark,
    RunResult,
    RunState,
    TaskSelection,
    TaskTry,
    TrialStub,
    start_selected_run,
)
from controlplane.configuration.config_file import run_argument
from controlplane.configuration.named_modules import refused
from controlplane.configuration.recorded_settings import check_own, settings_here, settings_of
from controlplane.configuration.run_settings import (
    THREADS,
    ModelSettings,
    RunSettings,
    Use,
    settings_with,
)
from controlplane.errors import (
    BudgetExhausted,
    ControlPlaneError,
    Interrupted,
    JournalUnwritable,
    Unreachable,
    UsageError,
    extra_module,
    invocation,
)
from controlplane.journal import run_events
from controlplane.journal.journal_lines import RESUMABLE, JournalWriter
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_events import RunResumed
from controlplane.journal.run_summary import FAILED, RunSummary
from controlplane.lifecycle.benchmark_health import RunControls, call_or_failure
from controlplane.lifecycle.run_resources import RunResources, RunSpec, recorded_prompts
from controlplane.lifecycle.trial_lifecycle import Emit, run_trial
from controlplane.sandbox.interface import CallError, bounds, error_codes

if TYPE_CHECKING:
    from controlplane.lifecycle.new_run import NewRun
    from controlplane.mcp.server_specs import ToolAccess


class Workers:
    """Threads that each see a trial through, in this process or at another one. Nothing waits for a thread that is
    given up."""

    def __init__(self, play: Callable[[TrialStub, TrialRecord], None], count: int) -> None:
        """`play` returns when a trial is over and all its events are emitted; it raises what ends the whole run."""
        self._play = play
        self._count = count
        self._waiting = SimpleQueue[tuple[Future[None], TrialStub, TrialRecord] | None]()
        self._running: dict[threading.Thread, tuple[Future[None], TrialStub, float]] = {}
        self._threads: list[threading.Thread] = []

    def submit(self, stub: TrialStub, record: TrialRecord) -> Future[None]:
        """Have a trial played as soon as there is room. The future can be cancelled until then."""
        future = Future[None]()
        self._waiting.put((future, stub, record))
        if len(self._threads) < self._count:
            self._add_thread()
        return future

    def give_up(self, is_late: Callable[[TrialStub, float], bool]) -> set[Future[None]]:
        """Leave the threads of late trials to themselves, and put others in their places; return the trials' futures.
        `is_late` gets a trial and the moment at which it began, by `time.monotonic`."""
        late = set()
        for thread, (future, stub, began) in list(self._running.items()):
            if is_late(stub, began):
                late.add(future)
                self._running.pop(thread, None)
                self._threads.remove(thread)
                self._add_thread()
        return late

    def close(self) -> None:
        """Wait for the threads, and release what plays the trials; no trial may be running."""
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join()

    def _add_thread(self) -> None:
        thread = threading.Thread(target=self._conduct_new, name="trial", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _conduct_new(self) -> None:
        thread = threading.current_thread()
        while thread in self._threads and (task := self._waiting.get()):
            future, stub, record = task
            if future.set_running_or_notify_cancel():
                self._running[thread] = future, stub, time.monotonic()
                with ExitStack() as stack:
                    stack.push(partial(_settle, future))
                    self._play(stub, record)
                self._running.pop(thread, None)


def _settle(future: Future[None], kind: object, error: BaseException | None, trace: object) -> bool:
    """Hand what a trial raised, or that it is over, to whoever waits for it."""
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)
    return True


OpenWorkers: TypeAlias = Callable[[RunResources, Emit, RunControls], Workers]
"""Makes the workers of a run. Raises `ControlPlaneError` if there are none."""


def tune_process() -> None:
    """Set up a process that does nothing but play trials: its thread switches, and what its collector looks at."""
    sys.setswitchinterval(0.02)  # Threads are alike, and each change between them costs CPU.
    _, most = resource.getrlimit(
        resource.RLIMIT_NOFILE
    )  # A trial opens a few files, and 1,024 is the usual limit.
    with suppress(ValueError, OSError):  # some systems have a lower limit than they report
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if not gc.get_freeze_count():
        gc.collect()
        gc.freeze()  # What is imported stays: a collection among it would stop every trial.
        gc.set_threshold(20_000)  # Without it a collection is quick, and garbage takes memory.


def open_workers(resources: RunResources, emit: Emit, controls: RunControls) -> Workers:
    """Return workers that play trials where the settings say: in this process or at a cluster."""
    if (named := resources.spec.settings.workers) != THREADS:
        cluster = extra_module("controlplane.workers.dask_workers", f"--workers {named}", "cluster")
        workers: Workers = cluster.open_cluster(resources, emit, controls)
        return workers
    build_models()
    resources.launch_server()  # It is ready before the first reply brings a script.

    def play(stub: TrialStub, record: TrialRecord) -> None:
        run_trial(resources, stub, emit, controls, record)

    return Workers(play, resources.spec.settings.concurrency)


def fan_out(
    workers: Workers,
    stubs: Iterable[TrialStub],
    *,
    controls: RunControls,
    trial_records: Mapping[str, TrialRecord],
    is_late: Callable[[TrialStub, float], bool] = lambda stub, began: False,
) -> None:
    """Run all trials and return when every one is over or given up. Raises the first error that ends the whole run."""
    left = {workers.submit(stub, trial_records.get(stub.trial_id, TrialRecord())) for stub in stubs}
    ended: SimpleQueue[Future[None]] = SimpleQueue()
    for trial in left:
        trial.add_done_callback(ended.put)
    while left:
        with suppress(Empty):
            trial = ended.get(
                timeout=0.2
            )  # Short waits let signals reach the main thread on every platform.
            left.discard(trial)
            if not trial.cancelled() and (error := trial.exception()) is not None:
                controls.stop.set()
                for other in left:
                    other.cancel()
                raise error
        if controls.stop.is_set():
            left = {trial for trial in left if not trial.cancel()}
        left -= workers.give_up(is_late)


def new_run_id(benchmark: str) -> str:
    """Return a journal's id: time, benchmark, and four characters that distinguish runs of the same second."""
    when = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    what = "".join(letter if letter.isalnum() else "-" for letter in benchmark.partition(":")[0])
    return f"{when}-{what}-{secrets.token_hex(2)}"


@dataclass(slots=True)
class Run:
    """One run in this process."""

    resources: RunResources
    journal: JournalWriter
    workers_opener: OpenWorkers = open_workers
    summary: RunSummary = field(default_factory=RunSummary)
    controls: RunControls = field(init=False)
    paused: Exception | None = None
    """The error that made the run stop by itself."""
    plan: NewRun | None = None
    """What a new run begins with; None for a run that continues."""
    trial_records: dict[str, TrialRecord] = field(default_factory=dict)
    """The state of each trial that continues."""
    _workers: Workers | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _signs: dict[str, tuple[float, bool]] = field(default_factory=dict)
    """By trial, when it last gave a sign of life, and whether it asks a model since."""
    _given_up: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.controls = RunControls(
            stop=self.resources.context.stop,
            pause=self.pause,
            note_sign_of_life=self._note_sign,
        )
        spent = self.summary.spent
        self.resources.budget.spending.take_over(
            spent.known_usd,
            spent.tokens,
            dearest_usd=spent.dearest_usd,
            most_tokens=spent.most_tokens,
        )
        self.resources.on_notice = lambda text: self.emit(run_events.RunNotice(text=text))

    @property
    def settings(self) -> RunSettings:
        return self.resources.spec.settings

    def begin(self) -> None:
        """Start a new run at its benchmark, with the recorded steps that the trials of a fork keep."""
        plan = self.plan
        if plan is None:
            return
        self.start(plan.sources, plan.tasks, tries=plan.tries, parent=plan.parent)
        if plan.fork is not None:
            self.trial_records = plan.fork.begin(self)

    def emit(self, event: run_events.JournalEvent) -> None:
        """Write an event to the journal, then fold it into the summary. Raises `Abandoned` for a trial given up."""
        if (trial_id := getattr(event, "trial_id", "")) in self._given_up:
            msg = f"the trial {trial_id} was given up"
            raise Abandoned(msg)
        self._note_sign(trial_id, asks=isinstance(event, ModelAsked))
        self.journal.write(event)
        if event.type == "trial_ended":
            self.journal.sync()
        with self._lock:
            self.summary.fold(event)
        self._count_spending(event)

    def _note_sign(self, trial_id: str, *, asks: bool = False) -> None:
        self._signs[trial_id] = time.monotonic(), asks

    def _is_late(self, stub: TrialStub, began: float) -> bool:
        """Give up a trial that gives no sign of life though its time is over, or the run stops; return whether."""
        settings, tools, now = self.settings, self.resources.spec.tools, time.monotonic()
        sign, asks = self._signs.get(stub.trial_id, (began, False))
        limit_s = bounds.TRIAL_SILENCE_S + settings.step_time + asks * settings.model_timeout
        limit_s += self.resources.opened.longest_silence_s
        is_stopped = self.controls.stop.is_set()
        is_over = is_stopped or now - began > settings.trial_time + limit_s
        waits_for_user = "approve" in settings.provenance or (
            tools is not None and tools.approve is not None
        )
        if now - max(sign, began) < limit_s or not is_over or waits_for_user:
            return False
        why = f"it did not come back: nothing was heard of it for {now - max(sign, began):.0f} s"
        if is_stopped:
            self.emit(run_events.TrialLeftOpen(trial_id=stub.trial_id, reason=why))
        else:
            self.emit(run_events.TrialFailed(trial_id=stub.trial_id, phase="end", error=why))
        self._given_up.add(stub.trial_id)
        return True

    def _count_spending(self, event: run_events.JournalEvent) -> None:
        spending = self.resources.budget.spending
        match event:
            case ModelAsked():
                spending.count_request(event.trial_id)
            case ModelReplied(cached=False):
                spending.count_reply(event.trial_id, event.known_cost_usd, event.tokens)
            case (
                ModelReplied()
                | run_events.TrialEnded()
                | run_events.TrialFailed()
                | run_events.TrialLeftOpen()
            ):
                spending.end_request(event.trial_id)
            case _:
                pass

    def pause(self, error: Exception) -> None:
        """Stop the run because every further trial would fail the same way."""
        with self._lock:
            if self.paused or self.controls.stop.is_set():
                return
            self.paused = error
        self.stop()

    def stop(self) -> None:
        """Start no new trials and leave running trials open after their step."""
        self.controls.stop.set()

    def interrupt(self) -> None:
        """Stop the run because the user asks for it."""
        self.controls.interrupted.set()
        self.stop()

    def start(
        self,
        sources: Mapping[str, str],
        tasks: Sequence[str],
        *,
        tries: tuple[TaskTry, ...] = (),
        parent: run_events.ParentRun | None = None,
    ) -> None:
        """Open the journal's run and start it at the benchmark, with these tasks or, if given, these `tries`.

        Raises `UsageError`, `Unreachable`.
        """
        settings = self.settings
        values = settings.model_dump(mode="json") | {"tasks": list(tasks)}
        identity = self.resources.opened.resume_identity
        if identity is not None:
            values |= {"benchmark": identity.spec, "set": dict(identity.settings)}
        self.journal.resume_hint = "nothing of the run can be resumed; fix that and start a new run"
        source_of = (
            dict.fromkeys(values, "default")
            | {"tasks": "flag" if tasks else "default"}
            | dict(sources)
        )
        self.emit(
            run_events.RunOpened(
                run=self.journal.path.stem,
                name=settings.name,
                benchmark=settings.benchmark,
                model=self.resources.model.name if self.resources.model else "",
                rule_sets=self.resources.rule_sets,
                settings=tuple(
                    run_events.Setting(name=name, value=value, source=source_of[name])
                    for name, value in values.items()
                ),
                versions=self.resources.versions(),
                parent=parent,
            )
        )
        if (prompts := self.resources.prompts) is not None:
            texts_by_name = {
                **prompts.texts,
                **({run_events.HINTS: prompts.hints} if prompts.hints else {}),
            }
            texts = tuple(
                run_events.PromptText(name=name, text=text) for name, text in texts_by_name.items()
            )
            self.emit(run_events.RunPrompts(texts=texts))
        names = tasks if tries else self.resources.playable_tasks(tasks)
        selection = TaskSelection(tuple(names), settings.limit, settings.repeats, settings.worlds)
        if tries:
            selection = TaskSelection(
                tuple(dict.fromkeys(try_.task_id for try_ in tries)), only=tries
            )
        name = settings.name or self.journal.path.stem
        try:
            started = start_selected_run(
                self.resources.benchmark, selection, name=name, seed=settings.seed
            )
        except BenchmarkError as error:
            raise refused(error) from error
        self.journal.resume_hint = (
            f"the run began at its benchmark as {started.run_id!r}, recorded nowhere, so it cannot be resumed; "
            "fix that and start a new run"
        )
        trials = tuple(
            run_events.AllottedTrial(
                trial_id=trial.trial_id,
                task_id=trial.task_id,
                number=trial.number,
                repeat=trial.repeat,
            )
            for trial in started.trials
        )
        self.emit(run_events.RunStarted(run_id=started.run_id, trials=trials))
        self.journal.resume_hint = RESUMABLE
        if not tasks and not tries:
            self.resources.tell_player_families()
        self.journal.sync()

    def open_workers(self) -> Workers:
        """Open the workers, unless they are open. Raises `ControlPlaneError` if there are none."""
        if self._workers is None:
            self._workers = self.workers_opener(self.resources, self.emit, self.controls)
        return self._workers

    def close_workers(self) -> None:
        workers, self._workers = self._workers, None
        if workers is not None:
            workers.close()

    def work(self) -> None:
        """Run every trial that is not over, then retry once the trials that could not start: the cause may have passed.

        Raises `ControlPlaneError` if the whole run cannot continue.
        """
        workers = self.open_workers()
        try:
            for is_last in (False, True):
                trials = self.summary.trials.values()
                failed = [
                    each
                    for each in trials
                    if each.state == FAILED and each.trial_id not in self._given_up
                ]
                chosen = failed if is_last else [trial for trial in trials if not trial.is_over]
                self.controls.health.known_failed = frozenset(trial.trial_id for trial in failed)
                stubs = [
                    TrialStub(trial.trial_id, trial.task_id, trial.number, trial.repeat)
                    for trial in chosen
                ]
                states = self.trial_records
                fan_out(
                    workers,
                    stubs,
                    controls=self.controls,
                    trial_records=states,
                    is_late=self._is_late,
                )
        finally:
            self.close_workers()

    def submit(self, *, force: bool = False) -> None:
        self.journal.sync()
        outcome = call_or_failure(
            lambda: self.resources.benchmark.submit_run(self.summary.run_id, force=force),
            limit_s=24 * 3600.0,  # The user may stop it earlier.
            stop=self.controls.stop,
            on_retry=lambda text: self.emit(
                run_events.RunNotice(text=f"the run is not submitted yet: {text}")
            ),
        )
        if isinstance(outcome, CallError):
            msg = f"the run could not be submitted ({outcome}); "
            if outcome.code == error_codes.NOT_FOUND:
                msg += "its benchmark no longer knows it, so its results are only in the journal"
            else:
                # Open trials are submitted only by force.
                force_too = ("--force",) if outcome.code == error_codes.FAILED_PRECONDITION else ()
                msg += f"submit it with: {invocation('submit', run_argument(self.journal.path), *force_too)}"
            raise Interrupted(msg) if self.controls.stop.is_set() else Unreachable(msg)
        self._take_result(outcome)
        self.emit(run_events.RunSubmitted(forced=force, state=outcome.state, score=outcome.score))
        self.poll(outcome)

    def poll(self, result: RunResult | None = None) -> None:
        """Poll for scores with growing pauses until they are out or the poll time is over.

        Without a `result` to begin with, polling is the whole purpose: raises `Unreachable` if nobody answers.
        """
        is_purpose = result is None
        deadline = time.monotonic() + self.settings.poll_time
        pause_s = 0.5
        while result is None or result.state is not RunState.EVALUATED:
            if result is not None:
                if time.monotonic() + pause_s > deadline or self.controls.stop.wait(pause_s):
                    return
                pause_s = min(pause_s * 1.6, 30.0)
            outcome = call_or_failure(
                lambda: self.resources.benchmark.get_run(self.summary.run_id),
                limit_s=max(deadline - time.monotonic(), 5.0),
                stop=self.controls.stop,
            )
            if isinstance(outcome, CallError):
                msg = f"the scores could not be asked for: {outcome}"
                if is_purpose:
                    raise Unreachable(msg)
                self.emit(run_events.RunNotice(text=msg))
                return
            result = outcome
            self._take_result(result)
            self.emit(run_events.RunPolled(state=result.state, score=result.score))

    def _take_result(self, result: RunResult) -> None:
        for trial in result.trials:
            summary = self.summary.trials.get(trial.trial_id)
            given: dict[str, Any] = {
                "score": trial.score,
                "details": trial.details,
                "metrics": dict(trial.metrics),
            }
            is_news = summary is None or any(
                getattr(summary, name) != value for name, value in given.items()
            )
            if is_news and (trial.score is not None or summary is None or summary.score is None):
                self.emit(run_events.Scored(trial_id=trial.trial_id, **given))

    def close(self, error: BaseException | None = None, *, counts_trials: bool = True) -> int:
        """Record how the run ended, and return its exit code."""
        code = self.exit_code(error, counts_trials=counts_trials)
        how: Literal["interrupted", "finished", "failed"] = (
            "finished" if error is None else "failed"
        )
        if code == Interrupted.exit_code:
            how = "interrupted"
        if not isinstance(error, JournalUnwritable) and self.journal.failure is None:
            self.emit(run_events.RunClosed(how=how, exit_code=code, error=str(error or "")))
            self.journal.sync()
        return code

    def exit_code(self, error: BaseException | None, *, counts_trials: bool = True) -> int:
        """Return the exit code: the error's, else 0 if every trial ended, if only by its fallback, and none broke.

        With `counts_trials` off, a run without an error returns 0.
        """
        if isinstance(error, ControlPlaneError):
            return error.exit_code
        if error is not None:
            return 130 if isinstance(error, KeyboardInterrupt) else 1
        everything = self.summary.submitted and self.summary.count("answered", "fallback") == len(
            self.summary.trials
        )
        out_of_budget = any(trial.out_of_budget for trial in self.summary.trials.values())
        if counts_trials and (
            out_of_budget or (not everything and self.resources.budget.spending.used_up)
        ):
            return BudgetExhausted.exit_code
        return int(
            counts_trials
            and (not everything or any(one.is_broken for one in self.summary.trials.values()))
        )


def journal_path(runs_dir: str, run_id: str) -> Path:
    return Path(runs_dir) / f"{run_id}.jsonl"


@contextmanager
def reopen_run(
    path: Path,
    *,
    works: bool,
    changes: Mapping[str, object] | None = None,
    is_trusted: bool = False,
    tools: ToolAccess | None = None,
    opened: OpenedBenchmark | None = None,
) -> Iterator[Run]:
    """Yield the run of the journal at `path`, to continue it, with the states of its remaining trials if it `works`.

    `changes` are settings that differ from the recorded ones: the `base_url` of an endpoint that has moved, limits.
    With `is_trusted` the journal may be somebody else's. `tools` are the servers that the user names now: a journal
    starts none. `opened` is the benchmark if it is an object of this process. Raises `NotAJournal`, `JournalDamaged`,
    and `UsageError` if another process conducts the run, it never started, the version of its worlds differs from
    today's, or a layer is missing.
    """
    with ExitStack() as held:
        writer = held.enter_context(JournalWriter(path, create=False))
        journal = held.enter_context(open_journal(path))
        if not journal.summary.run_id:
            msg = f"the journal of {journal.run} does not say that the run began at its benchmark; start a new run"
            raise UsageError(msg)
        check_own(journal, is_trusted=is_trusted)
        writer.continue_after(length=journal.length, last_hash=journal.last_hash)
        earlier_settings = settings_of(journal)
        settings = settings_here(journal, changes or {})
        changed: dict[str, object] = {}
        for name in settings_with(Use.RESUMABLE):
            value = getattr(settings, name)
            if value != getattr(earlier_settings, name):
                changed[name] = value
        spec = RunSpec(
            settings,
            rule_sets=journal.opened.rule_sets,
            prompts=recorded_prompts(journal),
            capabilities=tuple(journal.summary.learned.values()),
            tools=tools,
            opened=opened,
        )
        resources = held.enter_context(RunResources(spec, works=works))
        if works:
            resources.check_world(journal.opened.versions.world, f"{journal.run} cannot be resumed")
            resources.check_isolation()
            if not journal.summary.spent.replies:
                resources.check_models()
        run = Run(resources, writer, summary=journal.summary)
        model = settings.model if "model" in changed else ""
        now = (
            settings.model_dump(mode="json", include=set(ModelSettings.model_fields) - {"model"})
            if model
            else {}
        )
        others = tuple(
            setting.model_copy(update={"value": now[setting.name]})
            for setting in journal.opened.settings
            if setting.name in now and setting.value != now[setting.name]
        )
        run.emit(RunResumed(versions=resources.versions(), model=model, model_settings=others))
        for name, value in changed.items():
            holds = "from here on" if name == "model" else "until the run is resumed again"
            run.emit(run_events.RunNotice(text=f"the setting {name} is {value} {holds}"))
        if works:
            run.trial_records = journal.unfinished_records()
        yield run
