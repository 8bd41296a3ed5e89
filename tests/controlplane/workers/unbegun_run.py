"""A run on a cluster that has not begun, for a test to play, and to look at its events."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from controlplane.journal.run_events import JournalEvent
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_start import begin_run
from tests.controlplane.workers.worker_events import WriteEvent, write_only


@dataclass
class ClusterRun:
    """A run that has not begun."""

    run: Run
    client: Any
    """The `distributed.Client` of the cluster."""
    on_event: Callable[[JournalEvent, WriteEvent], None] = write_only
    """Is called with each event of a worker, and with the function that writes it."""

    def play(self) -> None:
        """Let every worker open the run, and play its trials. Raises `Unreachable` if one cannot."""
        self.run.work.open_workers()
        begin_run(self.run)
        self.run.work.play_trials(self.run.summary.trials, self.run.trial_records)

    def kill_workers(self) -> None:
        """Kill the processes of all workers of the cluster."""
        for process_id in self.client.run(os.getpid).values():
            os.kill(process_id, signal.SIGKILL)
