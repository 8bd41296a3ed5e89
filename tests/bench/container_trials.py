"""Measures trials in containers: their cost beside plain podman, and what is left after kills.

    python -m tests.bench.container_trials                 overhead, eight side by side, memory
    python -m tests.bench.container_trials --kills 100     100 trials, killed at random and resumed

A *trial* is one attempt at a task. Tasks of the benchmark `harbor:DIR` are played in a container
each, here by their own solutions. It needs podman, runc and busybox, and the rights of root.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from tests.bench.container_kills import print_kills
from tests.bench.container_runs import (
    MEASURED_TASK,
    TASKS,
    podman,
    run_of_tasks,
    start_command,
)
from tests.benchmarks.harbor.base_image import PROCESS_VARIABLES, missing_reason

TASKS_IN_FOLDER: Final = 8
"""How many tasks `TASKS` has."""


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


def plain_trial_s(image: str) -> float:
    """Return the seconds that the same commands of one trial take with podman alone."""
    task = TASKS / MEASURED_TASK
    name = f"bench-{os.getpid()}"
    started_s = time.monotonic()

    # Start a container that does nothing until it is told to end.
    idle = 'trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done'
    run = ["run", "--detach", "--pull=never", "--name", name, "--network", "none"]
    run += PROCESS_VARIABLES["CONTAINER_RUN_FLAGS"].split()
    podman(*run, "--entrypoint", "sh", image, "-c", idle)
    podman("exec", name, "sh", "-c", "mkdir -p /solution /tests /logs/verifier")

    # Copy the solution into it, and run it.
    solution = (task / "solution/solve.sh").read_text()
    podman("exec", "-i", name, "sh", "-c", "cat >/solution/solve.sh", stdin=solution)
    podman("exec", name, "bash", "/solution/solve.sh")
    podman("exec", name, "rm", "-rf", "/solution")

    # Grade what it did.
    podman("cp", f"{task}/tests/.", f"{name}:/tests")
    podman("exec", "--workdir", "/app", name, "bash", "/tests/test.sh")
    podman("exec", name, "cat", "/logs/verifier/reward.txt")
    podman("rm", "--force", "--volumes", name)
    return time.monotonic() - started_s


def image_of_task() -> str:
    """Return the image of the measured task, which a run has built."""
    from controlplane.benchmarks.containers.container_images import folder_digest

    digest = folder_digest(TASKS / MEASURED_TASK / "environment")
    return f"localhost/controlplane-task:{digest[:24]}"


def median_wall_s(runs: list[MeasuredRun]) -> float:
    return median(run.wall_s for run in runs)


def median_peak_mb(runs: list[MeasuredRun]) -> float:
    return median(run.peak_mb for run in runs)


def print_cost_beside_podman(rounds: int) -> None:
    """Print what a run of one trial takes, and each further trial, beside plain podman."""
    image = image_of_task()
    repeats = 5
    podman_times_s: list[float] = []
    short_runs: list[MeasuredRun] = []
    long_runs: list[MeasuredRun] = []
    for _ in range(rounds):
        podman_times_s.append(plain_trial_s(image))
        short_runs.append(measured_run(MEASURED_TASK))
        long_runs.append(
            measured_run(MEASURED_TASK, "--repeats", str(repeats), "--concurrency", "1")
        )
    podman_s = median(podman_times_s)
    short_s = median_wall_s(short_runs)
    further_s = (median_wall_s(long_runs) - short_s) / (repeats - 1)
    print(f"the same commands with podman alone  {podman_s:6.2f} s")
    print(f"a run of one trial                   {short_s:6.2f} s")
    print(
        f"each further trial of a run          {further_s:6.2f} s ({further_s - podman_s:+.2f} s)"
    )


def print_cost_of_concurrency(rounds: int) -> None:
    """Print the time and memory of all tasks of the folder, one by one and all at once."""
    serial_runs: list[MeasuredRun] = []
    concurrent_runs: list[MeasuredRun] = []
    for _ in range(rounds):
        serial_runs.append(measured_run("--concurrency", "1"))
        concurrent_runs.append(measured_run("--concurrency", str(TASKS_IN_FOLDER)))
    serial_mb = median_peak_mb(serial_runs)
    concurrent_mb = median_peak_mb(concurrent_runs)
    further_mb = (concurrent_mb - serial_mb) / (TASKS_IN_FOLDER - 1)
    print(f"eight tasks one after another        {median_wall_s(serial_runs):6.2f} s")
    print(
        f"eight tasks side by side             {median_wall_s(concurrent_runs):6.2f} s"
    )
    print(f"memory of our process, one at a time {serial_mb:6.1f} MB")
    print(f"memory of our process, eight         {concurrent_mb:6.1f} MB")
    print(f"for each further trial               {further_mb:6.2f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--kills", type=int, default=0, help="trials of the run that is killed"
    )
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    reason = missing_reason()
    if reason:
        sys.exit(f"no containers here: {reason}")
    if options.kills:
        print_kills(options.kills, options.seed)
        return
    # The first run builds all images, which takes long and is not measured.
    measured_run("--concurrency", str(TASKS_IN_FOLDER))
    print_cost_beside_podman(options.rounds)
    print_cost_of_concurrency(options.rounds)


if __name__ == "__main__":
    main()
