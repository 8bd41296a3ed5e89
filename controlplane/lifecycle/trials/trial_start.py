"""The start of a trial at its benchmark."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from controlplane.agent.evidence.tape.attempt import StartFailure, start_failure_of
from controlplane.agent.failure_codes import failure_of
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import Benchmark, BenchmarkError, Trial
from controlplane.errors import Unreachable
from controlplane.lifecycle.benchmark_health import RunControls
from controlplane.lifecycle.trials.trial_reports import TrialReports
from controlplane.sandbox.interface import well_formed


@dataclass(frozen=True, slots=True)
class TrialStart:
    """Starts one trial at the benchmark, and reports in the journal if that fails."""

    benchmark: Benchmark
    record: TrialRecord
    """The journal's record of earlier attempts."""
    controls: RunControls
    reports: TrialReports

    def started(self) -> Trial | None:
        """Start the trial; return None if it does not start."""
        began_at = time.monotonic()
        try:
            trial = self._with_second_try(began_at)
        except BenchmarkError as error:
            self._report(error, began_at)
            return None
        self.controls.health.note_start()
        return trial

    def _with_second_try(self, began_at: float) -> Trial:
        """Start the trial, with a second try if that may help. Raises `BenchmarkError`."""
        try:
            return self._start()
        except BenchmarkError as error:
            if not self._may_try_again(error, began_at):
                raise
        return self._start()

    def _may_try_again(self, error: BenchmarkError, began_at: float) -> bool:
        """Return True if the benchmark was probably down only for a moment.

        That is so if it has served other trials meanwhile.
        """
        # When the benchmark last started or ended a trial, of whichever task.
        served_others = self.controls.health.last_progress_at >= began_at
        is_unreachable = failure_of(error.code).is_unreachable
        return is_unreachable and served_others and not self.controls.stop.is_set()

    def _start(self) -> Trial:
        trial = self.benchmark.start_trial(self.reports.trial_id)
        if not isinstance(trial, Trial):
            msg = f"start_trial returned {trial!r}, not a Trial"
            raise TypeError(msg)
        return replace(trial, instruction=well_formed(trial.instruction))

    def _report(self, error: BenchmarkError, began_at: float) -> None:
        """Report a trial that did not start as ended, failed or left open.

        The benchmark also refuses to start a trial that has ended at an earlier attempt.
        """
        failure = start_failure_of(self.record, error.code)
        match failure:
            case StartFailure.IS_ANSWERED:
                self.reports.ended("answered")
            case StartFailure.ENDED_BY_FALLBACK:
                self.reports.ended("fallback")
            case _ if self.controls.stop.is_set() and failure_of(error.code).is_tooling:
                self.reports.left_open(f"interrupted while it started: {error.message}")
            case _:
                self._report_own_failure(failure, error, began_at)

    def _report_own_failure(
        self, failure: StartFailure, error: BenchmarkError, began_at: float
    ) -> None:
        """Report a failure that has not come from a stop of the run.

        The run pauses if every other trial is expected to fail, too.
        """
        text = f"{error.code}: {error.message}"
        run_must_pause = self.controls.health.note_failed_start(
            self.reports.trial_id, error.code, began_at
        )
        if run_must_pause:
            pause = Unreachable(f"no trial can be started ({text})")
            self.reports.left_open(f"could not start: {text}", pause=pause)
        elif failure is StartFailure.MAY_BE_RESUMED:
            self.reports.left_open(f"could not start: {text}")
        else:
            self.reports.failed("start", text)
