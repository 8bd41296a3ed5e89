r"""Processes of Dask's programs on this machine, each with a log that tells when it is ready.

    processes = LoggedProcesses(folder)
    scheduler = processes.start("dask_scheduler", "--port", "0")
    processes.wait_for_log(scheduler, re.compile(r"Scheduler at:\s+(\S+)"))   # "tcp://127.0.0.1:41235"

Each process has an empty folder of its own below `folder`, with its log.
"""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.support.command import clean_environment

LONGEST_START_S = 60
"""How long a process may take until it writes that it is ready."""


class LoggedProcesses:
    """The processes that were started so far."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._log_paths: dict[subprocess.Popen[bytes], Path] = {}
        """All processes, with the file that has the output of each."""

    def start(
        self, program: str, *arguments: str, **variables: str
    ) -> subprocess.Popen[bytes]:
        """Start one of Dask's programs, "dask_scheduler" or "dask_worker".

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
        with log_path.open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{program}", *arguments],
                cwd=home,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._log_paths[process] = log_path
        return process

    def wait_for_log(
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

    def close(self) -> None:
        """Kill all processes that still run."""
        for process in self._log_paths:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
