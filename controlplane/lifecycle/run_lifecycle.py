"""The lifecycle of a run: start or resume it, play its trials, submit it, and poll for
its scores.

`Run` is one run in this process. Every event passes through `Run.emit`, which writes it
to the journal and adds it to the run's totals and spending.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from controlplane.agent.events import ModelAsked, ModelReplied
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
from controlplane.configuration.named_modules import as_command_error
from controlplane.configuration.recorded_settings import (
    check_own,
    settings_here,
    settings_of,
)
from controlplane.configuration.run_settings import (
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
    invocation,
)
from controlplane.journal import run_events
from controlplane.journal.journal_lines import RESUMABLE, JournalWriter
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.run_events import RunResumed
from controlplane.journal.run_summary import FAILED, RunSummary, TrialSummary
from controlplane.lifecycle.benchmark_health import RunControls, call_or_failure
from controlplane.lifecycle.run_prompts import recorded_prompts
from controlplane.lifecycle.run_resources import RunResources
from controlplane.lifecycle.run_spec import RunSpec
from controlplane.lifecycle.trial_workers import (
    OpenWorkers,
    Workers,
    open_workers,
    play_all,
)
from controlplane.sandbox.interface import CallError, bounds, error_codes

if TYPE_CHECKING:
    from controlplane.lifecycle.new_run import NewRun
    from controlplane.mcp.server_specs import ToolAccess


def new_run_id(benchmark: str) -> str:
    """Return the id of a new run's journal, such as `20261127-191130-ecom-ca93`.

    The last four characters are random, since two runs may start in the same second.
    """
    time_text = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    benchmark_name = benchmark.partition(":")[0]
    letters = [letter if letter.isalnum() else "-" for letter in benchmark_name]
    return f"{time_text}-{''.join(letters)}-{secrets.token_hex(2)}"


@dataclass(frozen=True, slots=True)
class _SignOfLife:
    """The latest proof that a trial is not stuck: one of its events, or a notice of a
    retry."""

    at: float
    """Its time, by `time.monotonic`."""
    asks_model: bool = False
    """True if it is a request to a model, so that the trial now waits for the reply."""


MAX_SUBMIT_S: Final = 24 * 3600.0
"""Seconds for which a failed submission of the run is retried. They are many because a
run that is never submitted is lost. The user can stop earlier."""
FIRST_POLL_PAUSE_S: Final = 0.5
"""Seconds between the first two polls. Each later pause is `POLL_PAUSE_GROWTH` times as
long."""
POLL_PAUSE_GROWTH: Final = 1.6
MAX_POLL_PAUSE_S: Final = 30.0
MIN_POLL_S: Final = 5.0
"""Seconds that the benchmark gets to answer a poll, even if the poll time is nearly
over."""


@dataclass(slots=True)
class Run:
    """One run in this process.

    `opened_run` creates a new one, and `reopen_run` one to resume. Then `begin` (new
    runs only), `work`, `submit` and `close` are called in this order. Threads of trials
    call `emit`.
    """

    resources: RunResources
    journal: JournalWriter
    workers_opener: OpenWorkers = open_workers
    """Opens the threads that play trials. Tests replace it."""
    summary: RunSummary = field(default_factory=RunSummary)
    """The totals of the whole journal, including those of earlier processes."""
    controls: RunControls = field(init=False)
    """The signals between the run and its trials."""
    paused: Exception | None = None
    """The error that stopped the run; None if the run was not stopped, or the user
    stopped it."""
    plan: NewRun | None = None
    """The tasks and settings of a new run, and the run that it repeats or forks, if any
    (its parent). None for a resumed run."""
    trial_records: dict[str, TrialRecord] = field(default_factory=dict)
    """The records of the trials that an earlier process began, by id."""
    _workers: Workers | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _signs: dict[str, _SignOfLife] = field(default_factory=dict)
    """The last sign of life of each trial, by its id."""
    _given_up: set[str] = field(default_factory=set)
    """Ids of the trials that were abandoned because they gave no sign of life for too
    long."""

    def __post_init__(self) -> None:
        """Connect the run with its resources, which were opened before it."""
        self.controls = RunControls(
            stop=self.resources.context.stop,
            pause=self.pause,
            note_sign_of_life=self._note_sign,
        )
        # What earlier processes of the run have spent counts towards its limits.
        spent = self.summary.spent
        self.resources.budget.spending.take_over(
            spent.known_usd,
            spent.tokens,
            dearest_usd=spent.dearest_usd,
            most_tokens=spent.most_tokens,
        )
        self.resources.notices.listener = self._emit_notice

    def _emit_notice(self, text: str) -> None:
        self.emit(run_events.RunNotice(text=text))

    @property
    def settings(self) -> RunSettings:
        return self.resources.spec.settings

    def begin(self) -> None:
        """Start a new run at its benchmark. Do nothing for a resumed run.

        A fork continues a recorded trial from one of its steps. Its trials get the
        steps before.
        """
        plan = self.plan
        if plan is None:
            return
        self.start(plan.sources, plan.tasks, tries=plan.tries, parent=plan.parent)
        if plan.fork is not None:
            self.trial_records = plan.fork.begin(self)

    def emit(self, event: run_events.JournalEvent) -> None:
        """Write an event to the journal, and add it to the summary.

        Raises `Abandoned` for an event of a trial that was given up.
        """
        trial_id = getattr(event, "trial_id", "")
        if trial_id in self._given_up:
            msg = f"the trial {trial_id} was given up"
            raise Abandoned(msg)
        self._signs[trial_id] = _SignOfLife(
            time.monotonic(), asks_model=isinstance(event, ModelAsked)
        )
        self.journal.write(event)
        if isinstance(event, run_events.TrialEnded):
            self.journal.sync()
        with self._lock:
            self.summary.fold(event)
        self._count_spending(event)

    def _note_sign(self, trial_id: str) -> None:
        """Record that a trial is not stuck although it emits no event."""
        self._signs[trial_id] = _SignOfLife(time.monotonic())

    def _give_up_if_stuck(self, stub: TrialStub, began_at: float) -> bool:
        """Give up a trial that is stuck, and record that. Return True if it was given
        up.

        It is stuck if it gave no sign of life for too long, and its time is over or the
        run stops. `began_at` is the time of its start, by `time.monotonic`.
        """
        now = time.monotonic()
        sign = self._signs.get(stub.trial_id, _SignOfLife(began_at))
        max_silence_s = self._max_silence_s(sign)
        silence_s = now - max(sign.at, began_at)
        if silence_s < max_silence_s:
            return False

        is_stopped = self.controls.stop.is_set()
        is_time_over = now - began_at > self.settings.trial_time + max_silence_s
        # Be patient while the trial has time left, or may be waiting for an answer of
        # the user.
        if not (is_stopped or is_time_over) or self._may_wait_for_user:
            return False

        reason = f"it did not come back: nothing was heard of it for {silence_s:.0f} s"
        if is_stopped:
            self.emit(run_events.TrialLeftOpen(trial_id=stub.trial_id, reason=reason))
        else:
            self.emit(
                run_events.TrialFailed(
                    trial_id=stub.trial_id, phase="end", error=reason
                )
            )
        self._given_up.add(stub.trial_id)
        return True

    def _max_silence_s(self, sign: _SignOfLife) -> float:
        """Return the seconds for which a healthy trial may be silent after its last
        sign of life.

        They are enough for a script of a whole step, and for the longest call that the
        benchmark declares. After a request to a model, they include its timeout.
        """
        settings = self.settings
        silence_s = bounds.TRIAL_SILENCE_S + settings.step_time
        silence_s += self.resources.opened.longest_silence_s
        if sign.asks_model:
            silence_s += settings.model_timeout
        return silence_s

    @property
    def _may_wait_for_user(self) -> bool:
        """True if trials ask the user to approve calls. The user may take any time to
        answer."""
        if "approve" in self.settings.provenance:
            return True
        tools = self.resources.spec.tools
        return tools is not None and tools.approve is not None

    def _count_spending(self, event: run_events.JournalEvent) -> None:
        """Add a request to a model, or its reply, to the run's spending."""
        spending = self.resources.budget.spending
        match event:
            case ModelAsked():
                spending.count_request(event.trial_id)
            case ModelReplied() if not event.cached:
                spending.count_reply(event.trial_id, event.known_cost_usd, event.tokens)
            case ModelReplied():  # A reply from the cache costs nothing.
                spending.end_request(event.trial_id)
            case (
                run_events.TrialEnded()
                | run_events.TrialFailed()
                | run_events.TrialLeftOpen()
            ):
                # A request that is still open will get no reply.
                spending.end_request(event.trial_id)
            case _:
                pass

    def pause(self, error: Exception) -> None:
        """Stop the run because of an error that would fail every further trial, too."""
        with self._lock:
            if self.paused or self.controls.stop.is_set():
                return
            self.paused = error
        self.stop()

    def stop(self) -> None:
        """Start no more trials, and leave running trials open at the end of their
        current step."""
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
        """Open the journal of a new run, and start the run at its benchmark.

        - `sources`: where each setting comes from, such as `flag`.
        - `tasks`: the names of the tasks to play; empty for all. `tries` replace them,
          if given.
        - `tries`: the tasks to play, each with the number of its world and of the
          repeat.

        Raises `UsageError` and `Unreachable`.
        """
        self._record_opening(sources, tasks, parent)

        # 1. Choose the tasks.
        settings = self.settings
        if tries:
            task_ids = dict.fromkeys(task_try.task_id for task_try in tries)
            selection = TaskSelection(tuple(task_ids), only=tries)
        else:
            names = self.resources.tasks.chosen_by(tasks)
            selection = TaskSelection(
                tuple(names), settings.limit, settings.repeats, settings.worlds
            )

        # 2. Start the run at the benchmark.
        name = settings.name or self.journal.path.stem
        try:
            started = start_selected_run(
                self.resources.benchmark, selection, name=name, seed=settings.seed
            )
        except BenchmarkError as error:
            raise as_command_error(error) from error
        # If the journal cannot be written now, the run exists only at the benchmark.
        self.journal.resume_hint = (
            f"the run began at its benchmark as {started.run_id!r}, recorded nowhere, "
            "so it cannot be resumed; fix that and start a new run"
        )

        # 3. Record its trials. From then on, the run can be resumed.
        trials = []
        for stub in started.trials:
            trials.append(
                run_events.AllottedTrial(
                    trial_id=stub.trial_id,
                    task_id=stub.task_id,
                    number=stub.number,
                    repeat=stub.repeat,
                )
            )
        self.emit(run_events.RunStarted(run_id=started.run_id, trials=tuple(trials)))
        self.journal.resume_hint = RESUMABLE
        if not tasks and not tries:
            notice = self.resources.tasks.limit_notice()
            if notice:
                self.resources.notices.show_once(notice)
        self.journal.sync()

    def _record_opening(
        self,
        sources: Mapping[str, str],
        tasks: Sequence[str],
        parent: run_events.ParentRun | None,
    ) -> None:
        """Write the settings and prompts of a new run to its journal."""
        settings = self.settings
        resources = self.resources
        values = settings.model_dump(mode="json")
        # Record the full path of a benchmark that was named by a relative one, for
        # `resume`.
        identity = resources.opened.resume_identity
        if identity is not None:
            values["benchmark"] = identity.spec
            values["set"] = dict(identity.settings)
        values["tasks"] = list(tasks)  # arguments that are recorded like a setting
        all_sources = dict(sources)
        if tasks:
            all_sources.setdefault("tasks", "flag")

        setting_events = []
        for name, value in values.items():
            source = all_sources.get(name, "default")
            setting_events.append(
                run_events.Setting(name=name, value=value, source=source)
            )

        self.journal.resume_hint = (
            "nothing of the run can be resumed; fix that and start a new run"
        )
        self.emit(
            run_events.RunOpened(
                run=self.journal.path.stem,
                name=settings.name,
                benchmark=settings.benchmark,
                model=resources.model.name if resources.model else "",
                rule_sets=resources.rule_sets,
                settings=tuple(setting_events),
                versions=resources.versions(),
                parent=parent,
            )
        )
        prompts = resources.prompts
        if prompts is None:
            return
        texts = dict(prompts.texts)
        if prompts.hints:
            texts[run_events.HINTS] = prompts.hints
        prompt_texts = [
            run_events.PromptText(name=name, text=text) for name, text in texts.items()
        ]
        self.emit(run_events.RunPrompts(texts=tuple(prompt_texts)))

    def open_workers(self) -> Workers:
        """Open the workers, unless they are open. Raises `ControlPlaneError` if there
        are none."""
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
            unfinished = [
                trial for trial in self.summary.trials.values() if not trial.is_over
            ]
            self._play_all(workers, unfinished)
            self._play_all(workers, self._trials_to_start_again())
        finally:
            self.close_workers()

    def _play_all(self, workers: Workers, trials: Sequence[TrialSummary]) -> None:
        """Play trials concurrently. Raises the first error that ends the whole run."""
        # A second failure of these trials is no sign that the benchmark is down.
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

    def _trials_to_start_again(self) -> list[TrialSummary]:
        """Return the trials that failed to start. A second try may succeed.

        Trials that were given up as stuck are left out, since they would get stuck
        again.
        """
        trials = []
        for trial in self.summary.trials.values():
            if trial.state == FAILED and trial.trial_id not in self._given_up:
                trials.append(trial)
        return trials

    def submit(self, *, force: bool = False) -> None:
        """Submit the run to its benchmark, and poll for its scores.

        With `force`, trials that are still open score 0. Raises `Unreachable`, or
        `Interrupted` if the run was stopped in the meantime.
        """
        self.journal.sync()
        result = call_or_failure(
            lambda: self.resources.benchmark.submit_run(
                self.summary.run_id, force=force
            ),
            limit_s=MAX_SUBMIT_S,
            stop=self.controls.stop,
            on_retry=lambda text: self.emit(
                run_events.RunNotice(text=f"the run is not submitted yet: {text}")
            ),
        )
        if isinstance(result, CallError):
            msg = f"the run could not be submitted ({result}); {self._submit_remedy(result)}"
            if self.controls.stop.is_set():
                raise Interrupted(msg)
            raise Unreachable(msg)
        self._record_scores(result)
        self.emit(
            run_events.RunSubmitted(
                forced=force, state=result.state, score=result.score
            )
        )
        self._poll_after_submission(result.state)

    def _submit_remedy(self, failure: CallError) -> str:
        """Return what the user can do about a submission that failed."""
        if failure.code == error_codes.NOT_FOUND:
            return "its benchmark no longer knows it, so its results are only in the journal"
        words = ["submit", run_argument(self.journal.path)]
        # With this code a benchmark refuses a run that has open trials.
        if failure.code == error_codes.FAILED_PRECONDITION:
            words.append("--force")
        return f"submit it with: {invocation(*words)}"

    def poll(self) -> None:
        """Ask for the scores until they are known or the poll time is over.

        Raises `Unreachable` if the benchmark does not answer.
        """
        deadline = time.monotonic() + self.settings.poll_time
        result = self._polled_result(deadline)
        self._poll_until_evaluated(result.state, deadline)

    def _poll_after_submission(self, state: RunState) -> None:
        """Poll as `poll` does, but only give a notice if the benchmark does not answer.

        `state` is the run's state as the benchmark's reply to the submission tells it.
        """
        deadline = time.monotonic() + self.settings.poll_time
        try:
            self._poll_until_evaluated(state, deadline)
        except Unreachable as error:
            self.emit(run_events.RunNotice(text=str(error)))

    def _poll_until_evaluated(self, state: RunState, deadline: float) -> None:
        """Ask for the scores, with growing pauses, until all are known or the deadline
        is near.

        Raises `Unreachable`.
        """
        pause_s = FIRST_POLL_PAUSE_S
        while state is not RunState.EVALUATED:
            if time.monotonic() + pause_s > deadline:
                return
            is_stopped = self.controls.stop.wait(pause_s)
            if is_stopped:
                return
            pause_s = min(pause_s * POLL_PAUSE_GROWTH, MAX_POLL_PAUSE_S)
            state = self._polled_result(deadline).state

    def _polled_result(self, deadline: float) -> RunResult:
        """Ask for the scores once, and record them. Raises `Unreachable`."""
        result = call_or_failure(
            lambda: self.resources.benchmark.get_run(self.summary.run_id),
            limit_s=max(deadline - time.monotonic(), MIN_POLL_S),
            stop=self.controls.stop,
        )
        if isinstance(result, CallError):
            msg = f"the scores could not be asked for: {result}"
            raise Unreachable(msg)
        self._record_scores(result)
        self.emit(run_events.RunPolled(state=result.state, score=result.score))
        return result

    def _record_scores(self, result: RunResult) -> None:
        """Record the scores of trials that are new or changed."""
        for trial in result.trials:
            event = run_events.Scored(
                trial_id=trial.trial_id,
                score=trial.score,
                details=trial.details,
                metrics=dict(trial.metrics),
            )
            known = self.summary.trials.get(trial.trial_id)
            if known is None or _has_news(event, known):
                self.emit(event)

    def close(
        self, error: BaseException | None = None, *, counts_trials: bool = True
    ) -> int:
        """Record how the run ended, and return its exit code."""
        code = self.exit_code(error, counts_trials=counts_trials)
        how: Literal["interrupted", "finished", "failed"] = "failed"
        if code == Interrupted.exit_code:
            how = "interrupted"
        elif error is None:
            how = "finished"
        can_be_written = self.journal.failure is None and not isinstance(
            error, JournalUnwritable
        )
        if can_be_written:
            self.emit(
                run_events.RunClosed(how=how, exit_code=code, error=str(error or ""))
            )
            self.journal.sync()
        return code

    def exit_code(
        self, error: BaseException | None, *, counts_trials: bool = True
    ) -> int:
        """Return the exit code of the run.

        Without an error it is 0 if every trial ended with an answer (or the fallback
        answer) and none broke. If `counts_trials` is False, the outcome of the trials
        does not matter.
        """
        if isinstance(error, ControlPlaneError):
            return error.exit_code
        if isinstance(error, KeyboardInterrupt):
            return Interrupted.exit_code
        if error is not None:
            return 1
        if not counts_trials:
            return 0

        trials = self.summary.trials.values()
        ended = self.summary.count("answered", "fallback")
        is_complete = bool(self.summary.submitted) and ended == len(trials)
        is_run_out_of_budget = not is_complete and bool(
            self.resources.budget.spending.used_up
        )
        if is_run_out_of_budget or any(trial.out_of_budget for trial in trials):
            return BudgetExhausted.exit_code
        if not is_complete or any(trial.is_broken for trial in trials):
            return 1
        return 0


