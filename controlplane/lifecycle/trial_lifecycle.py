"""One trial from its start to its end.

A trial always ends with an answer, or is left open on purpose, so that the run can be resumed:

1. The benchmark starts the trial.
2. The solver works on it in a `TrialSession`. What an earlier attempt did comes from its record.
3. If the solver sent no answer, the fallback is sent.
4. The benchmark ends the trial and may return its score.

An error in one of these phases costs only this trial. Errors that every other trial would meet, too,
pause the run (see `benchmark_health`).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Literal, TypeAlias, TypeVar

from controlplane.agent.events import (
    AnswerSent,
    CallOutput,
    ConversationOpened,
    Noticed,
    TrialStarted,
    now_ms,
)
from controlplane.agent.evidence import Environment, Printing, Recorder, Tape, Waiting
from controlplane.agent.evidence.tape.attempt import (
    Attempt,
    StartFailure,
    bring_forward,
    next_attempt,
    start_failure_of,
    task_fault,
)
from controlplane.agent.failure_codes import failure_of, may_yet_succeed
from controlplane.agent.loop import LeftOpen, TrialClock, TrialContext, TrialSession
from controlplane.agent.loop.initial_prompt import failed_searches, first_calls, shortened_notice
from controlplane.agent.model import ASK_ASIDE, Abandoned, ModelError, OutOfBudget
from controlplane.agent.trial_record import TrialRecord
from controlplane.benchmark import BenchmarkError, Trial, TrialScore, TrialStub
from controlplane.errors import (
    ControlPlaneError,
    ServerFailed,
    Unreachable,
    UsageError,
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
from controlplane.lifecycle.benchmark_health import RunControls, call_or_failure
from controlplane.lifecycle.run_resources import RunResources
from controlplane.lifecycle.watched_environment import WatchedEnvironment
from controlplane.sandbox import SandboxBroken, Worker
from controlplane.sandbox.interface import CallError, ToolSchema, bounds, well_formed

Emit: TypeAlias = Callable[[JournalEvent], None]
Phase: TypeAlias = Literal["start", "end"]
HowEnded: TypeAlias = Literal["answered", "fallback", "unanswered"]
Result = TypeVar("Result")

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
    """Run one trial and emit its events.

    `record` holds what earlier attempts did. Does nothing if the run stops or may spend no more.
    Raises only errors that end the whole run (`ControlPlaneError`).
    """
    if controls.stop.is_set() or resources.budget.spending.used_up:
        return
    _TrialRun(resources, stub, emit, controls, record).run()


@dataclass(frozen=True, slots=True)
class _WorkEnd:
    """How the solver's work on a trial ended."""

    reason: str = ""
    """Why there is no answer; empty if there is one."""
    is_out_of_budget: bool = False


