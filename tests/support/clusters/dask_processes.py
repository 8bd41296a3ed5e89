"""A Dask cluster on this machine: a scheduler and workers, as processes of their own.

Dask spreads work over machines. `controlplane run --workers dask:ADDRESS` runs trials on such a
cluster.

    with dask_processes(tmp_path, workers=2) as cluster:
        ...  # runs at cluster.address; kill one of cluster.workers, and see what happens
"""

import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.clusters.logged_processes import LoggedProcesses

SCHEDULER_ADDRESS = re.compile(r"Scheduler at:\s+(\S+)")
"""Finds the address in the log of a scheduler: `Scheduler at: tcp://127.0.0.1:8786`."""

WORKER_IS_CONNECTED = re.compile(r"Starting established connection to (\S+)")
"""Finds the line in the log of a worker that says it has found its scheduler."""


class DaskProcesses:
    """A cluster: a scheduler, to which workers are added."""

    def __init__(self, folder: Path, *, tls: Sequence[str] = ()) -> None:
        """Start the scheduler. `tls` has the flags of all processes for encrypted connections."""
        self.tls = tls
        self.workers: list[subprocess.Popen[bytes]] = []
        self._processes = LoggedProcesses(folder)
        host = "tls://127.0.0.1" if tls else "tcp://127.0.0.1"
        self.scheduler = self._processes.start(
            "dask_scheduler", "--host", host, "--port", "0", "--no-dashboard", *tls
        )
        self.address = self._processes.wait_for_log(self.scheduler, SCHEDULER_ADDRESS)

    def add_worker(
        self, *flags: str, threads: int = 2, **variables: str
    ) -> subprocess.Popen[bytes]:
        """Start a worker: `add_worker("--name", "w1", threads=1, HOME="/x")`.

        It may not be connected yet, see `wait_for_workers`.
        """
        all_flags = ("--nthreads", str(threads), "--no-nanny", "--no-dashboard", *flags)
        worker = self._processes.start(
            "dask_worker", self.address, *all_flags, *self.tls, **variables
        )
        self.workers.append(worker)
        return worker

    def wait_for_workers(self) -> None:
        """Wait until every worker that runs is connected to the scheduler."""
        for worker in self.workers:
            if worker.poll() is None:
                self._processes.wait_for_log(worker, WORKER_IS_CONNECTED)

    def close(self) -> None:
        """Kill all processes that still run."""
        self._processes.close()


@contextmanager
def dask_processes(
    folder: Path, workers: int, *, threads: int = 2, tls: Sequence[str] = ()
) -> Iterator[DaskProcesses]:
    """Start a cluster of `workers` connected workers; kill its processes at the block's end."""
    cluster = DaskProcesses(folder, tls=tls)
    try:
        for _ in range(workers):
            cluster.add_worker(threads=threads)
        cluster.wait_for_workers()
        yield cluster
    finally:
        cluster.close()
