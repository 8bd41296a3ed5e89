"""Gives up the trials of a run that are stuck."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.benchmark import PlannedTrial
from controlplane.journal.run_events import TrialFailed, TrialLeftOpen
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.trials.trial_reports import Emit
from controlplane.lifecycle.trials.trial_watch import TrialWatch


@dataclass(frozen=True, slots=True)
class StuckTrials:
    """The trials that were given up because they were stuck."""

    watch: TrialWatch
    """Tells for how long each trial has been silent."""
    controls: RunControls
    emit: Emit

    def has(self, trial_id: str) -> bool:
        """Return True if a trial was given up."""
        return self.watch.has_given_up(trial_id)

    def give_up_if_stuck(self, planned_trial: PlannedTrial, began_at: float) -> bool:
        """Give up a trial that is stuck, and record that. Return True if it was given up.

        `began_at` is the time of its start, by `time.monotonic`.
        """
        trial_id = planned_trial.trial_id
        run_stops = self.controls.stop.is_set()
        silence_s = self.watch.stuck_for_s(trial_id, began_at, run_stops=run_stops)
        if silence_s is None:  # The trial is not stuck.
            return False
        reason = f"it did not come back: nothing was heard of it for {silence_s:.0f} s"
        # A run that stops can be resumed, and then plays the trial again. One that goes on must come
        # to an end, so the trial has failed.
        if run_stops:
            self.emit(TrialLeftOpen(trial_id=trial_id, reason=reason))
        else:
            self.emit(TrialFailed(trial_id=trial_id, phase="end", error=reason))
        self.watch.give_up(trial_id)
        return True