@dataclass(frozen=True, slots=True)
class _TrialRun:
    """One attempt at a trial."""

    resources: RunResources
    stub: TrialStub
    """The trial as the benchmark allotted it: its id, and its task if that is known."""
    emit: Emit
    """Writes an event to the journal."""
    controls: RunControls
    """The state of the run that all its trials share: whether it stops, and the benchmark's health."""
    record: TrialRecord
    """What the journal holds of earlier attempts."""
    faults: list[str] = field(default_factory=list)
    """Errors of the benchmark's own code in calls of the trial, with file and line."""

    def run(self) -> None:
        """Start the trial, and work on it until it is over or left open."""
        trial = None
        with self._errors_contained("start"):
            trial = self._start()
        if trial is None:
            return
        with self._errors_contained("end"):
            attempt = self._begin_attempt(trial)
            fault = task_fault(attempt.record, trial.task_id, trial.instruction)
            if fault:
                self._leave_open(fault)
            else:
                self._play(trial, attempt)

    @contextmanager
    def _errors_contained(self, phase: Phase) -> Iterator[None]:
        """Turn an error of a phase into the failure of this trial, unless it ends the whole run."""
        token = ASK_ASIDE.set(None)
        try:
            yield
        except ServerFailed as error:
            self._leave_open(str(error), pause=Unreachable(str(error)))
        except (ControlPlaneError, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001 - the border of a trial: any error costs only this trial
            _log.debug("the trial %s broke:", self.stub.trial_id, exc_info=error)
            self._fail(phase, fault_text(error))
        finally:
            ASK_ASIDE.reset(token)

    # 1. The start

    def _start(self) -> Trial | None:
        """Start the trial at the benchmark; return None if it does not start."""
        began_at = time.monotonic()
        try:
            trial = self._started_trial()
        except BenchmarkError as error:
            self._end_unstarted_trial(error, began_at)
            return None
        self.controls.health.note_start()
        return trial

    def _started_trial(self) -> Trial:
        """Start the trial, at a second try if need be. Raises `BenchmarkError`."""
        start = self.resources.benchmark.start_trial
        began_at = time.monotonic()
        try:
            trial = start(self.stub.trial_id)
        except BenchmarkError as error:
            # If the benchmark served other trials meanwhile, it may have gone down only just now,
            # and be up again.
            served_others = self.controls.health.last_progress_at >= began_at
            is_unreachable = failure_of(error.code).is_unreachable
            if not is_unreachable or not served_others or self.controls.stop.is_set():
                raise
            trial = start(self.stub.trial_id)
        if not isinstance(trial, Trial):
            msg = f"start_trial returned {trial!r}, not a Trial"
            raise TypeError(msg)
        return replace(trial, instruction=well_formed(trial.instruction))

    def _end_unstarted_trial(self, error: BenchmarkError, began_at: float) -> None:
        """End a trial, or leave it open, after the benchmark did not start it."""
        trial_id = self.stub.trial_id
        text = f"{error.code}: {error.message}"
        failure = start_failure_of(self.record, error.code)
        if failure is StartFailure.IS_ANSWERED:
            self._emit_end("answered")
        elif failure is StartFailure.ENDED_BY_FALLBACK:
            self._emit_end("fallback")
        elif self.controls.stop.is_set() and failure_of(error.code).is_tooling:
            self._leave_open(f"interrupted while it started: {error.message}")
        elif self.controls.health.note_failed_start(trial_id, error.code, began_at):
            pause = Unreachable(f"no trial can be started ({text})")
            self._leave_open(f"could not start: {text}", pause=pause)
        elif failure is StartFailure.MAY_BE_RESUMED:
            self._leave_open(f"could not start: {text}")
        else:
            self._fail("start", text)

    def _begin_attempt(self, trial: Trial) -> Attempt:
        """Return what this attempt goes on from, and tell the user if the trial begins anew."""
        is_environment_lost = trial.is_fresh and trial.begins_anew
        attempt = next_attempt(self.record, is_environment_lost=is_environment_lost)
        if attempt.begins_anew:
            notice = f"the environment of {trial.trial_id} was lost: the trial begins anew"
            self.emit(Noticed(trial_id=trial.trial_id, text=notice))
        return attempt

    # 2. The work

    def _play(self, trial: Trial, attempt: Attempt) -> None:
        """Work on a started trial, and end it or leave it open."""
        started_at = time.monotonic()
        time_limit_s = trial.time_limit_s or self.resources.spec.settings.trial_time
        clock = TrialClock(time_limit_s)
        with (
            self.resources.sandbox.worker_of(trial) as worker,
            self._environment_with_tools(trial, clock) as environment,
        ):
            try:
                session = self._open_session(trial, attempt, environment, worker, clock)
                work_end = self._work(trial, attempt.record, session)
            except LeftOpen as error:
                self._leave_open(str(error) or "interrupted")
                return
            except Abandoned:
                self._leave_open("interrupted")
                return
            except SandboxBroken as error:
                text = f"no script can be run here ({error})"
                self._leave_open(text, pause=Unreachable(text))
                return
            except ModelError as error:
                self._leave_open(f"the model failed: {error}", pause=error)
                return
            self._finish(session, work_end, started_at)

    @contextmanager
    def _environment_with_tools(self, trial: Trial, clock: TrialClock) -> Iterator[Environment]:
        """Yield the trial's environment with the tools of the user's servers.

        Each server is started for this trial.
        """
        environment = trial.environment
        if isinstance(environment, Waiting):
            environment.ends_at = clock.deadline
        if isinstance(environment, Printing):
            environment.show_output = self._show_output
        tool_schema = self.resources.tool_schema_of(environment)
        watched = WatchedEnvironment(environment, tool_schema, self.controls, self._report_fault)
        tools = self.resources.spec.tools
        if tools is None:
            yield watched
            return
        from controlplane.mcp.tool_environment import with_tools  # Few runs have servers.

        tools = replace(tools, reads=self.resources.reads)
        with with_tools(watched, tools, clock) as environment_with_tools:
            for notice in environment_with_tools.notices:
                self.resources.notice_once(notice)
            yield environment_with_tools

    def _show_output(self, text: str) -> None:
        """Show what a call that still runs has printed."""
        self.emit(CallOutput(trial_id=self.stub.trial_id, text=well_formed(text)))

    def _report_fault(self, error: BaseException) -> None:
        """Tell of an error of the benchmark's own code, which its trial may survive."""
        fault = f"{BENCHMARK_BROKE}{fault_text(error)}"
        if fault not in self.faults:
            self.faults.append(fault)
            self.emit(Noticed(trial_id=self.stub.trial_id, text=fault))

    def _open_session(
        self,
        trial: Trial,
        attempt: Attempt,
        environment: Environment,
        worker: Worker,
        clock: TrialClock,
    ) -> TrialSession:
        """Return the session in which the solver works. Raises `LeftOpen` if the run stops."""
        resources = self.resources
        record = attempt.record

        # 1. The recorder, through which the solver makes all calls. Its tape holds the steps of
        #    earlier attempts: their calls are answered from it instead of being made again.
        is_rebuilt = trial.is_fresh and resources.opened.rebuilds_trials
        tape = Tape(record, is_fresh=trial.is_fresh, is_rebuilt=is_rebuilt)
        recorder = Recorder(trial.trial_id, environment, self._emit, worker=worker, tape=tape)
        resources.check_trial_operations(recorder.tool_schema)
        self._warn_of_doubtful_tools(recorder.tool_schema)

        # 2. The clock, which is a call, too. The calls of the initial prompt are sent before it, so
        #    that they are under way while the clock's call is waited for.
        if resources.makes_initial_prompt:
            for declared in first_calls(recorder.tool_schema):
                recorder.begin_ahead(declared.operation.name, declared.call.arguments)
        now = recorder.calls_made.clock()
        if self.controls.stop.is_set():
            # The clock may be missing because its call was interrupted, so the trial must not
            # begin without it.
            raise LeftOpen

        # 3. The start in the journal, before every other event of this attempt
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
                begins_anew=attempt.begins_anew,
            )
        )

        # 4. The session, whose clock goes on from the time that earlier attempts used
        session = TrialSession(
            self._trial_context(trial, record, now),
            recorder,
            resources.gates,
            stop=self.controls.stop,
            budget=resources.budget,
            clock=clock,
        )
        clock.go_on_from(record.used_s)

        # 5. The models that others than the solver ask: the second reader of answers by the
        #    session's exit, and the benchmark by the context variable of this thread
        ask_aside = partial(session.ask_aside, resources.ask_for_benchmark)
        session.exit.ask_reader = ask_aside
        ASK_ASIDE.set(ask_aside)
        return session

    def _trial_context(
        self, trial: Trial, record: TrialRecord, now: datetime | None
    ) -> TrialContext:
        """Return what the solver may know of its trial. `now` is the time of the trial's environment."""
        settings = self.resources.spec.settings
        return TrialContext(
            trial.trial_id,
            trial.task_id,
            trial.instruction,
            now,
            number=(self.stub.number or 0) + self.stub.repeat + 1,
            origin=record.origin,
            time_limit_s=trial.time_limit_s,
            max_calls=settings.max_calls,
            max_cost_usd=settings.trial_cost,
            context_tokens=self.resources.models.context_tokens,
            is_resumed=record.is_resumed,
        )

    def _emit(self, event: JournalEvent) -> None:
        """Emit an event of the solver's work.

        If the environment refuses all searches of the initial prompt, or the model's context is too
        small for it, the user is told once.
        """
        self.emit(event)
        if isinstance(event, ConversationOpened):
            for notice in (failed_searches(event.calls), shortened_notice(event)):
                if notice:
                    self.resources.notice_once(notice)

    def _warn_of_doubtful_tools(self, tool_schema: ToolSchema) -> None:
        """Tell the user once which tools do not say whether they change something."""
        names = tool_schema.doubtful
        if names:
            self.resources.notice_once(
                "nothing says whether these tools change something, so each is taken to: "
                f"{', '.join(names)}. For those that only read, say so: "
                f"--reads {','.join(names)} (without those that change something)"
            )

    def _work(self, trial: Trial, record: TrialRecord, session: TrialSession) -> _WorkEnd:
        """Have the solver work on the trial, unless an earlier attempt has finished the work.

        Raises `LeftOpen` if the trial is left open, and `ModelError` for a failure of the model that
        every other trial would meet, too.
        """
        try:
            with self.resources.sandbox.functions_of(session):
                reason = self._solve_from_record(trial, record, session)
            is_out_of_budget = bool(reason) and reason == session.cost_limit.reason
            work_end = _WorkEnd(reason, is_out_of_budget=is_out_of_budget)
        except OutOfBudget as error:
            work_end = _WorkEnd(str(error), is_out_of_budget=True)
        except Abandoned:
            raise
        except ModelError as error:
            if error.affects_all:
                raise
            work_end = _WorkEnd(f"the model failed: {error}")
        if session.cut_off and not session.exit.is_answered:
            # A solver may take the used-up budget of the run for a failure of its model.
            raise LeftOpen(session.cut_off)
        return work_end

    def _solve_from_record(self, trial: Trial, record: TrialRecord, session: TrialSession) -> str:
        """Bring a new environment to its recorded state, and solve; return why there is no answer."""
        if trial.is_fresh:
            try:
                bring_forward(trial.environment, record, repeats_all_calls=trial.repeats_all_calls)
            except CallError as error:
                return f"the changes of the interrupted attempt could not be made again: {error}"
        if session.is_over:
            return ""
        return self._solve(session)

    def _solve(self, session: TrialSession) -> str:
        """Run the solver; return why there is no answer, or an empty text."""
        solver = self.resources.solver
        assert solver is not None
        try:
            reason: object = solver.solve(session)
            if reason is None:
                return ""
            if isinstance(reason, str):
                return reason[: bounds.MOST_FAULT_CHARS]
            msg = f"solve returned {reason!r}, not a text that says why there is no answer"
            raise TypeError(msg)
        except (ControlPlaneError, LeftOpen, ModelError, SandboxBroken, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001 - the border of a trial: the fallback answers
            text = fault_text(error)
            _log.debug("the trial %s broke:", session.trial.trial_id, exc_info=error)
            session.notice(f"{TRIAL_BROKE}{text}")
            return f"{TRIAL_BROKE}{text}"

    # 3. The answer and the end

    def _finish(self, session: TrialSession, work_end: _WorkEnd, started_at: float) -> None:
        """Send the fallback if the trial is not answered, and end the trial."""
        session.end_step()
        reason = work_end.reason
        if not session.exit.is_answered:
            failure = self._send_last_answer(session, reason)
            if failure is not None and may_yet_succeed(failure.code):
                self._leave_open(f"its answer could not be sent ({failure})")
                return
            if failure is not None and not reason:
                reason = f"its answer was refused ({failure})"

        score = self._end_at_benchmark()
        if score is None:
            return
        # The score comes before the end: nobody asks for the score of a trial that has ended.
        if score.score is not None:
            self.emit(score.score)
        how: HowEnded = "unanswered"
        if session.exit.is_answered:
            how = _how_answered(session.exit.accepted)
        reasons = list(self.faults)
        if reason:
            reasons.append(reason)
        self._emit_end(
            how,
            reason="; ".join(reasons),
            out_of_budget=work_end.is_out_of_budget,
            elapsed_ms=round((time.monotonic() - started_at) * 1000, 1),
        )

    def _send_last_answer(self, session: TrialSession, reason: str) -> CallError | None:
        """Send the answer that the gates accepted before, or else the fallback.

        Returns the failure if the environment does not take it.
        """
        answer = session.exit.accepted
        if answer is None:
            repeats_last = self.resources.spec.settings.fallback == "last"
            answer = session.exit.fallback(reason, repeats_last=repeats_last)
        late_answer = answer.model_copy(update={"late": True, "at_ms": now_ms()})
        return self._retried(lambda: session.exit.send_answer(late_answer))

    def _end_at_benchmark(self) -> _BenchmarkEnd | None:
        """End the trial at the benchmark; return None if that fails, or is left for later."""
        trial_id = self.stub.trial_id
        try:
            score = self._retried(lambda: self.resources.benchmark.end_trial(trial_id))
        except LeftOpen as error:
            self._leave_open(_no_grade_text(error))
            return None
        except ModelError as error:
            self._leave_open(_no_grade_text(error), pause=error if error.affects_all else None)
            return None
        if isinstance(score, CallError):
            self._fail("end", str(score))
            return None
        if not isinstance(score, TrialScore | None):
            msg = f"end_trial returned {score!r}, not a TrialScore"
            raise TypeError(msg)
        self.controls.health.note_progress()
        if score is None:
            return _BenchmarkEnd()
        return _BenchmarkEnd(
            Scored(
                trial_id=trial_id,
                score=score.score,
                details=score.details,
                metrics=dict(score.metrics),
            )
        )

    def _retried(self, call: Callable[[], Result]) -> Result | CallError:
        """Return the result of a call that ends the trial, or its failure after retries."""

        def note_sign_of_life(text: str) -> None:
            self.controls.note_sign_of_life(self.stub.trial_id)

        return call_or_failure(
            call,
            limit_s=bounds.END_RETRY_S,
            stop=self.controls.stop,
            on_retry=note_sign_of_life,
        )

    def _leave_open(self, reason: str, *, pause: Exception | None = None) -> None:
        """Leave the trial open, to be resumed. With `pause` the whole run pauses for that error."""
        if pause is not None:
            self.controls.pause(pause)
        reasons = "; ".join([*self.faults, reason])
        self.emit(TrialLeftOpen(trial_id=self.stub.trial_id, reason=reasons))

    def _fail(self, phase: Phase, reason: str) -> None:
        self.emit(TrialFailed(trial_id=self.stub.trial_id, phase=phase, error=reason))

    def _emit_end(
        self,
        how: HowEnded,
        *,
        reason: str = "",
        out_of_budget: bool = False,
        elapsed_ms: float = 0.0,
    ) -> None:
        self.emit(
            TrialEnded(
                trial_id=self.stub.trial_id,
                how=how,
                reason=reason,
                out_of_budget=out_of_budget,
                elapsed_ms=elapsed_ms,
            )
        )


@dataclass(frozen=True, slots=True)
class _BenchmarkEnd:
    """The benchmark has ended a trial."""

    score: Scored | None = None
    """The trial's score; None if it comes later."""


def _how_answered(answer: AnswerSent | None) -> HowEnded:
    """Return how a trial ended that the environment took an answer of."""
    if answer is None or answer.fallback:
        return "fallback"
    return "answered"


def _no_grade_text(error: LeftOpen | ModelError) -> str:
    """Return why a trial stays open that could not be graded."""
    if str(error):
        return f"its grader's model gave no reply: {error}"
    return "interrupted"
