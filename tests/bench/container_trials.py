"""Measures trials in containers: what one costs beside plain podman, side by side, and under kills.

    python -m tests.bench.container_trials                 overhead, eight side by side, memory
    python -m tests.bench.container_trials --kills 100     100 trials, killed at random and resumed

It needs podman, runc and busybox, as root, as the tests of `harbor:DIR` do.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from tests.benchmarks.harbor.base_image import PROCESS_VARIABLES, missing_reason

ROOT: Final = Path(__file__).parents[2]
TASKS: Final = ROOT / "tests/benchmarks/harbor/tasks"
MEASURED_TASK: Final = "permissions"
"""A task whose solution and verifier take no time of their own."""
SECONDS_TO_KILL: Final = (8.0, 40.0)
"""The shortest and the longest time after which a run
is killed: while it starts, plays or grades."""
OWN_LABEL: Final = "controlplane.trial"


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """A run of the command line."""

    wall_s: float
    trial_s: float
    """The mean time of a trial, as its journal says, without starting its container."""
    peak_mb: float
    """The most memory of its process, without the programs that it starts."""


def podman(*arguments: str | Path, stdin: str = "") -> str:
    """Run podman and return what it prints."""
    command = ["podman", *map(str, arguments)]
    return subprocess.run(
        command, input=stdin, capture_output=True, text=True, check=True
    ).stdout


def started_run(folder: Path, *words: str) -> subprocess.Popen[str]:
    """Start a command of ours in a folder."""
    environment = {**os.environ, **PROCESS_VARIABLES, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "controlplane", *words, "--json"]
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def measured_run(*words: str) -> MeasuredRun:
    """Play tasks with the player `solution`, and return what that took."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        words = ("run", *words, "--benchmark", f"harbor:{TASKS}", "--model", "solution")
        process = started_run(Path(folder), *words)
        peak_mb = 0.0
        while process.poll() is None:
            peak_mb = max(peak_mb, peak_memory_mb(process.pid))
            time.sleep(0.1)
        wall_s = time.monotonic() - began
        report = json.loads(process.communicate()[0])
    times = [trial["elapsed_ms"] / 1000 for trial in report["trials"]]
    scores = [trial["score"] for trial in report["trials"]]
    assert scores == [1.0] * len(scores), scores
    return MeasuredRun(wall_s, sum(times) / len(times), peak_mb)


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
    began = time.monotonic()
    flags = PROCESS_VARIABLES["CONTAINER_RUN_FLAGS"].split()
    idle = 'trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done'
    run = [
        "run",
        "--detach",
        "--pull=never",
        *flags,
        "--name",
        name,
        "--network",
        "none",
    ]
    podman(*run, "--entrypoint", "sh", image, "-c", idle)
    podman("exec", name, "sh", "-c", "mkdir -p /solution /tests /logs/verifier")
    solution = (task / "solution/solve.sh").read_text()
    podman("exec", "-i", name, "sh", "-c", "cat >/solution/solve.sh", stdin=solution)
    podman("exec", name, "bash", "/solution/solve.sh")
    podman("exec", name, "rm", "-rf", "/solution")
    podman("cp", f"{task}/tests/.", f"{name}:/tests")
    podman("exec", "--workdir", "/app", name, "bash", "/tests/test.sh")
    podman("exec", name, "cat", "/logs/verifier/reward.txt")
    podman("rm", "--force", "--volumes", name)
    return time.monotonic() - began


def image_of_task() -> str:
    """Return the image of the measured task, which a run has built."""
    from controlplane.benchmarks.containers.container_images import folder_digest

    digest = folder_digest(TASKS / MEASURED_TASK / "environment")
    return f"localhost/controlplane-task:{digest[:24]}"


def print_cost(rounds: int) -> None:
    """Print what a trial costs beside plain podman, and what eight take side by side."""
    measured_run("--concurrency", "8")  # All images are built now.
    image = image_of_task()
    plain: list[float] = []
    single: list[MeasuredRun] = []
    several: list[MeasuredRun] = []
    for _ in range(rounds):
        plain.append(plain_trial_s(image))
        single.append(measured_run(MEASURED_TASK))
        several.append(
            measured_run(MEASURED_TASK, "--repeats", "5", "--concurrency", "1")
        )
    plain_s = median(plain)
    single_s = median(run.wall_s for run in single)
    further_s = (median(run.wall_s for run in several) - single_s) / 4
    print(f"the same commands with podman alone  {plain_s:6.2f} s")
    print(f"a run of one trial                   {single_s:6.2f} s")
    print(
        f"each further trial of a run          {further_s:6.2f} s ({further_s - plain_s:+.2f} s)"
    )

    alone: list[MeasuredRun] = []
    beside: list[MeasuredRun] = []
    for _ in range(rounds):
        alone.append(measured_run("--concurrency", "1"))
        beside.append(measured_run("--concurrency", "8"))
    print(
        f"eight tasks one after another        {median(run.wall_s for run in alone):6.2f} s"
    )
    print(
        f"eight tasks side by side             {median(run.wall_s for run in beside):6.2f} s"
    )
    alone_mb = median(run.peak_mb for run in alone)
    beside_mb = median(run.peak_mb for run in beside)
    print(f"memory of our process, one at a time {alone_mb:6.1f} MB")
    print(f"memory of our process, eight         {beside_mb:6.1f} MB")
    print(f"for each further trial               {(beside_mb - alone_mb) / 7:6.2f} MB")


def trials_left_in_containers() -> set[str]:
    """Return the trials that have a container, running or not."""
    format_text = "{{index .Labels " + f'"{OWN_LABEL}"' + "}}"
    listing = podman(
        "ps", "--all", "--filter", f"label={OWN_LABEL}", "--format", format_text
    )
    return set(listing.split())


def print_kills(trials: int, seed: int) -> None:
    """Play trials in a run that is killed at random, and print what is left of them at the end."""
    chance = random.Random(seed)
    before = trials_left_in_containers()
    with tempfile.TemporaryDirectory() as folder:
        words = [
            "run",
            MEASURED_TASK,
            "--benchmark",
            f"harbor:{TASKS}",
            "--model",
            "solution",
        ]
        words += ["--repeats", str(trials), "--concurrency", "8"]
        kills = 0
        while True:
            process = started_run(Path(folder), *words)
            try:
                process.communicate(timeout=chance.uniform(*SECONDS_TO_KILL))
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                kills += 1
            if list(Path(folder, "runs").glob("*.jsonl")):
                words = ["resume", "last"]
        # A run that was killed after its end, and before it was printed, is resumed by nothing.
        output, _ = started_run(Path(folder), "show", "last").communicate()
        report = json.loads(output)
    scores = [trial["score"] for trial in report["trials"]]
    left = trials_left_in_containers() - before
    print(
        f"{trials} trials, {kills} kills: {scores.count(1.0)} of them with full reward"
    )
    for trial in report["trials"]:
        if trial["score"] != 1.0:
            reasons = [trial["state"], trial["reason"], *trial["details"]]
            print(
                f"  {trial['trial_id']}: score {trial['score']}; {'; '.join(reasons)}"
            )
    print(f"after a last start, containers of ended trials: {len(left)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--kills", type=int, default=0, help="trials of the run that is killed"
    )
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    reason = missing_reason()
    if reason:
        sys.exit(f"no containers here: {reason}")
    if arguments.kills:
        print_kills(arguments.kills, arguments.seed)
    else:
        print_cost(arguments.rounds)


if __name__ == "__main__":
    main()
