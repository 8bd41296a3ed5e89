"""A run whose trials play on a small Dask cluster, and a look at each event that its workers send.

    with cluster_run(journal) as run:
        run.on_event = print_and_write   # print_and_write(event, write)
        run.play()

A worker sends an event, such as "I am about to call write", and waits until the run has written it to
the journal. Here a test may act before or after that: `write(event)` writes it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controlplane.agent.events import AnswerSent, CallEvent
from controlplane.configuration.run_settings import RunSettings
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent
from controlplane.lifecycle.resources.opening_resources import open_resources
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_plan import RunPlan
from controlplane.lifecycle.run_start import begin_run
from controlplane.lifecycle.trials.trial_workers import Workers
from tests.support.command import ROOT

EFFECTS_RUN = RunSettings(
    benchmark="bitgn:tally",
    model=f"scripted:{ROOT / 'tests/support/effect_counter.toml'}",
    rule_sets="none",
    gates="none",
    poll_time=5,
)
"""A run of the benchmark that `effect_counter.py` serves."""

WriteEvent = Callable[[JournalEvent], None]


def write_only(event: JournalEvent, write: WriteEvent) -> None:
    """Write an event, as a run does without a test."""
    write(event)


def announced_change(event: JournalEvent) -> str:
    """Return what a worker is about to do by an event: "write" or "answer"; empty for other events."""
    if isinstance(event, AnswerSent):
        return "answer"
    if isinstance(event, CallEvent) and event.is_announcement:
        return event.operation
    return ""


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


@contextmanager
def cluster_run(
    journal: Path, *, concurrency: int = 4, worker_processes: int = 0
) -> Iterator[ClusterRun]:
    """Start a cluster and make a run on it; close both at the end of the block.

    The cluster has so many processes as workers, or else one worker with threads of this process.
    """
    from distributed import Client, LocalCluster

    from controlplane.workers.dask_workers import DaskWorkers

    def workers_of_cluster(
        resources: RunResources, write: WriteEvent, controls: RunControls
    ) -> Workers:
        return DaskWorkers(
            client, resources, lambda event: cluster.on_event(event, write), controls
        )

    settings = EFFECTS_RUN.model_copy(update={"concurrency": concurrency})
    with (
        LocalCluster(
            n_workers=worker_processes or 1,
            threads_per_worker=4,
            processes=worker_processes > 0,
            dashboard_address="127.0.0.1:0",
            silence_logs=False,
        ) as local_cluster,
        Client(local_cluster, set_as_default=False) as client,
        open_resources(RunSpec(settings)) as resources,
        JournalWriter(journal, create=True) as writer,
    ):
        plan = RunPlan(resources.spec)
        run = Run(resources, writer, workers_opener=workers_of_cluster, plan=plan)
        cluster = ClusterRun(run, client)
        try:
            yield cluster
        finally:
            run.work.close_workers()
