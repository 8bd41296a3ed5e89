"""Has the workers of a Dask cluster play trials.

Each trial becomes a task of Dask at one worker. If the worker is lost before the trial
began, another worker plays it. A trial that has begun is left open for `resume`: it may
have changed something already.
"""

from __future__ import annotations

import secrets
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from distributed import Client

from controlplane.agent.limits.spending import Spending
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import PlannedTrial
from controlplane.journal.run_events import TrialLeftOpen
from controlplane.lifecycle.trials.trial_reports import Emit
from controlplane.sandbox.interface import bounds
from controlplane.workers.dask_tasks import play_trial
from controlplane.workers.open_runs import Opening, OpenRuns, has_opened
from controlplane.workers.remote_trials import RemoteTrial, RemoteTrials
from controlplane.workers.run_messages import LOST_CONNECTION


@dataclass(frozen=True, slots=True)
class RemotePlaying:
    """Plays trials at the workers of a cluster. Used from several threads."""

    client: Client
    run_key: str
    """The name of the run on the cluster."""
    runs: OpenRuns
    """The workers that have opened the run, so that they can play its trials."""
    trials: RemoteTrials
    """The trials that are being played."""
    emit: Emit
    """Writes an event to the journal."""
    stop: threading.Event
    """Set if the run must stop."""
    spending: Spending
    """What the run has spent, and why it may spend no more."""

    def play(self, planned_trial: PlannedTrial, record: TrialRecord) -> None:
        """Have a worker play a trial, and return when the trial is over or left open.

        `planned_trial` names the trial, and `record` has what the journal has of it, if the run is
        resumed. Raises the error that ends the whole run.
        """
        while True:
            address = self._wait_for_worker()
            if address is None:
                return
            trial = self._play_at(address, planned_trial, record)
            if trial.failure is not None:
                raise trial.failure
            if trial.has_started:
                break
            # The worker was lost before it began the trial, so another worker can play it.
            self.stop.wait(bounds.WORKER_POLL_S)

        if not trial.has_ended:
            reason = "its worker was lost"
            self.emit(TrialLeftOpen(trial_id=planned_trial.trial_id, reason=reason))

    def _wait_for_worker(self) -> str | None:
        """Return the address of the worker with the fewest trials; None if the run must stop."""
        addresses = self.runs.addresses()
        while not addresses and not self.stop.wait(bounds.WORKER_POLL_S):
            addresses = self.runs.addresses()
        if self.stop.is_set() or self.spending.end.reason:
            return None
        return self.trials.least_busy(addresses)

    def _play_at(
        self, address: str, planned_trial: PlannedTrial, record: TrialRecord
    ) -> RemoteTrial:
        """Have one worker play a trial until the trial ends, the worker is lost, or the run stops."""
        trial = RemoteTrial(address)
        task_key = f"{self.run_key}-{planned_trial.trial_id}-{secrets.token_hex(4)}"
        self.trials.add(task_key, trial)
        with suppress(*LOST_CONNECTION):
            # Call `play_trial` in the worker's process. Dask replaces an argument that is a
            # future by its result: `opening` becomes the run that the worker has opened.
            opening = self.runs.opening_at(address)
            future = self.client.submit(
                play_trial,
                opening,
                planned_trial,
                record,
                task_key,
                key=task_key,  # The name that Dask gives to the task.
                workers=[address],
                pure=False,  # Equal arguments do not mean an equal result.
                retries=0,  # Dask must not repeat a trial, which may make changes.
            )
            _wait_for_end(trial, future, opening, self.stop)
            future.cancel()
        self.trials.remove(task_key)
        return trial


def _wait_for_end(
    trial: RemoteTrial, future: Any, opening: Opening, stop: threading.Event
) -> None:
    """Wait for the `future` of a trial's task, until it ends or its worker has left.

    If the run stops, only wait for a trial that has begun. If the trial failed by an
    error that ends the whole run, the task returns this error, and it is kept
    in `trial.failure`.
    """
    while not trial.failure and has_opened(opening):
        try:
            trial.failure = future.result(bounds.WORKER_POLL_S)
        except TimeoutError:
            # The task is still running, or still waits in the worker's queue.
            if stop.is_set() and not trial.has_started:
                return
        else:
            return
