"""A run of two trials on a small Dask cluster, whose events a test may look at.

    def print_and_write(event, write):
        print(event)
        write(event)

    with cluster_run(journal) as cluster:
        cluster.on_event = print_and_write
        cluster.play()

Before a worker changes something, it sends the run an event, such as "I am about to call write",
and waits until the event is in the journal.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controlplane.journal.journal_writer import JournalWriter
from controlplane.lifecycle.resources.opening_resources import open_resources
from controlplane.lifecycle.resources.run_solver import RunSpec
from tests.controlplane.workers.effects_run import EFFECTS_RUN
from tests.controlplane.workers.local_clusters import THREADS, local_cluster
from tests.controlplane.workers.run_on_cluster import ClusterRun


@contextmanager
def cluster_run(
    journal: Path, *, concurrency: int = 4, workers: dict[str, int] = THREADS
) -> Iterator[ClusterRun]:
    """Start a cluster and open a run on it; close both at the end of the block.

    `cluster.play()` plays the run. `concurrency` is the number of trials that play at once.
    """
    settings = EFFECTS_RUN.model_copy(update={"concurrency": concurrency})
    with (
        local_cluster(workers) as client,
        open_resources(RunSpec(settings)) as resources,
        JournalWriter(journal, create=True) as writer,
    ):
        cluster = ClusterRun(client, resources, writer)
        try:
            yield cluster
        finally:
            cluster.run.work.close_workers()
