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

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from controlplane.agent.evidence.tape.resuming.attempt import (
    Attempt,
    next_attempt,
    task_fault,
)
from controlplane.agent.loop import LeftOpen, TrialClock
from controlplane.agent.model import ASK_SIDE_MODEL, ModelError
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import PlannedTrial, Trial
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.trials.solver_work import SolverWork
from controlplane.lifecycle.trials.trial_end import TrialEnd
from controlplane.lifecycle.trials.trial_environment import open_environment
from controlplane.lifecycle.trials.trial_errors import errors_contained, leave_open_for
from controlplane.lifecycle.trials.trial_opening import TrialOpening
from controlplane.lifecycle.trials.trial_reports import Emit, TrialReports
from controlplane.lifecycle.trials.trial_start import TrialStart
from controlplane.sandbox import SandboxBroken


def run_trial(
    resources: RunResources,
    planned_trial: PlannedTrial,
    emit: Emit,
    controls: RunControls,
    record: TrialRecord,
) -> None:
    """Run one trial and emit its events.

    `record` holds the earlier attempts. Does nothing if the run is stopping or has used
    up its budget. Raises only errors that end the whole run (`ControlPlaneError`).
    """
    if controls.stop.is_set() or resources.budget.spending.end.reason:
        return
    reports = TrialReports(planned_trial.trial_id, emit, controls)
    _TrialRun(resources, planned_trial, record, reports).run()


@dataclass(frozen=True, slots=True)
class _TrialRun:
    """One attempt at a trial, from its start at the benchmark to its score.

    A trial that was interrupted has several attempts; a later one continues the recorded steps
    of those before. Each phase is a class of its own: `TrialStart` asks the benchmark for the
    trial, `TrialOpening` makes the session in which the solver works (clock, recorder, tools),
    `SolverWork` lets the solver work, and `TrialEnd` sends the last answer and fetches the score.
    """

    resources: RunResources
    planned_trial: PlannedTrial
    """The trial as the benchmark allotted it: its id, and its task if that is known."""
    record: TrialRecord
    """The journal's record of earlier attempts."""
    reports: TrialReports

    def run(self) -> None:
        """Start the trial, and work on it until it ends or is left open."""
        trial = None
        with errors_contained("start", self.reports), _own_side_requests():
            benchmark = self.resources.benchmark
            trial = TrialStart(benchmark, self.record, self.reports).started()
        if trial is None:
            return
        with errors_contained("end", self.reports), _own_side_requests():
            attempt = _begin_attempt(trial, self.record, self.reports)
            fault = task_fault(attempt.record, trial.task_id, trial.instruction)
            if fault:
                self.reports.left_open(fault)
            else:
                self._play(trial, attempt)

    def _play(self, trial: Trial, attempt: Attempt) -> None:
        """Work on a started trial, and end it or leave it open."""
        started_at = time.monotonic()
        resources = self.resources
        # It has the solver, since this process plays trials.
        assert resources.setup is not None
        settings = resources.spec.settings
        clock = TrialClock(trial.time_limit_s or settings.trial_time)
        opening = TrialOpening(
            resources, self.planned_trial, trial, attempt, self.reports
        )
        work = SolverWork(resources.setup.solver, resources.sandbox)
        with (
            resources.sandbox.worker_of(trial) as worker,
            open_environment(trial, clock, resources, self.reports) as environment,
        ):
            try:
                session = opening.open_session(
                    environment, worker, clock, resources.setup.side_models
                )
                work_end = work.do(trial, attempt.record, session)
            except (LeftOpen, SandboxBroken, ModelError) as error:
                leave_open_for(error, self.reports)
                return
            trial_end = TrialEnd(
                session,
                resources.benchmark,
                resources.opened.scale,
                self.reports,
                repeats_last=settings.fallback == "last",
            )
            trial_end.end(work_end, started_at)


def _begin_attempt(trial: Trial, record: TrialRecord, reports: TrialReports) -> Attempt:
    """Return this attempt, with the recorded steps that it continues.

    If the environment was lost, the benchmark decides what happens: the recorded changes are
    made again in the new environment, or the trial starts over without its record. In the
    second case, tell the user.
    """
    environment_is_new = trial.is_fresh
    replays_changes = not trial.begins_anew
    starts_over = environment_is_new and not replays_changes
    attempt = next_attempt(record, starts_over=starts_over)

    # A trial without earlier steps, or with an answer that was sent, has no need to start over.
    record_was_dropped = attempt.drops_record
    if record_was_dropped:
        reports.notice(
            f"the environment of {trial.trial_id} was lost: the trial begins anew"
        )
    return attempt


@contextmanager
def _own_side_requests() -> Iterator[None]:
    """Keep the benchmark's requests to models apart from those of other trials.

    A benchmark may ask models itself, to grade an answer or to play a user. The function
    that sends these requests and records them in the trial's journal is in the variable
    `ASK_SIDE_MODEL`. `TrialOpening` sets it for its trial, within this block. The variable is empty at
    the beginning of the block and is reset at its end, so that no trial uses that of another one.
    """
    earlier_value = ASK_SIDE_MODEL.set(None)
    try:
        yield
    finally:
        ASK_SIDE_MODEL.reset(earlier_value)
