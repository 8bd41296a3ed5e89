"""Prints what trials in containers cost: beside plain podman, and side by side.

A *trial* is one attempt at a task, which is played in a container of its own.
"""

from __future__ import annotations

from statistics import median
from typing import Final

from tests.bench.containers.container_runs import MEASURED_TASK
from tests.bench.containers.measured_containers import (
    MeasuredRun,
    measured_run,
    median_peak_mb,
    median_wall_s,
)
from tests.bench.containers.plain_podman import image_of_task, plain_trial_s

TASKS_IN_FOLDER: Final = 8
"""How many tasks `TASKS` has."""


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
