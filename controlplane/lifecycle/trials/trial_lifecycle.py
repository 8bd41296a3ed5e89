"""One trial from its start to its end.

A trial ends, or it is left open so that a resumed run can continue it. Its phases:

1. The benchmark starts the trial.
2. The solver works on it, and continues what an earlier attempt recorded.
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
from dataclasses import dataclass
from typing import TypeVar

from controlplane.agent.events import AnswerSent, now_ms
from controlplane.agent.evidence.tape.attempt import (
    Attempt,
    next_attempt,
    repeat_changes,
    task_fault,
)
from controlplane.agent.failure_codes import may_yet_succeed
from controlplane.agent.loop import LeftOpen, TrialClock, TrialSession
from controlplane.agent.model import ASK_ASIDE, Abandoned, ModelError, OutOfBudget
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import Trial, TrialScore, TrialStub
from controlplane.errors import (
    ControlPlaneError,
    ServerFailed,
    Unreachable,
    UsageError,
    fault_text,
)
from controlplane.journal.totals.trial_summary import TRIAL_BROKE
from controlplane.lifecycle.benchmark_health import RunControls, call_or_failure
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.resources.run_solver import SolverSetup
from controlplane.lifecycle.trials.trial_environment import open_environment
from controlplane.lifecycle.trials.trial_opening import TrialOpening
from controlplane.lifecycle.trials.trial_reports import (
    Emit,
    HowEnded,
    Phase,
    TrialReports,
)
from controlplane.lifecycle.trials.trial_start import TrialStart
from controlplane.sandbox import SandboxBroken
from controlplane.sandbox.interface import CallError, bounds

Result = TypeVar("Result")

_log = logging.getLogger(__name__)


def portable_error(error: BaseException) -> Exception:
    """Return `error` in a form that every process can unpickle."""
    if isinstance(error, ModelError | UsageError):
        return error
    return Unreachable(str(error))


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
    if controls.stop.is_set() or resources.budget.spending.stop_reason:
        return
    assert resources.setup is not None  # This process plays trials.
    reports = TrialReports(stub.trial_id, emit, controls)
    _TrialRun(resources, resources.setup, stub, controls, record, reports).run()


@dataclass(frozen=True, slots=True)
class _WorkEnd:
    """The outcome of the solver's work on a trial."""

    no_answer_reason: str = ""
    """The reason for a missing answer; empty if there is an answer."""
    is_out_of_budget: bool = False
    """True if a limit of the trial has ended the work."""


