"""One trial from its start to its end.

A trial ends, or it is left open so that a resumed run can continue it. Its phases:

1. The benchmark starts the trial.
2. The solver works on it, and continues what an earlier attempt recorded.
3. If the solver has sent no answer, a fallback answer is sent.
4. The benchmark ends the trial and may return its score.

An error in a phase affects only this trial. If every other trial would run into it,
too, the run pauses (see `run_controls`).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from controlplane.agent.events import (
    AnswerSent,
    CallEvent,
    ConversationOpened,
    TrialStarted,
    now_ms,
)
from controlplane.agent.evidence import (
    Environment,
    Printing,
    Tape,
    Waiting,
    new_recorder,
)
from controlplane.agent.evidence.environment_resume import (
    Attempt,
    TrialStartFailure,
    next_attempt,
    repeat_changes,
    start_failure_of,
    task_fault,
)
from controlplane.agent.evidence.tape import NextEnvironment
from controlplane.agent.failure_codes import failure_of, may_yet_succeed
from controlplane.agent.loop import (
    LeftOpen,
    TrialClock,
    TrialContext,
    TrialSession,
)
from controlplane.agent.loop.system_prompt import (
    failed_searches_notice,
    shortened_notice,
)
from controlplane.agent.model import ASK_SIDE_MODEL, Abandoned, ModelError, OutOfBudget
from controlplane.agent.opening.calls import call_batches
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import (
    Benchmark,
    BenchmarkError,
    PlannedTrial,
    Trial,
    TrialScore,
)
from controlplane.errors import ControlPlaneError, ServerFailed, Unreachable, fault_text
from controlplane.journal.run_events import JournalEvent
from controlplane.journal.tool_schema_text import tool_schema_to_text
from controlplane.journal.totals.trial_summary import TRIAL_BROKE
from controlplane.lifecycle.resources.offered_operations import (
    check_operations_of_trial,
    offered_operations,
)
from controlplane.lifecycle.resources.run_resources import RunResources, trial_limits
from controlplane.lifecycle.run_controls import (
    Emit,
    HowEnded,
    Phase,
    RunControls,
    TrialReports,
    call_or_failure,
)
from controlplane.lifecycle.watched_environment import WatchedEnvironment
from controlplane.sandbox import SandboxBroken, Worker
from controlplane.sandbox.interface import (
    CallError,
    bounds,
    well_formed,
)

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")


def run_trial(
    resources: RunResources,
    planned_trial: PlannedTrial,
    emit: Emit,
    controls: RunControls,
    record: TrialRecord,
) -> None:
    """Run one trial and emit its events, until it ends or is left open.

    `record` holds the earlier attempts: a trial that was interrupted has several, and a later one
    continues the recorded steps of those before. Does nothing if the run is stopping or has used
    up its budget. Raises only errors that end the whole run (`ControlPlaneError`).
    """
    if controls.stop.is_set() or resources.budget.spending.end.reason:
        return
    # A thread may have played another trial before, whose models this one must not ask.
    ASK_SIDE_MODEL.set(None)
    reports = TrialReports(planned_trial.trial_id, emit, controls)
    trial = None
    with _errors_contained("start", reports):
        trial = _started_trial(resources.benchmark, record, reports)
    if trial is None:
        return
    with _errors_contained("end", reports):
        # This attempt, with the recorded steps that it continues.
        starts_over = trial.is_fresh and trial.begins_anew
        attempt = next_attempt(record, starts_over=starts_over)
        # A trial without earlier steps, or with an answer that was sent, has no need to start over.
        if attempt.drops_record:
            reports.notice(
                f"the environment of {trial.trial_id} was lost: the trial begins anew"
            )
        fault = task_fault(attempt.record, trial.task_id, trial.instruction)
        if fault:
            reports.left_open(fault)
        else:
            _StartedTrial(resources, planned_trial, trial, attempt, reports).play()


# The start of a trial at its benchmark.


def _started_trial(
    benchmark: Benchmark, record: TrialRecord, reports: TrialReports
) -> Trial | None:
    """Start the trial, with a second try if that may help; return None if it does not start.

    `record` is the journal's record of earlier attempts.
    """
    health = reports.controls.health
    began_at = time.monotonic()
    try:
        try:
            trial = benchmark.start_trial(reports.trial_id)
        except BenchmarkError as error:
            # If the benchmark has served other trials meanwhile, it was probably down only for a
            # moment.
            served_others = health.last_progress_at >= began_at
            was_down_briefly = served_others and failure_of(error.code).is_outage
            if reports.controls.stop.is_set() or not was_down_briefly:
                raise
            trial = benchmark.start_trial(reports.trial_id)
    except BenchmarkError as error:
        _report_failed_start(error, began_at, record, reports)
        return None
    if not isinstance(trial, Trial):
        msg = f"start_trial returned {trial!r}, not a Trial"
        raise TypeError(msg)
    health.note_start()
    return replace(trial, instruction=well_formed(trial.instruction))


def _report_failed_start(
    error: BenchmarkError, began_at: float, record: TrialRecord, reports: TrialReports
) -> None:
    """Report a trial that did not start as ended, failed or left open.

    The run pauses if every other trial is expected to fail, too.
    """
    # A benchmark refuses to start a trial that has ended. So if `record` has an answer, this
    # trial ended at an earlier attempt, which was killed before it could record that.
    kind = start_failure_of(record, error.code)
    if kind is TrialStartFailure.IS_ANSWERED:
        reports.ended("answered")
        return
    if kind is TrialStartFailure.ENDED_BY_FALLBACK:
        reports.ended("fallback")
        return

    # A stop of the run cuts off the start of a trial. That is no fault of the trial.
    run_stops = reports.controls.stop.is_set()
    if run_stops and failure_of(error.code).is_environment_fault:
        reports.left_open(f"interrupted while it started: {error.message}")
        return

    text = f"{error.code}: {error.message}"
    run_must_pause = reports.controls.health.note_failed_start(
        reports.trial_id, error.code, began_at
    )
    if run_must_pause:
        pause = Unreachable(f"no trial can be started ({text})")
        reports.left_open(f"could not start: {text}", pause=pause)
    elif kind is TrialStartFailure.MAY_BE_RESUMED:
        reports.left_open(f"could not start: {text}")
    else:
        reports.failed("start", text)


# One attempt at a started trial: its environment, the solver's work, and the end.
#
# A trial may take several attempts: if a run is interrupted, the next attempt continues the trial
# from its record. An answer that the gates accept is sent at once, and ends the trial. If there is none,
# the trial sends a fallback answer: the last one that the gates rejected, or a text that says why there
# is none.


@dataclass(frozen=True, slots=True)
class _WorkEnd:
    """The outcome of the solver's work on a trial."""

    no_answer_reason: str = ""
    """The reason for a missing answer; empty if there is an answer."""
    is_out_of_budget: bool = False
    """True if a limit of the trial has ended the work."""


