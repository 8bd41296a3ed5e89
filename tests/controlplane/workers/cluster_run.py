"""A run whose trials play on a small Dask cluster, and a look at each event that its workers send.

    with cluster_run(journal) as run:
        run.on_event = print_and_write   # print_and_write(event, write)
        run.play()

A worker sends an event, such as "I am about to call write", and waits until the run has written it
to the journal. Here a test may act before or after that: `write(event)` writes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controlplane.journal.journal_writer import JournalWriter
from controlplane.lifecycle.resources.opening_resources import open_resources
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_plan import RunPlan
from controlplane.lifecycle.trials.trial_workers import Workers
from tests.controlplane.workers.effects_run import EFFECTS_RUN
from tests.controlplane.workers.unbegun_run import ClusterRun
from tests.controlplane.workers.worker_events import WriteEvent


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