def _has_news(scored: run_events.Scored, known: TrialSummary) -> bool:
    """Return True if a score, its details or its metrics differ from those known of the
    trial.

    For a trial whose score is known, an event without a score is no news.
    """
    if scored.score is None and known.score is not None:
        return False
    is_known = (scored.score, scored.details, scored.metrics) == (
        known.score,
        known.details,
        known.metrics,
    )
    return not is_known


def journal_path(runs_dir: str, run_id: str) -> Path:
    """Return the path of the journal with this id."""
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
    """Yield the run of the journal at `path`, ready to continue.

    - `works`: True if this process plays the remaining trials: it opens the solver and
      the models, and reads the records of those trials. If False, it only submits the
      run or asks for its scores.
    - `changes`: settings that replace recorded ones, such as the `base_url` of an
      endpoint that moved.
    - `is_trusted`: True if the user accepts a journal that somebody else may have
      written.
    - `tools`: the MCP servers that the user names now. Those in a journal are never
      started.
    - `opened`: the benchmark, if it is an object of this process.

    Raises `NotAJournal` and `JournalDamaged`. Raises `UsageError` if another process is
    writing the journal, or the run never started. With `works`, also if the benchmark's
    worlds have changed, or a layer of the sandbox is missing.
    """
    with ExitStack() as open_resources:
        # 1. The journal: lock it against other writers, read it, and check that the user may
        #    continue it. Only then cut off an incomplete last line.
        writer = open_resources.enter_context(JournalWriter(path, create=False))
        journal = open_resources.enter_context(open_journal(path))
        if not journal.summary.run_id:
            msg = f"the journal of {journal.run} does not say that the run began at its benchmark; start a new run"
            raise UsageError(msg)
        check_own(journal, is_trusted=is_trusted)
        writer.continue_after(length=journal.length, last_hash=journal.last_hash)

        # 2. The resources that the recorded run used, under the changed settings
        settings = settings_here(journal, changes or {})
        spec = RunSpec(
            settings,
            rule_sets=journal.opened.rule_sets,
            prompts=recorded_prompts(journal),
            capabilities=tuple(journal.summary.learned.values()),
            tools=tools,
            opened=opened,
        )
        resources = open_resources.enter_context(RunResources(spec, works=works))
        if works:
            _check_can_play(journal, resources)

        # 3. The run
        run = Run(resources, writer, summary=journal.summary)
        _record_resumption(run, journal, settings)
        if works:
            run.trial_records = journal.unfinished_records()
        yield run


