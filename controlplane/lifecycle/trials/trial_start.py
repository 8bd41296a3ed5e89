"""The start of a trial at its benchmark."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from controlplane.agent.failure_codes import failure_of
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import Benchmark, BenchmarkError, Trial
from controlplane.lifecycle.trials.failed_start import FailedStart, report_failed_start
from controlplane.lifecycle.trials.trial_reports import TrialReports
from controlplane.sandbox.interface import well_formed


@dataclass(frozen=True, slots=True)
class TrialStart:
    """Starts one trial at the benchmark, and reports in the journal if that fails."""

    benchmark: Benchmark
    record: TrialRecord
    """The journal's record of earlier attempts."""
    reports: TrialReports

    def started(self) -> Trial | None:
        """Start the trial; return None if it does not start."""
        began_at = time.monotonic()
        try:
            trial = self._with_second_try(began_at)
        except BenchmarkError as error:
            failed = FailedStart(error.code, error.message, began_at)
            report_failed_start(failed, self.record, self.reports)
            return None
        self.reports.controls.health.note_start()
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
        controls = self.reports.controls
        if controls.stop.is_set():
            return False
        # When the benchmark last started or ended a trial, of whichever task.
        served_others = controls.health.last_progress_at >= began_at
        return served_others and failure_of(error.code).is_outage

    def _start(self) -> Trial:
        trial = self.benchmark.start_trial(self.reports.trial_id)
        if not isinstance(trial, Trial):
            msg = f"start_trial returned {trial!r}, not a Trial"
            raise TypeError(msg)
        return replace(trial, instruction=well_formed(trial.instruction))
