"""Reports a trial that the benchmark did not start."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.tape.resuming.start_failure import (
    StartFailure,
    start_failure_of,
)
from controlplane.agent.failure_codes import failure_of
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.errors import Unreachable
from controlplane.lifecycle.trials.trial_reports import TrialReports


@dataclass(frozen=True, slots=True)
class FailedStart:
    """The failure of a trial's start."""

    code: str
    """The error code, such as `unavailable`."""
    message: str
    began_at: float
    """When the start began, by `time.monotonic`."""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def report_failed_start(
    failed: FailedStart, record: TrialRecord, reports: TrialReports
) -> None:
    """Report a trial that did not start as ended, failed or left open."""
    # A benchmark refuses to start a trial that has ended. So if `record` has an answer, this
    # trial ended at an earlier attempt, which was killed before it could record that.
    kind = start_failure_of(record, failed.code)
    if kind is StartFailure.IS_ANSWERED:
        reports.ended("answered")
        return
    if kind is StartFailure.ENDED_BY_FALLBACK:
        reports.ended("fallback")
        return

    # A stop of the run cuts off the start of a trial. That is no fault of the trial.
    run_stops = reports.controls.stop.is_set()
    if run_stops and failure_of(failed.code).is_environment_fault:
        reports.left_open(f"interrupted while it started: {failed.message}")
        return
    _report_own_failure(failed, kind, reports)


def _report_own_failure(
    failed: FailedStart, kind: StartFailure, reports: TrialReports
) -> None:
    """Report a failure that has not come from a stop of the run.

    The run pauses if every other trial is expected to fail, too.
    """
    run_must_pause = reports.controls.health.note_failed_start(
        reports.trial_id, failed.code, failed.began_at
    )
    if run_must_pause:
        pause = Unreachable(f"no trial can be started ({failed})")
        reports.left_open(f"could not start: {failed}", pause=pause)
    elif kind is StartFailure.MAY_BE_RESUMED:
        reports.left_open(f"could not start: {failed}")
    else:
        reports.failed("start", str(failed))
