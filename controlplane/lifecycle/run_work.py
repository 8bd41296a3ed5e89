"""Plays the trials of a run on its workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import PlannedTrial
from controlplane.journal.totals.run_trials import RunTrials
from controlplane.journal.totals.trial_summary import FAILED, TrialSummary
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.trials.opening_workers import OpenWorkers
from controlplane.lifecycle.trials.playing import play_all
from controlplane.lifecycle.trials.stuck_trials import StuckTrials
from controlplane.lifecycle.trials.trial_reports import Emit
from controlplane.lifecycle.trials.trial_workers import Workers


@dataclass(slots=True)
class RunWork:
    """The work of a run: its workers (threads, or processes of a cluster) play its trials.

    The workers are open only while `play_trials` runs, or from an earlier call of `open_workers`.
    """

    resources: RunResources
    emit: Emit
    """Takes the events of the trials."""
    controls: RunControls
    """The signals between the run and its trials, such as to stop."""
    stuck_trials: StuckTrials
    """Tells which trials have been silent for too long, and gives them up."""
    workers_opener: OpenWorkers
    _workers: Workers | None = None

    def open_workers(self) -> Workers:
        """Open the workers, unless they are open. Raises `ControlPlaneError` if there are none."""
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

    def play_trials(
        self, trials: RunTrials, records: Mapping[str, TrialRecord]
    ) -> None:
        """Play every unfinished trial, then try once more those that could not start.

        `records` holds what earlier attempts did, by trial id. Raises `ControlPlaneError`
        if the whole run cannot continue.
        """
        workers = self.open_workers()
        try:
            # 1. All unfinished trials. In a resumed run, some may have failed to start before.
            unfinished = [trial for trial in trials.values() if not trial.is_over]
            self._expect_failures(self._trials_to_start_again(trials))
            self._play(workers, unfinished, records)

            # 2. Those that failed to start, once more
            failed = self._trials_to_start_again(trials)
            self._expect_failures(failed)
            self._play(workers, failed, records)
        finally:
            self.close_workers()

    def _trials_to_start_again(self, trials: RunTrials) -> list[TrialSummary]:
        """Return the trials that failed to start. A second try may succeed.

        Trials that were given up are left out, since they would get stuck again.
        """
        failed = [trial for trial in trials.values() if trial.state == FAILED]
        return [trial for trial in failed if not self.stuck_trials.has(trial.trial_id)]

    def _expect_failures(self, failed_before: Sequence[TrialSummary]) -> None:
        """Let these trials fail to start again without consequences.

        Several failures in a row usually count as an outage of the benchmark, which pauses the
        run. These are known to fail.
        """
        failed_ids = frozenset(trial.trial_id for trial in failed_before)
        self.controls.health.known_failed = failed_ids

    def _play(
        self,
        workers: Workers,
        trials: Sequence[TrialSummary],
        records: Mapping[str, TrialRecord],
    ) -> None:
        """Play trials concurrently. Raises the first error that ends the whole run."""
        play_all(
            workers,
            [_stub_of(trial) for trial in trials],
            controls=self.controls,
            records=records,
            give_up_if_stuck=self.stuck_trials.give_up_if_stuck,
        )


def _stub_of(trial: TrialSummary) -> PlannedTrial:
    """Return the trial as the benchmark allotted it."""
    return PlannedTrial(trial.trial_id, trial.task_id, trial.number, trial.repeat)
