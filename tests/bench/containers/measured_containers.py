"""Runs of tasks in containers, each played by its own solution: the time and memory of our process."""

from __future__ import annotations

import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.bench.containers.container_runs import run_of_tasks, start_command


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """What a run of the command line took."""

    wall_s: float
    peak_mb: float
    """The most memory of its process, without the programs that it starts."""


def measured_run(*words: str) -> MeasuredRun:
    """Run tasks with their own solutions, which must get full scores; return what that took."""
    command = run_of_tasks(*words)
    with tempfile.TemporaryDirectory() as folder:
        started_s = time.monotonic()
        process = start_command(Path(folder), *command)
        peak_mb = 0.0
        while process.poll() is None:
            peak_mb = max(peak_mb, peak_memory_mb(process.pid))
            time.sleep(0.1)
        wall_s = time.monotonic() - started_s
        output, _ = process.communicate()
    scores = [trial["score"] for trial in json.loads(output)["trials"]]
    assert scores == [1.0] * len(scores), scores
    return MeasuredRun(wall_s, peak_mb)


def peak_memory_mb(process_id: int) -> float:
    """Return the most memory that a process has had so far; 0 if it is gone."""
    try:
        status = Path(f"/proc/{process_id}/status").read_text()
    except OSError:
        return 0.0
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0


def median_wall_s(runs: list[MeasuredRun]) -> float:
    return median(run.wall_s for run in runs)


def median_peak_mb(runs: list[MeasuredRun]) -> float:
    return median(run.peak_mb for run in runs)
