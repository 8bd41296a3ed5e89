"""One trial from start to end: in every case it ends with an answer, or is left open on purpose.

If every further trial would fail the same way, the run pauses; a failure of one trial costs only that trial. Calls that
end a trial, submit a run or ask for its scores are idempotent, so they are retried after every transient failure.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final, Literal, TypeAlias, TypeVar

from controlplane.agent.events import (
    CallOutput,
    CallRecord,
    ConversationOpened,
    Noticed,
    TrialStarted,
    now_ms,
)
from controlplane.agent.evidence import Environment, Printing, Recorder, Tape, Waiting
from controlplane.agent.failure_codes import failure_of, may_yet_succeed
from controlplane.agent.loop import LeftOpen, TrialClock, TrialContext, TrialSession
from controlplane.agent.loop.initial_prompt import failed_searches, first_calls
from controlplane.agent.model import ASK_ASIDE, REVIEWER, Abandoned, ModelError, OutOfBudget
from controlplane.agent.retry import FailedAttempt, RetryPolicy, call_with_retry
from controlplane.agent.trial_record import TrialRecord
from controlplane.benchmark import BenchmarkError, Trial, TrialScore, TrialStub
from controlplane.errors import (
    ControlPlaneError,
    ServerFailed,
    Unreachable,
    UsageError,
    error_text,
    fault_text,
)
from controlplane.journal.run_events import (
    JournalEvent,
    Scored,
    TrialEnded,
    TrialFailed,
    TrialLeftOpen,
    tool_schema_to_text,
)
from controlplane.journal.run_summary import BENCHMARK_BROKE, TRIAL_BROKE
from controlplane.lifecycle.run_resources import RunResources
from controlplane.sandbox import SandboxBroken, Worker
from controlplane.sandbox.interface import (
    CallError,
    Plain,
    ToolSchema,
    bounds,
    error_codes,
    guarded,
    plain_result,
    well_formed,
)

Result = TypeVar("Result")


def call_or_failure(
    call: Callable[[], Result],
    *,
    limit_s: float,
    stop: threading.Event,
    on_retry: Callable[[str], None] = lambda text: None,
) -> Result | CallError:
    """Return the result of `call`, or its failure: permanent, lasting `limit_s` seconds, or until `stop` was set."""

    def is_transient(error: Exception) -> bool:
        if stop.is_set() or not isinstance(error, BenchmarkError | CallError):
            return False
        return failure_of(error.code).is_tooling and not getattr(error, "host_broke", False)

    def pause(failed: FailedAttempt) -> bool:
        on_retry(f"{failed.error}; trying again in {failed.pause_s:.1f} s")
        return stop.wait(failed.pause_s)

    try:
        return call_with_retry(call, RetryPolicy(limit_s), is_transient=is_transient, pause=pause)
    except (BenchmarkError, CallError) as error:
        return CallError(error.code, error.message)


@dataclass(slots=True)
class HealthMonitor:
    """Tracks the health of the benchmark. Used from many threads at once."""

    known_failed: frozenset[str] = frozenset()
    """Trials that could not start before; their second failures do not count."""
    moved_at: float = 0.0
    """When the benchmark last started or ended a trial, on the monotonic clock."""
    _outage_since: float | None = None
    """Start of the current streak of unreachable calls."""
    _failed_starts: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answered(self) -> None:
        self._outage_since = None

    def started(self) -> None:
        self.moved()
        with self._lock:
            self._failed_starts = 0

    def moved(self) -> None:
        """Note that the benchmark started or ended a trial."""
        self.moved_at = time.monotonic()
        self.answered()

    def outage_s(self, began: float) -> float:
        """Note an unreachable call that `began` then; return the length of the current outage, in seconds."""
        with self._lock:
            if self._outage_since is None:
                self._outage_since = began
            return time.monotonic() - self._outage_since

    def fails_all(self, trial_id: str, code: str, began: float) -> bool:
        """Note a failed start that `began` then; return whether every other trial would fail the same way."""
        failure = failure_of(code)
        if failure.is_unreachable and self.moved_at < began:
            return True
        has_ended = code == error_codes.FAILED_PRECONDITION
        if has_ended or trial_id in self.known_failed:
            return False
        with self._lock:
            self._failed_starts += 1
            is_refused_to_all = failure.fails_all and not failure.transient
            # Consecutive trials that cannot start after which every further trial is expected to fail.
            return is_refused_to_all or self._failed_starts >= 10


@dataclass(slots=True)
class RunControls:
    """Signals between a run and its trials."""

    stop: threading.Event = field(default_factory=threading.Event)
    """Set: no further trial starts, and running trials are left open after their step."""
    interrupted: threading.Event = field(default_factory=threading.Event)
    """Set: a signal asked for the stop; else the run stops by itself."""
    pause: Callable[[Exception], None] = lambda error: None
    """Called if every further trial would fail the same way: model, benchmark or sandbox is down, or a key is wrong."""
    health: HealthMonitor = field(default_factory=HealthMonitor)
    """The benchmark's health, as trials observe it."""
    lives: Callable[[str], None] = lambda trial_id: None
    """Called with a trial that emits nothing and is not stuck."""