@dataclass(frozen=True, slots=True)
class _TrialRun:
    """One attempt at a trial.

    A trial that was interrupted has several. A later attempt continues the recorded steps
    of those before.
    """

    resources: RunResources
    setup: SolverSetup
    stub: TrialStub
    """The trial as the benchmark allotted it: its id, and its task if that is known."""
    controls: RunControls
    """Signals that all trials of the run share: the request to stop, and the benchmark's health."""
    record: TrialRecord
    """The journal's record of earlier attempts."""
    reports: TrialReports

    def run(self) -> None:
        """Start the trial, and work on it until it ends or is left open."""
        trial = None
        with self._errors_contained("start"), _own_side_requests():
            benchmark = self.resources.benchmark
            start = TrialStart(benchmark, self.record, self.controls, self.reports)
            trial = start.started()
        if trial is None:
            return
        with self._errors_contained("end"), _own_side_requests():
            attempt = self._begin_attempt(trial)
            fault = task_fault(attempt.record, trial.task_id, trial.instruction)
            if fault:
                self.reports.left_open(fault)
            else:
                self._play(trial, attempt)

    @contextmanager
    def _errors_contained(self, phase: Phase) -> Iterator[None]:
        """Turn an exception into the failure of this trial, unless it ends the whole run.

        `phase` is `start`, or `end` for everything after the start.
        """
        try:
            yield
        except ServerFailed as error:
            self.reports.left_open(str(error), pause=Unreachable(str(error)))
        except (ControlPlaneError, KeyboardInterrupt):
            raise  # These end the whole run.
        except BaseException as error:  # noqa: BLE001 - the border of a trial: any error costs only this trial
            _log.debug("the trial %s broke:", self.stub.trial_id, exc_info=error)
            self.reports.failed(phase, fault_text(error))

    def _begin_attempt(self, trial: Trial) -> Attempt:
        """Return this attempt, with the recorded steps that it continues.

        If the trial has to begin from scratch, tell the user.
        """
        # The environment is new, and recorded calls are not repeated in it.
        is_environment_lost = trial.is_fresh and trial.begins_anew
        attempt = next_attempt(self.record, is_environment_lost=is_environment_lost)
        if attempt.begins_anew:
            self.reports.notice(
                f"the environment of {trial.trial_id} was lost: the trial begins anew"
            )
        return attempt

    # The work

    def _play(self, trial: Trial, attempt: Attempt) -> None:
        """Work on a started trial, and end it or leave it open."""
        started_at = time.monotonic()
        resources = self.resources
        clock = TrialClock(trial.time_limit_s or resources.spec.settings.trial_time)
        opening = TrialOpening(resources, self.stub, trial, attempt, self.reports)
        with (
            resources.sandbox.worker_of(trial) as worker,
            open_environment(trial, clock, resources, self.reports) as environment,
        ):
            try:
                session = opening.open_session(
                    environment, worker, clock, self.setup.side_models
                )
                work_end = self._work(trial, attempt.record, session)
            except (LeftOpen, SandboxBroken, ModelError) as error:
                self._leave_open_for(error)
            else:
                self._finish(session, work_end, started_at)

    def _leave_open_for(self, error: LeftOpen | SandboxBroken | ModelError) -> None:
        """Leave the trial open. If the error would stop other trials, too, pause the run."""
        match error:
            case LeftOpen():
                self.reports.left_open(str(error) or "interrupted")
            case Abandoned():  # The trial was told to stop while it waited for a reply.
                self.reports.left_open("interrupted")
            case SandboxBroken():
                text = f"no script can be run here ({error})"
                self.reports.left_open(text, pause=Unreachable(text))
            case _:
                self.reports.left_open(f"the model failed: {error}", pause=error)

    def _work(
        self, trial: Trial, record: TrialRecord, session: TrialSession
    ) -> _WorkEnd:
        """Let the solver work on the trial, unless an earlier attempt has finished the work.

        Raises `LeftOpen` if the trial is left open, and `ModelError` if the model fails
        in a way that affects all trials.
        """
        try:
            with self.resources.sandbox.functions_of(session):
                reason = self._solve_from_record(trial, record, session)
            # If the trial's cost limit has ended the solver, it returns the limit's own words.
            is_out_of_budget = (
                reason != "" and reason == session.budget.cost_limit.reason
            )
            work_end = _WorkEnd(reason, is_out_of_budget=is_out_of_budget)
        except OutOfBudget as error:
            work_end = _WorkEnd(str(error), is_out_of_budget=True)
        except Abandoned:  # A `ModelError` of a trial that was told to stop.
            raise
        except ModelError as error:
            if error.affects_all:
                raise
            work_end = _WorkEnd(f"the model failed: {error}")
        if session.budget.cut_off and not session.exit.outlet.is_answered:
            # The run has used up its budget. The solver may have caught that error and returned.
            raise LeftOpen(session.budget.cut_off)
        return work_end

    def _solve_from_record(
        self, trial: Trial, record: TrialRecord, session: TrialSession
    ) -> str:
        """Run the solver. In a new environment, first make the recorded changes again.

        Returns the reason for a missing answer, or "" if the solver has answered.
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
        """Run the solver. Return the reason for a missing answer, or "" if it has answered.

        An error of the solver's own code becomes such a reason. Other errors are raised.
        """
        try:
            return _checked_reason(self.setup.solver.solve(session))
        except (
            ControlPlaneError,
            LeftOpen,
            ModelError,
            SandboxBroken,
            KeyboardInterrupt,
        ):
            raise
        except BaseException as error:  # noqa: BLE001 - the border of a trial: the fallback answers
            _log.debug("the trial %s broke:", session.trial.trial_id, exc_info=error)
            reason = f"{TRIAL_BROKE}{fault_text(error)}"
            session.notice(reason)
            return reason

    # The answer and the end

    def _finish(
        self, session: TrialSession, work_end: _WorkEnd, started_at: float
    ) -> None:
        """Send a last answer if the solver has sent none, and end the trial."""
        session.steps.end()
        reason = work_end.no_answer_reason
        if not session.exit.outlet.is_answered:
            failure = self._send_last_answer(session, reason)
            if failure is not None and may_yet_succeed(failure.code):
                # A resumed run sends the answer again.
                self.reports.left_open(f"its answer could not be sent ({failure})")
                return
            if failure is not None and not reason:
                reason = f"its answer was refused ({failure})"

        # `_end_at_benchmark` records the score before `ended` records the trial's end.
        # If the process is killed in between, a resumed run ends the trial again.
        has_ended = self._end_at_benchmark()
        if has_ended:
            self.reports.ended(
                _how_ended(session),
                reason=reason,
                out_of_budget=work_end.is_out_of_budget,
                elapsed_ms=round((time.monotonic() - started_at) * 1000, 1),
            )

    def _send_last_answer(self, session: TrialSession, reason: str) -> CallError | None:
        """Send the answer that the gates accepted earlier or, without one, the fallback.

        Returns the error if the environment refuses the answer.
        """
        answer = session.exit.outlet.accepted
        if answer is None:
            repeats_last = self.resources.spec.settings.fallback == "last"
            answer = session.exit.fallback(reason, repeats_last=repeats_last)
        # "Late" means after the solver's work: the answer does not belong to one of its steps.
        late_answer = answer.model_copy(update={"late": True, "at_ms": now_ms()})
        return self._retried(lambda: session.exit.outlet.send(late_answer))

    def _end_at_benchmark(self) -> bool:
        """End the trial at the benchmark, and record its score if there is one by now.

        Returns False if that fails. Then the trial
        has been recorded as failed or left open.
        """
        benchmark = self.resources.benchmark
        try:
            score = self._retried(lambda: benchmark.end_trial(self.stub.trial_id))
        except (LeftOpen, ModelError) as error:
            self._leave_ungraded(error)
            return False
        if isinstance(score, CallError):
            self.reports.failed("end", str(score))
            return False
        if not isinstance(score, TrialScore | None):
            msg = f"end_trial returned {score!r}, not a TrialScore"
            raise TypeError(msg)

        self.controls.health.note_progress()
        if score is not None:
            self.reports.score(score)
        return True

    def _leave_ungraded(self, error: LeftOpen | ModelError) -> None:
        """Leave the trial open, because the error has kept the benchmark from grading it."""
        reason = "interrupted"
        if str(error):
            reason = f"its grader's model gave no reply: {error}"
        pause = None
        if isinstance(error, ModelError) and error.affects_all:
            pause = error
        self.reports.left_open(reason, pause=pause)

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


@contextmanager
def _own_side_requests() -> Iterator[None]:
    """Let the benchmark ask its models only as the trial in the block says.

    The trial sets `ASK_ASIDE`, the function that answers such requests, for its thread. It
    is reset at the end, so that the next trial of the thread does not find it.
    """
    token = ASK_ASIDE.set(None)
    try:
        yield
    finally:
        ASK_ASIDE.reset(token)


def _checked_reason(reason: object) -> str:
    """Return the result of `solve` as a text: the reason for a missing answer, or "".

    A user may have written the solver, so the result may have any type.
    """
    if reason is None:
        return ""
    if isinstance(reason, str):
        return reason[: bounds.MOST_FAULT_CHARS]
    msg = f"solve returned {reason!r}, not a text that says why there is no answer"
    raise TypeError(msg)


def _how_ended(session: TrialSession) -> HowEnded:
    """Return how a trial ended: with the solver's answer, with the fallback, or with neither."""
    if not session.exit.outlet.is_answered:
        return "unanswered"
    answer: AnswerSent | None = session.exit.outlet.accepted
    if answer is None or answer.fallback:
        return "fallback"
    return "answered"
