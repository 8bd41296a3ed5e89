"""A run whose trials play on the workers of a cluster, for a test to play and to disturb.

    cluster = ClusterRun(client, resources, writer)
    cluster.on_event = print_and_write      # print_and_write(event, write)
    cluster.play()

The workers send their events to the run, which hands each to `on_event` with the function that
writes the event to the journal.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent
from controlplane.lifecycle.playing_again import RunPlan
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_start import begin_run
from controlplane.lifecycle.trials.trial_workers import Workers
from tests.controlplane.workers.worker_events import WriteEvent, write_only


class ClusterRun:
    """A run, and the client of the cluster that plays its trials."""

    def __init__(
        self, client: Any, resources: RunResources, writer: JournalWriter
    ) -> None:
        self.client = client
        # `write_only` writes each event and does nothing else.
        self.on_event: Callable[[JournalEvent, WriteEvent], None] = write_only
        plan = RunPlan(resources.spec)
        self.run = Run(resources, writer, workers_opener=self._workers, plan=plan)

    def _workers(
        self, resources: RunResources, write: WriteEvent, controls: RunControls
    ) -> Workers:
        """Return the workers of the cluster. The run calls this function when it begins."""
        from controlplane.workers.dask_workers import DaskWorkers

        def hand_to_test(event: JournalEvent) -> None:
            self.on_event(event, write)

        return DaskWorkers(self.client, resources, hand_to_test, controls)

    def play(self) -> None:
        """Play the trials on the cluster. Raises `Unreachable` if a worker cannot play them."""
        self.run.work.open_workers()
        begin_run(self.run)  # Writes the first events of the journal.
        self.run.work.play_trials(self.run.summary.trials, self.run.trial_records)

    def kill_workers(self) -> None:
        """Kill the processes of all workers of the cluster."""
        for process_id in self.client.run(os.getpid).values():
            os.kill(process_id, signal.SIGKILL)
