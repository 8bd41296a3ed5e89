"""Kills a run of trials in containers at random, again and again, and resumes it each time.

In the end, all trials should have their full reward, and no container of an ended trial be left.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from tests.bench.containers.container_runs import (
    MEASURED_TASK,
    podman,
    run_of_tasks,
    start_command,
)

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
