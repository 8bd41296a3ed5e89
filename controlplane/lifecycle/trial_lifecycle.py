"""One trial from its start to its end.

A trial ends, or it is left open so that a resumed run can continue it. Its phases:

1. The benchmark starts the trial.
2. The solver works on it in a `TrialSession`, and continues what an earlier attempt
   recorded.
3. If the solver has sent no answer, a fallback answer is sent.
4. The benchmark ends the trial and may return its score.

An error in a phase affects only this trial. If every other trial would run into it,
too, the run pauses (see `benchmark_health`).
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
    next_attempt,
    repeat_changes,
    start_failure_of,
    task_fault,
)
from controlplane.agent.failure_codes import failure_of, may_yet_succeed
from controlplane.agent.loop import LeftOpen, TrialClock, TrialContext, TrialSession
from controlplane.agent.loop.initial_prompt import (
    failed_searches,
    first_calls,
    shortened_notice,
)
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
from controlplane.lifecycle.run_solver import SolverSetup
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
    return (
        error if isinstance(error, ModelError | UsageError) else Unreachable(str(error))
    )


def run_trial(
    resources: RunResources,
    stub: TrialStub,
    emit: Emit,
    controls: RunControls,
    record: TrialRecord,
) -> None:
    """Run one trial and emit its events.

    `record` holds the earlier attempts. Does nothing if the run is stopping or has used
    up its budget. Raises only errors that end the whole run (`ControlPlaneError`).
    """
    if controls.stop.is_set() or resources.budget.spending.used_up:
        return
    _TrialRun(resources, stub, emit, controls, record).run()


@dataclass(frozen=True, slots=True)
class _WorkEnd:
    """The outcome of the solver's work on a trial."""

    no_answer_reason: str = ""
    """Why there is no answer; empty if there is one."""
    is_out_of_budget: bool = False