@dataclass(frozen=True, slots=True)
class _StartedTrial:
    """One attempt at a trial that the benchmark has started."""

    resources: RunResources
    """What all trials of the run share, such as its gates and its budget."""
    planned_trial: PlannedTrial
    """The trial as the benchmark allotted it: its id, and its task if that is known."""
    trial: Trial
    """The trial as the benchmark started it, with its instruction."""
    attempt: Attempt
    """This attempt, with the record of the steps of earlier ones."""
    reports: TrialReports
    started_at: float = field(default_factory=time.monotonic)
    """The start of this attempt, by `time.monotonic`."""

    def play(self) -> None:
        """Work on the trial, and end it or leave it open."""
        resources = self.resources
        limits = trial_limits(resources.settings, self.trial.time_limit_s)
        clock = TrialClock(limits.time_s)
        self.reports.trial.time_limit_s = limits.time_s
        with (
            resources.sandbox.worker_of(self.trial) as worker,
            self._open_environment(clock) as environment,
        ):
            try:
                session = self._open_session(environment, worker, clock)
                with resources.sandbox.functions_of(session):
                    work_end = self._work(session)
            except (LeftOpen, SandboxBroken, ModelError) as error:
                _leave_open_for(error, self.reports)
                return
            self._end(session, work_end)

    @contextmanager
    def _open_environment(self, clock: TrialClock) -> Iterator[Environment]:
        """Yield the trial's environment, with the tools of the user's MCP servers.

        The servers are started for this trial, and end with it.
        """
        resources = self.resources
        # Two protocols are optional. A `Waiting` environment retries calls by itself and so has to
        # know when the trial's time is over; a `Printing` one shows the user what its calls print.
        environment = self.trial.environment
        if isinstance(environment, Waiting):
            environment.ends_at = clock.deadline
        if isinstance(environment, Printing):
            environment.show_output = self.reports.output
        watched = WatchedEnvironment(
            environment,
            offered_operations(resources, environment, self.attempt.record.started),
            self.reports.controls,
            self.reports.fault,
        )
        tools = resources.spec.tools
        if tools is None:
            yield watched
            return
        from controlplane.mcp.tool_environment import with_tools

        # The user's `--reads` names tools of these servers that change nothing.
        tools = replace(tools, reads=resources.reads)
        with with_tools(watched, tools, clock) as with_servers:
            for notice in with_servers.notices:
                resources.notices.show_once(notice)
            yield with_servers

    def _open_session(
        self, environment: Environment, worker: Worker, clock: TrialClock
    ) -> TrialSession:
        """Record the start of this attempt, and return the solver's session.

        Raises `LeftOpen` if the run stops.
        """
        # 1. The recorder makes the calls of the environment, and emits an event for each. The tape
        #    has the recorded steps of earlier attempts: if the solver makes a call of these again,
        #    it gets the recorded result, and the environment is not called.
        resources = self.resources
        record = self.attempt.record
        next_environment = NextEnvironment.SAME
        if self.trial.is_fresh:  # It has none of the changes of earlier attempts.
            next_environment = NextEnvironment.NEW
            if resources.opened.rebuilds_trials:  # by making their calls again
                next_environment = NextEnvironment.REBUILT
        recorder = new_recorder(
            self.trial.trial_id,
            environment,
            self._emit,
            worker=worker,
            tape=Tape(record, next_environment=next_environment),
        )
        tool_schema = recorder.tool_schema
        check_operations_of_trial(resources, tool_schema)
        # Tell the user once which tools do not say whether they change something.
        names = tool_schema.doubtful
        if names:
            self.resources.notices.show_once(
                "nothing says whether these tools change something, so each is taken to: "
                f"{', '.join(names)}. For those that only read, say so: "
                f"--reads {','.join(names)} (without those that change something)"
            )

        # 2. Ask for the time of the environment's clock, if it has one. To save time, the calls for
        #    the initial prompt run meanwhile. None of these calls emits an event yet.
        if resources.spec.makes_initial_prompt:
            for declared in call_batches(tool_schema).first:  # They only read.
                recorder.begin_early(declared.operation.name, declared.arguments)
        now = recorder.start_time()
        if self.reports.controls.stop.is_set():
            # The stop may have cut off the call, so `now` may be missing.
            raise LeftOpen

        # 3. Record the start, before all other events of the attempt, and make the session.
        step = record.open_step
        started = TrialStarted(
            trial_id=self.trial.trial_id,
            task_id=self.trial.task_id,
            instruction=self.trial.instruction,
            now=now.isoformat() if now else "",
            tool_schema=tool_schema_to_text(tool_schema),
            # The id that seeds the scripts' random numbers.
            origin=record.origin,
            # The attempt continues in this step, after this many recorded calls.
            step=step.number,
            number=len(step.calls),
            begins_anew=self.attempt.drops_record,
        )
        self.reports.emit(started)
        context = TrialContext(
            self.trial.trial_id,
            self.trial.task_id,
            self.trial.instruction,
            now,
            number=self._number,
            origin=record.origin,
            limits=trial_limits(resources.settings, self.trial.time_limit_s),
            context_tokens=resources.models.context_tokens,
            is_resumed=record.is_resumed,
        )
        session = TrialSession(
            context,
            recorder,
            resources.budget,
            resources.gates,
            stop=self.reports.controls.stop,
            clock=clock,
        )
        resources.call_settings.apply_to(recorder)
        # The time of earlier attempts counts, too.
        clock.continue_from(record.used_s)

        # 4. The grader, the simulated user and the second reader of answers may ask their models
        #    outside of the solver's conversation. The session records these requests, too.
        side_models = resources.setup.side_models
        ask_side_model = partial(session.ask_for_others, side_models.reply_to)
        if side_models.has_reader:
            session.gated_exit.ask_reader = ask_side_model
        ASK_SIDE_MODEL.set(ask_side_model)  # for the benchmark's grader and user
        return session

    def _emit(self, event: JournalEvent) -> None:
        """Emit an event of the solver's work.

        Tell the user once if a call of a server's tool was not allowed, if all searches of the
        initial prompt were refused, or if it does not fit into the model's context.
        """
        self.reports.emit(event)
        show_once = self.resources.notices.show_once
        if isinstance(event, CallEvent) and event.tool_refusal:
            show_once(event.tool_refusal)
        if isinstance(event, ConversationOpened):
            for notice in (
                failed_searches_notice(event.calls),
                shortened_notice(event),
            ):
                if notice:
                    show_once(notice)

    @property
    def _number(self) -> int:
        """The number of the trial among those of its task, from 1.

        A run tries a task in several worlds, or several times in one world. One of the two
        numbers then stays 0, and the other counts the trials. In a run with both, two
        trials may get the same number.
        """
        world_from_0 = self.planned_trial.number or 0
        return world_from_0 + self.planned_trial.repeat + 1

    def _work(self, session: TrialSession) -> _WorkEnd:
        """Let the solver work, unless an earlier attempt has finished the work.

        Whatever the solver's own code does wrong costs only its answer. Raises `LeftOpen` if the trial
        is left open, and `ModelError` if the model fails in a way that affects all trials.
        """
        try:
            reason = self._solve_from_record(session)
            # A solver that the trial's cost limit has ended returns the limit's reason. Another
            # reason is its own.
            is_out_of_budget = reason != "" and reason == session.limits.cost.reason
            work_end = _WorkEnd(reason, is_out_of_budget=is_out_of_budget)
        except OutOfBudget as error:
            work_end = _WorkEnd(str(error), is_out_of_budget=True)
        except Abandoned:  # A `ModelError` of a trial that was told to stop.
            raise
        except ModelError as error:
            if error.affects_all:
                raise
            work_end = _WorkEnd(f"the model failed: {error}")
        if session.refused_by_run and not session.gated_exit.is_answered:
            # The run has used up its budget. The solver may have caught that error and returned.
            raise LeftOpen(session.refused_by_run)
        return work_end

    def _solve_from_record(self, session: TrialSession) -> str:
        """Run the solver. In a new environment, first make the recorded changes again.

        Returns the reason for a missing answer, or "" if the solver has answered. An error of the
        solver's own code becomes such a reason: `the trial broke: KeyError: 'id' (a.py, line 12)`.
        Errors that end more than the solver's work are raised: those of models, of the sandbox and of
        the run, and `LeftOpen`, which leaves the trial to a resumed run.
        """
        solver = self.resources.setup.solver
        assert solver is not None  # It has one, since this process plays trials.
        trial = self.trial
        if trial.is_fresh:
            try:
                repeat_changes(
                    trial.environment,
                    self.attempt.record,
                    repeats_all_calls=trial.repeats_all_calls,
                )
            except CallError as error:
                return f"the changes of the interrupted attempt could not be made again: {error}"
        if session.is_over:
            return ""
        try:
            return _checked_reason(solver.solve(session))
        except (
            ControlPlaneError,
            LeftOpen,
            ModelError,
            SandboxBroken,
            KeyboardInterrupt,
        ):
            raise
        except BaseException as error:  # noqa: BLE001 - the border of a trial: the fallback answers
            _log.debug("the trial %s broke:", session.trial_id, exc_info=error)
            reason = f"{TRIAL_BROKE}{fault_text(error)}"
            session.notice(reason)
            return reason

    def _end(self, session: TrialSession, work_end: _WorkEnd) -> None:
        """Send a last answer if the solver has sent none, and end the trial.

        | the last answer | what is recorded |
        |---|---|
        | was sent, by the solver or here | the score and the end |
        | is refused, such as an invalid one | the same; the refusal is the reason if there is no other |
        | cannot be sent now, such as in an outage | the trial is left open; a resumed run sends it |
        """
        session.end_step()

        # 1. The last answer: the one that the gates accepted earlier or, without one, the fallback
        reason = work_end.no_answer_reason  # empty if the solver reached an answer
        gated_exit = session.gated_exit
        if not gated_exit.is_answered:
            answer = gated_exit.accepted
            if answer is None:
                repeats_last = self.resources.settings.fallback == "last"
                answer = gated_exit.fallback(reason, repeats_last=repeats_last)
            # "Late" means after the solver's work: the answer does not belong to one of its steps.
            late_answer = answer.model_copy(update={"late": True, "at_ms": now_ms()})
            failure = self._retried(lambda: gated_exit.send(late_answer))
            if failure is not None and may_yet_succeed(failure.code):
                # A resumed run sends the answer again.
                self.reports.left_open(f"its answer could not be sent ({failure})")
                return
            if failure is not None and not reason:
                reason = f"its answer was refused ({failure})"

        # 2. The end. The score is recorded before the trial's end: if the process is killed in between,
        #    a resumed run ends the trial again.
        has_ended = self._end_at_benchmark()
        if has_ended:
            self.reports.ended(
                _how_ended(gated_exit.accepted, is_answered=gated_exit.is_answered),
                reason=reason,
                out_of_budget=work_end.is_out_of_budget,
                elapsed_ms=round((time.monotonic() - self.started_at) * 1000, 1),
            )

    def _end_at_benchmark(self) -> bool:
        """End the trial at the benchmark, and record its score if there is one by now.

        Returns False if that fails. Then the trial has been recorded as failed or left open.
        """
        benchmark = self.resources.benchmark
        reports = self.reports
        try:
            score = self._retried(lambda: benchmark.end_trial(reports.trial_id))
        except (LeftOpen, ModelError) as error:
            _leave_ungraded(error, reports)
            return False
        if isinstance(score, CallError):
            reports.failed("end", str(score))
            return False
        if not isinstance(score, TrialScore | None):
            msg = f"end_trial returned {score!r}, not a TrialScore"
            raise TypeError(msg)

        reports.controls.health.note_progress()
        if score is not None:
            # What is not on the benchmark's scale is no score.
            reports.score(score.within(self.resources.opened.scale))
        return True

    def _retried(self, call: Callable[[], _Result]) -> _Result | CallError:
        """Return the result of a call that ends the trial, or its failure after retries.

        Retries go on for up to `END_RETRY_S` seconds, or until the run stops. Each is a sign of life,
        so that a trial that waits for its benchmark does not count as stuck.
        """

        def note_sign_of_life(text: str) -> None:
            self.reports.trial.note_sign_of_life()

        return call_or_failure(
            call,
            limit_s=bounds.END_RETRY_S,
            stop=self.reports.controls.stop,
            on_retry=note_sign_of_life,
        )