def _check_can_play(journal: Journal, resources: RunResources) -> None:
    """Raise `UsageError` if the remaining trials of a recorded run cannot be played
    here."""
    resources.check_world(
        journal.opened.versions.world, f"{journal.run} cannot be resumed"
    )
    resources.check_isolation()
    # If a model has replied before, its name is valid.
    if not journal.summary.spent.replies:
        resources.models.check_names()


def _record_resumption(run: Run, journal: Journal, settings: RunSettings) -> None:
    """Record that the run is resumed, and which settings differ from the recorded
    ones."""
    changed_settings = _changed_settings(settings_of(journal), settings)
    has_other_model = "model" in changed_settings
    run.emit(
        _resumption(journal, settings, run.resources, has_other_model=has_other_model)
    )
    for name, value in changed_settings.items():
        # A later resumption keeps this model, but takes other settings from the start
        # of the run.
        duration = (
            "from here on" if name == "model" else "until the run is resumed again"
        )
        run.emit(run_events.RunNotice(text=f"the setting {name} is {value} {duration}"))


def _changed_settings(before: RunSettings, settings: RunSettings) -> dict[str, object]:
    """Return the new values of the settings that `resume` has changed."""
    changed: dict[str, object] = {}
    for name in settings_with(Use.RESUMABLE):
        value = getattr(settings, name)
        if value != getattr(before, name):
            changed[name] = value
    return changed


def _resumption(
    journal: Journal,
    settings: RunSettings,
    resources: RunResources,
    *,
    has_other_model: bool,
) -> RunResumed:
    """Return the event of a resumption.

    If the run continues with another model, the event has the model's name, and its
    settings that differ from the recorded ones.
    """
    if not has_other_model:
        return RunResumed(versions=resources.versions())
    names = set(ModelSettings.model_fields) - {"model"}
    values_now = settings.model_dump(mode="json", include=names)
    changed = []
    for setting in journal.opened.settings:
        if setting.name in values_now and setting.value != values_now[setting.name]:
            changed.append(
                setting.model_copy(update={"value": values_now[setting.name]})
            )
    return RunResumed(
        versions=resources.versions(),
        model=settings.model,
        model_settings=tuple(changed),
    )