@dataclass(frozen=True, slots=True)
class _TrialRun:
    """One attempt at a trial. `run_trial` creates it, calls `run` once, and drops
    it."""

    resources: RunResources
    stub: TrialStub
    """The trial as the benchmark allotted it: its id, and its task if that is known."""
    emit: Emit
    """Writes an event to the journal."""
    controls: RunControls
    """Signals that all trials of the run share: the request to stop, and the
    benchmark's health."""
    record: TrialRecord
    """The journal's record of earlier attempts."""
    faults: list[str] = field(default_factory=list)
    """Errors in the benchmark's own code during this trial, with file and line."""

    @property
    def _setup(self) -> SolverSetup:
        assert self.resources.setup is not None  # This process plays trials.
        return self.resources.setup

    def run(self) -> None:
        """Start the trial, and work on it until it ends or is left open."""
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
        """Turn an exception into the failure of this trial, unless it ends the whole
        run.

        The failure event names the `phase`: `start`, or `end` for everything after the
        start.
        """
        # `_open_session` sets `ASK_ASIDE`, the function by which graders ask models,
        # for this thread. Reset it at the end, or the next trial of the thread would
        # find it.
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
        """Start the trial, with a second try if that may help. Raises
        `BenchmarkError`."""
        start = self.resources.benchmark.start_trial
        began_at = time.monotonic()
        try:
            trial = start(self.stub.trial_id)
        except BenchmarkError as error:
            # If the benchmark has served other trials meanwhile, it was probably down
            # only for a moment. Then try again.
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
        """End a trial that the benchmark refused to start, or leave it open."""
        trial_id = self.stub.trial_id
        text = f"{error.code}: {error.message}"
        failure = start_failure_of(self.record, error.code)
        if failure is StartFailure.IS_ANSWERED:
            self._emit_end("answered")
        elif failure is StartFailure.ENDED_BY_FALLBACK:
            self._emit_end("fallback")
        elif self.controls.stop.is_set() and failure_of(error.code).is_tooling:
            self._leave_open(f"interrupted while it started: {error.message}")
        else:
            # The failure is the benchmark's own. It is not caused by a stop of the run.
            health = self.controls.health
            run_must_pause = health.note_failed_start(trial_id, error.code, began_at)
            if run_must_pause:
                pause = Unreachable(f"no trial can be started ({text})")
                self._leave_open(f"could not start: {text}", pause=pause)
            elif failure is StartFailure.MAY_BE_RESUMED:
                self._leave_open(f"could not start: {text}")
            else:
                self._fail("start", text)

    def _begin_attempt(self, trial: Trial) -> Attempt:
        """Return this attempt, with the recorded steps that it continues.

        If the trial has to begin from scratch, tell the user.
        """
        # `is_fresh`: the environment is new. `begins_anew`: recorded calls are not
        # repeated in it.
        is_environment_lost = trial.is_fresh and trial.begins_anew
        attempt = next_attempt(self.record, is_environment_lost=is_environment_lost)
        if attempt.begins_anew:
            notice = (
                f"the environment of {trial.trial_id} was lost: the trial begins anew"
            )
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
    def _environment_with_tools(
        self, trial: Trial, clock: TrialClock
    ) -> Iterator[Environment]:
        """Yield the trial's environment, with the tools of the user's MCP servers.

        The servers are started for this trial, and end with it.
        """
        environment = trial.environment
        if isinstance(
            environment, Waiting
        ):  # Its calls may wait, but not beyond the trial's time.
            environment.ends_at = clock.deadline
        if isinstance(environment, Printing):  # Its calls print while they run.
            environment.show_output = self._show_output
        tool_schema = self.resources.tool_schema_of(environment)
        watched = WatchedEnvironment(
            environment, tool_schema, self.controls, self._report_fault
        )
        tools = self.resources.spec.tools
        if tools is None:
            yield watched
            return
        from controlplane.mcp.tool_environment import with_tools  # Few runs need it.

        tools = replace(tools, reads=self.resources.reads)
        with with_tools(watched, tools, clock) as environment_with_tools:
            for notice in environment_with_tools.notices:
                self.resources.notices.show_once(notice)
            yield environment_with_tools

    def _show_output(self, text: str) -> None:
        """Show the output so far of a call that is still running."""
        self.emit(CallOutput(trial_id=self.stub.trial_id, text=well_formed(text)))

    def _report_fault(self, error: BaseException) -> None:
        """Tell the user of an error in the benchmark's own code. The trial may go on
        after it."""
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
        """Record the start of this attempt, and return the session in which the solver
        works.

        Raises `LeftOpen` if the run stops.
        """
        record = attempt.record
        recorder = self._recorder(trial, record, environment, worker)
        now = self._time_in_environment(recorder)
        # The start event precedes all other events of the attempt in the journal.
        self._emit_start(trial, attempt, recorder.tool_schema, now)

        session = TrialSession(
            self._trial_context(trial, record, now),
            recorder,
            self.resources.gates,
            stop=self.controls.stop,
            budget=self.resources.budget,
            clock=clock,
        )
        clock.continue_from(record.used_s)  # the time that earlier attempts have used

        # The grader, the simulated user and the second reader of answers ask models,
        # too. The session records their requests.
        ask_aside = partial(session.ask_aside, self._setup.side_models.ask)
        session.exit.ask_reader = ask_aside  # for a second reading of the answer
        ASK_ASIDE.set(ask_aside)  # for the benchmark's grader and simulated user
        return session

    def _recorder(
        self,
        trial: Trial,
        record: TrialRecord,
        environment: Environment,
        worker: Worker,
    ) -> Recorder:
        """Return the recorder, through which the solver makes all calls.

        Its tape holds the recorded steps of earlier attempts. Calls of these steps get
        their recorded results instead of being made again.
        """
        is_rebuilt = trial.is_fresh and self.resources.opened.rebuilds_trials
        tape = Tape(record, is_fresh=trial.is_fresh, is_rebuilt=is_rebuilt)
        recorder = Recorder(
            trial.trial_id, environment, self._emit_work_event, worker=worker, tape=tape
        )
        self.resources.check_trial_operations(recorder.tool_schema)
        self._warn_of_doubtful_tools(recorder.tool_schema)
        return recorder

    def _time_in_environment(self, recorder: Recorder) -> datetime | None:
        """Return the time of the environment's clock; None if it has none.

        Raises `LeftOpen` if the run stops: the stop may have cut off the call for the
        time.
        """
        # Begin the calls of the initial prompt now, so that they run while we ask for
        # the time.
        if self.resources.makes_initial_prompt:
            for declared in first_calls(recorder.tool_schema):
                recorder.calls_made.begin_ahead(
                    declared.operation.name, declared.call.arguments
                )
        now = recorder.calls_made.clock()
        if self.controls.stop.is_set():
            raise LeftOpen
        return now

    def _emit_start(
        self,
        trial: Trial,
        attempt: Attempt,
        tool_schema: ToolSchema,
        now: datetime | None,
    ) -> None:
        """Emit the event that this attempt starts.

        It continues the last step of the earlier attempts if that step is unfinished.
        """
        record = attempt.record
        continued_step = record.open_step
        self.emit(
            TrialStarted(
                trial_id=trial.trial_id,
                task_id=trial.task_id,
                instruction=trial.instruction,
                now=now.isoformat() if now else "",
                tool_schema=tool_schema_to_text(tool_schema),
                origin=record.origin,
                step=continued_step.number,
                number=len(continued_step.calls),  # the recorded calls of that step
                begins_anew=attempt.begins_anew,
            )
        )

    def _trial_context(
        self, trial: Trial, record: TrialRecord, now: datetime | None
    ) -> TrialContext:
        """Return the facts that the solver may know. `now` is the time in the trial's
        environment."""
        settings = self.resources.spec.settings
        # A run has several worlds of a task, or repeats one world. Then one of these
        # numbers is 0, and the other one counts the task's trials. In a run with both,
        # two trials may get the same number.
        world_from_0 = self.stub.number or 0
        repeat_from_0 = self.stub.repeat
        trial_number = world_from_0 + repeat_from_0 + 1  # counts from 1
        return TrialContext(
            trial.trial_id,
            trial.task_id,
            trial.instruction,
            now,
            number=trial_number,
            origin=record.origin,
            time_limit_s=trial.time_limit_s,
            max_calls=settings.max_calls,
            max_cost_usd=settings.trial_cost,
            context_tokens=self.resources.models.context_tokens,
            is_resumed=record.is_resumed,
        )

    def _emit_work_event(self, event: JournalEvent) -> None:
        """Emit an event of the solver's work.

        Tell the user once about two faults of the initial prompt: all its searches were
        refused, or it does not fit into the model's context.
        """
        self.emit(event)
        if isinstance(event, ConversationOpened):
            for notice in (failed_searches(event.calls), shortened_notice(event)):
                if notice:
                    self.resources.notices.show_once(notice)

    def _warn_of_doubtful_tools(self, tool_schema: ToolSchema) -> None:
        """Tell the user once which tools do not say whether they change something.

        They are treated as if they did.
        """
        names = tool_schema.doubtful
        if names:
            self.resources.notices.show_once(
                "nothing says whether these tools change something, so each is taken to: "
                f"{', '.join(names)}. For those that only read, say so: "
                f"--reads {','.join(names)} (without those that change something)"
            )

    def _work(
        self, trial: Trial, record: TrialRecord, session: TrialSession
    ) -> _WorkEnd:
        """Let the solver work on the trial, unless an earlier attempt has finished the
        work.

        Raises `LeftOpen` if the trial is left open, and `ModelError` if the model fails
        in a way that affects all trials.
        """
        try:
            with self.resources.sandbox.functions_of(session):
                reason = self._solve_from_record(trial, record, session)
            # If the trial's cost limit has ended the solver, it returns the limit's own
            # words.
            is_out_of_budget = reason != "" and reason == session.cost_limit.reason
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
            # The run has used up its budget. The solver may have caught that error and
            # returned.
            raise LeftOpen(session.cut_off)
        return work_end

    def _solve_from_record(
        self, trial: Trial, record: TrialRecord, session: TrialSession
    ) -> str:
        """Run the solver. In a new environment, first make the recorded changes again.

        Returns why there is no answer; an empty text if there is one.
        """
        if trial.is_fresh:
            try:
                repeat_changes(
                    trial.environment, record, repeats_all_calls=trial.repeats_all_calls
                )
            except CallError as error:
                return f"the changes of the interrupted attempt could not be made again: {error}"
        if session.is_over:
            return ""
        return self._solve(session)

    def _solve(self, session: TrialSession) -> str:
        """Run the solver. Return why there is no answer; an empty text if there is
        one."""
        try:
            reason: object = self._setup.solver.solve(session)
            if reason is None:
                return ""
            if isinstance(reason, str):
                return reason[: bounds.MOST_FAULT_CHARS]
            msg = f"solve returned {reason!r}, not a text that says why there is no answer"
            raise TypeError(msg)
        except (
            ControlPlaneError,
            LeftOpen,
            ModelError,
            SandboxBroken,
            KeyboardInterrupt,
        ):
            raise
        except BaseException as error:  # noqa: BLE001 - the border of a trial: the fallback answers
            text = fault_text(error)
            _log.debug("the trial %s broke:", session.trial.trial_id, exc_info=error)
            session.notice(f"{TRIAL_BROKE}{text}")
            return f"{TRIAL_BROKE}{text}"

    # 3. The answer and the end

    def _finish(
        self, session: TrialSession, work_end: _WorkEnd, started_at: float
    ) -> None:
        """Send a last answer if the solver has sent none, and end the trial."""
        session.end_step()
        reason = work_end.no_answer_reason
        if not session.exit.is_answered:
            failure = self._send_last_answer(session, reason)
            if failure is not None and may_yet_succeed(failure.code):
                self._leave_open(f"its answer could not be sent ({failure})")
                return
            if failure is not None and not reason:
                reason = f"its answer was refused ({failure})"

        # The score is recorded here, and the trial's end after it. In this order no
        # score is lost if the process is killed in between: a resumed run ends the
        # trial again, and asks again.
        has_ended = self._end_at_benchmark()
        if not has_ended:
            return

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
        """Send the answer that the gates accepted earlier or, without one, the
        fallback.

        Returns the error if the environment refuses the answer.
        """
        answer = session.exit.accepted
        if answer is None:
            repeats_last = self.resources.spec.settings.fallback == "last"
            answer = session.exit.fallback(reason, repeats_last=repeats_last)
        # "Late" means after the solver's work: the answer does not belong to one of its
        # steps.
        late_answer = answer.model_copy(update={"late": True, "at_ms": now_ms()})
        return self._retried(lambda: session.exit.send_answer(late_answer))

    def _end_at_benchmark(self) -> bool:
        """End the trial at the benchmark, and record its score if there is one by now.

        Returns False if that fails. Then the trial has been recorded as failed or left
        open.
        """
        trial_id = self.stub.trial_id
        try:
            score = self._retried(lambda: self.resources.benchmark.end_trial(trial_id))
        except LeftOpen as error:
            self._leave_open(_no_grade_text(error))
            return False
        except ModelError as error:
            self._leave_open(
                _no_grade_text(error), pause=error if error.affects_all else None
            )
            return False
        if isinstance(score, CallError):
            self._fail("end", str(score))
            return False
        if not isinstance(score, TrialScore | None):
            msg = f"end_trial returned {score!r}, not a TrialScore"
            raise TypeError(msg)

        self.controls.health.note_progress()
        if score is not None:
            self.emit(
                Scored(
                    trial_id=trial_id,
                    score=score.score,
                    details=score.details,
                    metrics=dict(score.metrics),
                )
            )
        return True

    def _retried(self, call: Callable[[], Result]) -> Result | CallError:
        """Return the result of a call that ends the trial, or its failure after
        retries."""

        def note_sign_of_life(text: str) -> None:
            self.controls.note_sign_of_life(self.stub.trial_id)

        return call_or_failure(
            call,
            limit_s=bounds.END_RETRY_S,
            stop=self.controls.stop,
            on_retry=note_sign_of_life,
        )

    def _leave_open(self, reason: str, *, pause: Exception | None = None) -> None:
        """Leave the trial open for a resumed run. If `pause` is given, pause the run
        for that error."""
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


def _how_answered(answer: AnswerSent | None) -> HowEnded:
    """Return how a trial ended whose environment has accepted an answer."""
    if answer is None or answer.fallback:
        return "fallback"
    return "answered"


def _no_grade_text(error: LeftOpen | ModelError) -> str:
    """Return why an ungraded trial stays open."""
    if str(error):
        return f"its grader's model gave no reply: {error}"
    return "interrupted"