@dataclass(frozen=True, slots=True)
class WatchedEnvironment:
    """A trial's environment whose calls report to the health monitor."""

    environment: Environment
    tool_schema: ToolSchema
    """The part of the environment's declaration that the trial is offered."""
    controls: RunControls
    report_fault: Callable[[BaseException], None]
    """Called with every error that environments may not raise."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one declared call. Raises `CallError`.

        Raises `LeftOpen` if a reading call failed after the stop: the call is made again when the trial is resumed, so
        its script must not see the failure.
        """
        return self._watched(
            partial(self.environment.call, operation, arguments), operation, arguments
        )

    def begin(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> Callable[[], dict[str, Plain]]:
        """Begin a call that only reads; the returned function returns and raises as `call` does."""
        begin: Callable[[str, Mapping[str, Plain]], Callable[[], dict[str, Plain]]] | None
        begin = getattr(self.environment, "begin", None)
        made = (
            begin(operation, arguments)
            if begin
            else partial(self.environment.call, operation, arguments)
        )
        return partial(self._watched, made, operation, arguments)

    def _watched(
        self, make: Callable[[], dict[str, Plain]], operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        """Return the result of `make`, raising as `call` does."""
        try:
            made = self._watch(make)
            plain_result(operation, lambda: made)
        except CallError as error:
            if error.host_broke:
                self.report_fault(TypeError(error.message))
            is_given_up = self.controls.stop.is_set() and failure_of(error.code).is_tooling
            if is_given_up and not self.tool_schema.may_change(operation, arguments):
                raise LeftOpen from error
            raise
        return made

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`."""
        self._watch(partial(self.environment.answer, message, outcome, refs))

    def now(self) -> datetime | None:
        return self._watch(self.environment.now)

    def _watch(self, make: Callable[[], Result]) -> Result:
        """Return the result of `make`, and report its failure or its success."""
        began = time.monotonic()
        try:
            made = make()
        except CallError as error:
            failure = failure_of(error.code)
            if error.code == error_codes.UNAUTHENTICATED:
                self.controls.pause(
                    Unreachable(f"the benchmark refuses the calls of trials ({error})")
                )
            elif failure.is_unreachable:
                outage_s = self.controls.health.outage_s(began)
                if outage_s > bounds.LONGEST_OUTAGE_S:
                    text = f"the benchmark has not been reached for {outage_s:.0f} s ({error})"
                    self.controls.pause(Unreachable(text))
            elif not failure.is_tooling:
                self.controls.health.answered()
            raise
        except BaseException as error:
            if not getattr(error, "leaves_step", False):
                self.report_fault(error)
            if isinstance(error, (Exception, KeyboardInterrupt)):
                raise
            msg = f"{type(error).__name__}: {error_text(error)}"
            raise RuntimeError(msg) from error
        self.controls.health.answered()
        return made


MAX_QUOTED_CHARS: Final = 120
"""Of an instruction that a message names."""
Emit: TypeAlias = Callable[[JournalEvent], None]
Ending: TypeAlias = Literal["answered", "fallback", "unanswered"]

_log = logging.getLogger(__name__)


def portable_error(error: BaseException) -> Exception:
    """Return `error` in a form that every process can unpickle."""
    return error if isinstance(error, ModelError | UsageError) else Unreachable(str(error))


def run_trial(
    resources: RunResources,
    stub: TrialStub,
    emit: Emit,
    controls: RunControls,
    record: TrialRecord,
) -> None:
    """Run one trial and emit its events. Raises only errors that end the whole run (`ControlPlaneError`)."""
    if not (controls.stop.is_set() or resources.budget.spending.used_up):
        _TrialRun(resources, stub, emit, controls, record).run()


@dataclass(slots=True)
class _TrialRun:
    resources: RunResources
    stub: TrialStub
    emit: Emit
    controls: RunControls
    record: TrialRecord
    trial: Trial = field(init=False)
    session: TrialSession = field(init=False)
    worker: Worker = field(init=False)
    clock: TrialClock = field(init=False)
    environment: Environment = field(init=False)
    """The trial's environment with the tools of servers."""
    begins_anew: bool = False
    """True if earlier attempts are recorded, and the trial does not go on where they stopped."""
    faults: dict[str, None] = field(default_factory=dict)
    """Errors of the benchmark's own code in calls of the trial, with file and line."""
    started: float = 0.0

    def run(self) -> None:
        phase: Literal["start", "end"] = "start"
        before = ASK_ASIDE.set(None)
        try:
            if self._start():
                phase = "end"
                with (
                    self.resources.worker_of(self.trial) as self.worker,
                    self._with_tools() as self.environment,
                ):
                    self._play()
        except ServerFailed as error:
            self._leave_open(str(error), pause=Unreachable(str(error)))
        except (ControlPlaneError, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001 - the border of a trial: any error costs only this trial
            _log.debug("the trial %s broke:", self.stub.trial_id, exc_info=error)
            self._fail(phase, fault_text(error))
        finally:
            ASK_ASIDE.reset(before)

    def _emit(self, event: JournalEvent) -> None:
        """Emit an event of the trial's work; tell the user once if the environment refuses all searches of the
        initial prompt."""
        self.emit(event)
        if isinstance(event, ConversationOpened) and (fault := failed_searches(event.calls)):
            self.resources.notice_once(fault)

    def _show_output(self, text: str) -> None:
        self.emit(CallOutput(trial_id=self.stub.trial_id, text=well_formed(text)))

    def _start(self) -> bool:
        health, start = self.controls.health, self.resources.benchmark.start_trial
        began = time.monotonic()
        try:
            try:
                self.trial = start(self.stub.trial_id)
            except BenchmarkError as error:
                if (
                    not failure_of(error.code).is_unreachable
                    or health.moved_at < began
                    or self.controls.stop.is_set()
                ):
                    raise
                # The benchmark served other trials since, perhaps just before it went down: try once more.
                began = time.monotonic()
                self.trial = start(self.stub.trial_id)
        except BenchmarkError as error:
            self._note_failed_start(error, began)
            return False
        if not isinstance(self.trial, Trial):
            msg = f"start_trial returned {self.trial!r}, not a Trial"
            raise TypeError(msg)
        self.trial = replace(self.trial, instruction=well_formed(self.trial.instruction))
        health.started()
        self.started = time.monotonic()
        if self._may_begin_anew():
            self.begins_anew = True
            self.record = TrialRecord()
            notice = f"the environment of {self.stub.trial_id} was lost: the trial begins anew"
            self.emit(Noticed(trial_id=self.stub.trial_id, text=notice))
        if self.record.has_other_instruction(self.trial.instruction):
            # The recorded steps are those of another request, and so would be the score.
            recorded_instruction = self.record.instruction[:MAX_QUOTED_CHARS]
            self._leave_open(
                f"the task {self.trial.task_id} has another instruction than when its trial began, "
                f"which was {recorded_instruction!r}: give the task as it was, or start a new run"
            )
            return False
        return True

    def _may_begin_anew(self) -> bool:
        """Say whether the recorded work is given up because its environment is gone.

        A fork never gives up the steps that it continues, and an answer that was sent stays.
        """
        is_lost = self.trial.is_fresh and self.record.has_begun
        is_fork = bool(self.record.origin)
        return self.trial.begins_anew and is_lost and not is_fork and not self.record.is_solved

    def _note_failed_start(self, error: BenchmarkError, began: float) -> None:
        text = f"{error.code}: {error.message}"
        answer = self.record.answer
        if answer is not None and error.code == "failed_precondition":
            # It was answered, and it ended before that could be recorded.
            how: Ending = "fallback" if answer.fallback else "answered"
            self.emit(TrialEnded(trial_id=self.stub.trial_id, how=how, reason="", elapsed_ms=0.0))
        elif self.controls.stop.is_set() and failure_of(error.code).is_tooling:
            self._leave_open(f"interrupted while it started: {error.message}")
        elif self.controls.health.fails_all(self.stub.trial_id, error.code, began):
            self._leave_open(
                f"could not start: {text}", pause=Unreachable(f"no trial can be started ({text})")
            )
        elif self.record.has_begun and failure_of(error.code).is_tooling:
            # It has begun, and may still be ended: the user decides whether to submit the run without it.
            self._leave_open(f"could not start: {text}")
        else:
            self._fail("start", text)

    @property
    def _time_limit_s(self) -> float:
        """Seconds that the trial may use: those of its task, or of the run."""
        return self.trial.time_limit_s or self.resources.spec.settings.trial_time

    @contextlib.contextmanager
    def _with_tools(self) -> Iterator[Environment]:
        """Yield the trial's environment with the tools of the user's servers, each started for this trial."""
        self.clock = TrialClock(self._time_limit_s)
        environment = self.trial.environment
        if isinstance(environment, Waiting):
            environment.ends_at = time.monotonic() + self._time_limit_s
        if isinstance(environment, Printing):
            environment.show_output = self._show_output
        tool_schema = self.resources.tool_schema_of(environment)
        watched = WatchedEnvironment(environment, tool_schema, self.controls, self._report_fault)
        tools = self.resources.spec.tools
        if tools is None:
            yield watched
            return
        from controlplane.mcp.tool_environment import with_tools

        tools = replace(tools, reads=self.resources.reads)
        with with_tools(watched, tools, self.clock) as environment_with_tools:
            for notice in environment_with_tools.notices:
                self.resources.notice_once(notice)
            yield environment_with_tools

    def _play(self) -> None:
        out_of_budget = False
        try:
            self.session = self._open_session()
            with self.resources.functions_of(self.session):
                reason = self._work()
        except (LeftOpen, Abandoned) as error:
            self._leave_open(
                str(error) if isinstance(error, LeftOpen) and str(error) else "interrupted"
            )
            return
        except SandboxBroken as error:
            text = f"no script can be run here ({error})"
            self._leave_open(text, pause=Unreachable(text))
            return
        except OutOfBudget as error:
            reason, out_of_budget = str(error), True
        except ModelError as error:
            if error.affects_all:
                self._leave_open(f"the model failed: {error}", pause=error)
                return
            reason = f"the model failed: {error}"
        if self.session.cut_off and not self.session.exit.is_answered:
            self._leave_open(
                self.session.cut_off
            )  # its solver mistook a used-up budget for a failed model
            return
        self.session.end_step()
        if not self.session.exit.is_answered:
            failure = self._submit_fallback(reason)
            if failure is not None and may_yet_succeed(failure.code):
                self._leave_open(f"its answer could not be sent ({failure})")
                return
            reason = reason or (f"its answer was refused ({failure})" if failure else "")
        self._end(reason, out_of_budget=out_of_budget)

    def _report_fault(self, error: BaseException) -> None:
        """Tell of an error of the benchmark's own code, which its trial may survive."""
        fault = f"{BENCHMARK_BROKE}{fault_text(error)}"
        if fault not in self.faults:
            self.faults[fault] = None
            self.emit(Noticed(trial_id=self.stub.trial_id, text=fault))

    def _tell_of_doubtful_tools(self, tool_schema: ToolSchema) -> None:
        """Tell the user once which tools are taken to change something because nothing says what they do."""
        names = tool_schema.doubtful
        if names:
            self.resources.notice_once(
                f"nothing says whether these tools change something, so each is taken to: {', '.join(names)}. For those "
                f"that only read, say so: --reads {','.join(names)} (without those that change something)"
            )

    def _open_session(self) -> TrialSession:
        trial, record = self.trial, self.record
        tape = Tape(record, is_rebuilt=trial.is_fresh and self.resources.opened.rebuilds_trials)
        if not trial.is_fresh:
            tape.keep_side_replies(REVIEWER)
        recorder = Recorder(
            trial.trial_id, self.environment, self._emit, worker=self.worker, tape=tape
        )
        self.resources.check_named_operations(recorder.tool_schema)
        self._tell_of_doubtful_tools(recorder.tool_schema)
        if self.resources.makes_initial_prompt:
            # They need not wait for the clock.
            for call, operation in first_calls(recorder.tool_schema):
                recorder.begin_ahead(operation.name, call.arguments)
        now = recorder.calls_made.clock()
        if self.controls.stop.is_set():
            raise LeftOpen  # before it begins: the call for its clock may have failed
        self.emit(
            TrialStarted(
                trial_id=trial.trial_id,
                task_id=trial.task_id,
                instruction=trial.instruction,
                now=now.isoformat() if now else "",
                tool_schema=tool_schema_to_text(recorder.tool_schema),
                origin=record.origin,
                step=record.open_step.number,
                number=len(record.open_step.calls),
                begins_anew=self.begins_anew,
            )
        )
        session = TrialSession(
            TrialContext(
                trial.trial_id,
                trial.task_id,
                trial.instruction,
                now,
                (self.stub.number or 0) + self.stub.repeat + 1,
                origin=record.origin,
                time_limit_s=trial.time_limit_s,
                max_calls=self.resources.spec.settings.max_calls,
                is_resumed=record.is_resumed,
            ),
            recorder,
            self.resources.gates,
            stop=self.controls.stop,
            budget=self.resources.budget,
            clock=self.clock,
        )
        session.clock.go_on_from(record.used_s)
        ask_aside = partial(session.ask_aside, self.resources.ask_for_benchmark)
        session.exit.ask_reader = ask_aside
        ASK_ASIDE.set(ask_aside)
        return session

    def _work(self) -> str:
        """Solve the trial, or finish an interrupted attempt; return why there is no answer, or ''."""
        if self.trial.is_fresh:
            try:
                self._bring_forward()
            except CallError as error:
                return f"the changes of the interrupted attempt could not be made again: {error}"
        if self.session.is_over:
            return ""
        return self._solve()

    def _solve(self) -> str:
        solver = self.resources.solver
        assert solver is not None
        try:
            reason: object = solver.solve(self.session)
            if isinstance(reason, str | None):
                return (reason or "")[: bounds.MOST_FAULT_CHARS]
            msg = f"solve returned {reason!r}, not a text that says why there is no answer"
            raise TypeError(msg)
        except (ControlPlaneError, LeftOpen, ModelError, SandboxBroken, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001 - the border of a trial: the fallback answers
            text = fault_text(error)
            _log.debug("the trial %s broke:", self.trial.trial_id, exc_info=error)
            self.session.notice(f"{TRIAL_BROKE}{text}")
            return f"{TRIAL_BROKE}{text}"

    def _bring_forward(self) -> None:
        """Repeat the changes of an interrupted attempt in an environment that lost them. Raises `CallError` for a call
        that succeeded then and fails now."""
        due: list[CallRecord] = []
        for call in self.record.all_calls:
            if call.result is not None or self.trial.repeats_all_calls:
                due.append(call)
        for call, outcome in repeat_calls(self.trial, due, only_changes=True):
            if isinstance(outcome, CallError) and call.error is None:
                raise outcome

    def _submit_fallback(self, reason: str) -> CallError | None:
        """Send the answer that the gates accepted before, or the fallback of a trial without an answer."""
        repeats_last = self.resources.spec.settings.fallback == "last"
        gated_exit = self.session.exit
        answer = gated_exit.accepted or gated_exit.fallback(reason, repeats_last=repeats_last)
        late = answer.model_copy(update={"late": True, "at_ms": now_ms()})
        return self._retried(lambda: gated_exit.send_answer(late))

    def _retried(self, call: Callable[[], Result]) -> Result | CallError:
        def lives(text: str) -> None:
            self.controls.lives(self.stub.trial_id)

        return call_or_failure(
            call, limit_s=bounds.END_RETRY_S, stop=self.controls.stop, on_retry=lives
        )

    def _leave_open(self, reason: str, *, pause: Exception | None = None) -> None:
        if pause is not None:
            self.controls.pause(pause)
        self.emit(
            TrialLeftOpen(trial_id=self.stub.trial_id, reason="; ".join([*self.faults, reason]))
        )

    def _fail(self, phase: Literal["start", "end"], why: str) -> None:
        self.emit(TrialFailed(trial_id=self.stub.trial_id, phase=phase, error=why))

    def _end(self, reason: str, *, out_of_budget: bool) -> None:
        trial_id = self.trial.trial_id
        try:
            score = self._retried(lambda: self.resources.benchmark.end_trial(trial_id))
        except (LeftOpen, ModelError) as error:
            does_pause = isinstance(error, ModelError) and error.affects_all
            why = f"its grader's model gave no reply: {error}" if str(error) else "interrupted"
            self._leave_open(why, pause=error if does_pause else None)
            return
        if isinstance(score, CallError):
            self._fail("end", str(score))
            return
        if not isinstance(score, TrialScore | None):
            msg = f"end_trial returned {score!r}, not a TrialScore"
            raise TypeError(msg)
        self.controls.health.moved()
        # The score comes first: an ended trial is never asked for it again.
        if score is not None:
            metrics = dict(score.metrics)
            self.emit(
                Scored(trial_id=trial_id, score=score.score, details=score.details, metrics=metrics)
            )
        elapsed_ms = round((time.monotonic() - self.started) * 1000, 1)
        answer = self.session.exit.accepted
        how: Ending = "fallback" if answer is None or answer.fallback else "answered"
        self.emit(
            TrialEnded(
                trial_id=trial_id,
                how=how if self.session.exit.is_answered else "unanswered",
                reason="; ".join([*self.faults, *filter(None, [reason])]),
                out_of_budget=out_of_budget,
                elapsed_ms=elapsed_ms,
            )
        )


def repeat_calls(
    trial: Trial, calls: Iterable[CallRecord], *, only_changes: bool
) -> Iterator[tuple[CallRecord, Mapping[str, Plain] | CallError | None]]:
    """Repeat recorded calls in an environment that was started again, and yield each with its outcome today; None for a
    call that was cut off, which is not repeated.

    With `only_changes`, calls that only read are left out, unless the trial repeats all. The tools of servers are not
    called again: their effects remain. Neither are functions that compute: the record holds the calls that they made.
    """
    environment, tool_schema = trial.environment, trial.environment.tool_schema
    for call in calls:
        declared = tool_schema.operation(call.operation)
        if declared.finds if declared else "." in call.operation:
            continue
        # A transient failure changed nothing, if its call only reads.
        may_be_left_out = call.error is not None and may_yet_succeed(call.error.code)
        may_be_left_out |= only_changes and not trial.repeats_all_calls
        if may_be_left_out and not tool_schema.may_change(call.operation, call.arguments):
            continue
        if call.state in ("under_way", "lost"):
            yield call, None
            continue
        outcome: Mapping[str, Plain] | CallError
        try:
            outcome = guarded(
                call.operation, partial(environment.call, call.operation, dict(call.arguments))
            )
        except CallError as error:
            outcome = error
        yield call, outcome
