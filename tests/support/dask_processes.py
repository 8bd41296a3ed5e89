"""A Dask scheduler and workers as processes of their own, each in an empty folder of its own."""

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

QUIET = {
    "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "warning",
    "DASK_DISTRIBUTED__ADMIN__EVENT_LOOP": "asyncio",
}


class DaskProcesses:
    """A cluster under `folder`; what it logs is in `logs`."""

    def __init__(self, folder: Path, *, tls: Sequence[str] = ()) -> None:
        self.folder = folder
        self.tls = tls
        self.all: list[subprocess.Popen[bytes]] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        place = "tls://127.0.0.1" if tls else "tcp://127.0.0.1"
        scheduler = self._start(
            "dask_scheduler", "--host", place, "--port", "0", "--no-dashboard"
        )
        self.scheduler = scheduler
        self.address = self._said(scheduler, re.compile(r"Scheduler at:\s+(\S+)"))

    def add_worker(
        self, *flags: str, threads: int = 2, **variables: str
    ) -> subprocess.Popen[bytes]:
        flags = ("--nthreads", str(threads), "--no-nanny", "--no-dashboard", *flags)
        worker = self._start("dask_worker", self.address, *flags, **variables)
        self.workers.append(worker)
        return worker

    def wait_for_workers(self) -> None:
        for worker in self.workers:
            if worker.poll() is None:
                self._said(
                    worker, re.compile(r"Starting established connection to (\S+)")
                )

    def _start(
        self, program: str, *arguments: str, **variables: str
    ) -> subprocess.Popen[bytes]:
        home = self.folder / f"{program}-{len(self.all)}"
        home.mkdir(parents=True)
        own = clean_environment(
            HOME=str(home),
            TMPDIR=str(home),
            DASK_TEMPORARY_DIRECTORY=str(home),
            **variables,
        )
        with (home / "log").open("wb") as log:
            words = [
                sys.executable,
                "-m",
                f"distributed.cli.{program}",
                *arguments,
                *self.tls,
            ]
            process = subprocess.Popen(
                words, cwd=home, env=own, stdout=log, stderr=log, start_new_session=True
            )
        process.log = home / "log"
        self.all.append(process)
        return process

    def _said(self, process: subprocess.Popen[bytes], pattern: re.Pattern[str]) -> str:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            text = process.log.read_text()
            if found := pattern.search(text):
                return found[1]
            assert process.poll() is None, text
            time.sleep(0.05)
        raise AssertionError(text)

    def close(self) -> None:
        for process in self.all:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextmanager
def dask_processes(
    folder: Path, workers: int, *, threads: int = 2, tls: Sequence[str] = ()
) -> Iterator[DaskProcesses]:
    """A cluster for as long as the block lasts."""
    cluster = DaskProcesses(folder, tls=tls)
    try:
        for _ in range(workers):
            cluster.add_worker(threads=threads)
        cluster.wait_for_workers()
        yield cluster
    finally:
        cluster.close()
