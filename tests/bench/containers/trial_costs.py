"""Prints what trials in containers cost: beside plain podman, and side by side.

A *trial* is one attempt at a task, which is played in a container of its own.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from tests.bench.containers.container_runs import (
    MEASURED_TASK,
    TASKS,
    podman,
    run_of_tasks,
    start_command,
)
from tests.benchmarks.harbor.base_image import PROCESS_VARIABLES

# Runs of tasks in containers, each played by its own solution: the time and memory of our process.


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


# The commands of one trial in a container, made with podman alone, without this product.
#
# A container is started, the task's solution runs in it, and the task's tests grade what it did.


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
    from controlplane.benchmarks.containers.set_files import SetFiles

    digest = SetFiles.of(TASKS).digest(TASKS / MEASURED_TASK / "environment")
    return f"localhost/controlplane-task:{digest[:24]}"


# Kills a run of trials in containers at random, again and again, and resumes it each time.
#
# In the end, all trials should have their full reward, and no container of an ended trial be left.

MIN_SECONDS_TO_KILL: Final = 8.0
MAX_SECONDS_TO_KILL: Final = 40.0
"""A run is killed after a random time between these: while it starts, plays or grades."""
TRIAL_LABEL: Final = "controlplane.trial"
"""The label of our containers, whose value is the id of the trial."""


def trials_with_containers() -> set[str]:
    """Return the ids of the trials that have a container, running or not."""
    label_value = "{{index .Labels " + f'"{TRIAL_LABEL}"' + "}}"
    listing = podman(
        "ps", "--all", "--filter", f"label={TRIAL_LABEL}", "--format", label_value
    )
    return set(listing.split())


def play_with_kills(folder: Path, trials: int, chance: random.Random) -> int:
    """Play trials in a run that is killed and resumed until it ends; return the number of kills."""
    words = run_of_tasks(MEASURED_TASK, "--repeats", str(trials), "--concurrency", "8")
    kills = 0
    while True:
        process = start_command(folder, *words)
        timeout_s = chance.uniform(MIN_SECONDS_TO_KILL, MAX_SECONDS_TO_KILL)
        try:
            process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            kills += 1
        else:
            return kills
        has_journal = bool(list(folder.glob("runs/*.jsonl")))
        if has_journal:
            words = ["resume", "last"]


def print_kills(trials: int, seed: int) -> None:
    """Play trials in a run that is killed at random, and print their scores and what is left."""
    containers_before = trials_with_containers()
    with tempfile.TemporaryDirectory() as folder:
        kills = play_with_kills(Path(folder), trials, random.Random(seed))
        # A run that was killed between its end and its output prints nothing when it is resumed.
        output, _ = start_command(Path(folder), "show", "last").communicate()
    report = json.loads(output)
    scores = [trial["score"] for trial in report["trials"]]
    print(
        f"{trials} trials, {kills} kills: {scores.count(1.0)} of them with full reward"
    )
    for trial in report["trials"]:
        if trial["score"] != 1.0:
            reasons = [trial["state"], trial["reason"], *trial["details"]]
            print(
                f"  {trial['trial_id']}: score {trial['score']}; {'; '.join(reasons)}"
            )
    remaining_containers = trials_with_containers() - containers_before
    print(
        f"after a last start, containers of ended trials: {len(remaining_containers)}"
    )


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