def _checked_reason(reason: object) -> str:
    """Return the result of `solve` as a text: None -> "", "no file has it" -> the same text.

    The text is the reason for a missing answer. Raises `TypeError` for a result of another type:
    a user may have written the solver.
    """
    if reason is None:
        return ""
    if isinstance(reason, str):
        return reason[: bounds.MOST_FAULT_CHARS]
    msg = f"solve returned {reason!r}, not a text that says why there is no answer"
    raise TypeError(msg)


def _how_ended(accepted: AnswerSent | None, *, is_answered: bool) -> HowEnded:
    """Return how a trial ended: with the solver's answer, with the fallback, or with neither."""
    if not is_answered:
        return "unanswered"
    # The exit keeps only answers that the gates accepted. So without one, the answer that was
    # sent can only be the fallback.
    if accepted is None or accepted.fallback:
        return "fallback"
    return "answered"


# Errors in a trial: what each costs the trial, and whether it pauses the whole run.
#
# An exception in one trial must not end the others, so it becomes the trial's own end: the trial
# *fails*, or is *left open* for a resumed run. An error that every other trial would meet as well,
# such as an MCP server that does not start, also *pauses* the run, which then starts no more trials.


@contextmanager
def _errors_contained(phase: Phase, reports: TrialReports) -> Iterator[None]:
    """Turn an exception of the `with` block into an event of this trial.

    A `KeyError` of the benchmark's code -> the trial has failed; the run goes on.
    A tool server that has failed -> the trial is left open, and the run pauses.
    Errors that end the whole run are raised: `ControlPlaneError`, and `KeyboardInterrupt`. A run that
    the command line plays raises none at Ctrl-C: `stop_on_signals` in `conducting.py` stops it.

    `phase` is `start`, or `end` for everything after the start; a failure names it.
    """
    try:
        yield
    except ServerFailed as error:
        reports.left_open(str(error), pause=Unreachable(str(error)))
    except (ControlPlaneError, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - the border of a trial: any error costs only this trial
        _log.debug("the trial %s broke:", reports.trial_id, exc_info=error)
        reports.failed(phase, fault_text(error))


def _leave_open_for(
    error: LeftOpen | SandboxBroken | ModelError, reports: TrialReports
) -> None:
    """Leave the trial open for the error that has kept its solver from working to the end.

    If the error would stop other trials, too, the run pauses.
    """
    match error:
        case LeftOpen():
            reports.left_open(str(error) or "interrupted")
        case Abandoned():  # a model error: the trial was told to stop while it waited for a reply
            reports.left_open("interrupted")
        case SandboxBroken():
            text = f"no script can be run here ({error})"
            reports.left_open(text, pause=Unreachable(text))
        case _:
            reports.left_open(f"the model failed: {error}", pause=error)


def _leave_ungraded(error: LeftOpen | ModelError, reports: TrialReports) -> None:
    """Leave the trial open for the error that has kept the benchmark from grading its answer."""
    # An error with a text is the fault of a model that the grader asks. Without a text, the
    # user or the budget has stopped the trial.
    reason = "interrupted"
    if str(error):
        reason = f"its grader's model gave no reply: {error}"
    pause = None
    if isinstance(error, ModelError) and error.affects_all:
        pause = error
    reports.left_open(reason, pause=pause)
