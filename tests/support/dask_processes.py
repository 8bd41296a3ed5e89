"""A Dask cluster on this machine: a scheduler and workers, as processes of their own.

Dask spreads work over machines. `controlplane run --workers dask:ADDRESS` runs trials on such a
cluster.

    with dask_processes(tmp_path, workers=2) as cluster:
        ...  # runs at cluster.address; kill one of cluster.workers, and see what happens
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.command import clean_environment

LONGEST_START_S = 60
"""How long a process may take until it writes that it is ready."""

SCHEDULER_ADDRESS = re.compile(r"Scheduler at:\s+(\S+)")
"""Finds the address in the log of a scheduler: `Scheduler at: tcp://127.0.0.1:8786`."""

WORKER_IS_CONNECTED = re.compile(r"Starting established connection to (\S+)")
"""Finds the line in the log of a worker that says it has found its scheduler."""


class DaskProcesses:
    """A cluster: a scheduler, to which workers are added.

    Each process has an empty folder of its own below `folder`, with its log.
    """

    def __init__(self, folder: Path, *, tls: Sequence[str] = ()) -> None:
        """Start the scheduler. `tls` has the flags of all processes for encrypted connections."""
        self.folder = folder
        self.tls = tls
        self.workers: list[subprocess.Popen[bytes]] = []
        self._log_paths: dict[subprocess.Popen[bytes], Path] = {}
        """All processes, with the file that has the output of each."""
        host = "tls://127.0.0.1" if tls else "tcp://127.0.0.1"
        self.scheduler = self._start(
            "dask_scheduler", "--host", host, "--port", "0", "--no-dashboard"
        )
        self.address = self._wait_for_log(self.scheduler, SCHEDULER_ADDRESS)

    def add_worker(
        self, *flags: str, threads: int = 2, **variables: str
    ) -> subprocess.Popen[bytes]:
        """Start a worker: `add_worker("--name", "w1", threads=1, HOME="/x")`.

        It may not be connected yet, see `wait_for_workers`.
        """
        all_flags = ("--nthreads", str(threads), "--no-nanny", "--no-dashboard", *flags)
        worker = self._start("dask_worker", self.address, *all_flags, **variables)
        self.workers.append(worker)
        return worker

    def wait_for_workers(self) -> None:
        """Wait until every worker that runs is connected to the scheduler."""
        for worker in self.workers:
            if worker.poll() is None:
                self._wait_for_log(worker, WORKER_IS_CONNECTED)

    def close(self) -> None:
        """Kill all processes that still run."""
        for process in self._log_paths:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _start(
        self, program: str, *arguments: str, **variables: str
    ) -> subprocess.Popen[bytes]:
        """Start one of Dask's programs, "dask_scheduler" or "dask_worker", in a folder of its own.

        It leads a group of processes, so that `close` can kill those that it starts.
        """
        home = self.folder / f"{program}-{len(self._log_paths)}"
        home.mkdir(parents=True)
        log_path = home / "log"
        environment = clean_environment(
            HOME=str(home),
            TMPDIR=str(home),
            DASK_TEMPORARY_DIRECTORY=str(home),
            **variables,
        )
        words = [sys.executable, "-m", f"distributed.cli.{program}"]
        words += [*arguments, *self.tls]
        with log_path.open("wb") as log:
            process = subprocess.Popen(
                words,
                cwd=home,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._log_paths[process] = log_path
        return process

    def _wait_for_log(
        self, process: subprocess.Popen[bytes], pattern: re.Pattern[str]
    ) -> str:
        """Wait until a process has written what the pattern finds; return the pattern's group.

        Fails with the log if the process ends, or takes longer than `LONGEST_START_S`.
        """
        deadline = time.monotonic() + LONGEST_START_S
        while time.monotonic() < deadline:
            text = self._log_paths[process].read_text()
            match = pattern.search(text)
            if match:
                return match[1]
            assert process.poll() is None, text
            time.sleep(0.05)
        raise AssertionError(text)


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
