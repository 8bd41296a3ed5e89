"""Prints what honest and thoughtless players score on the embedded world, per profile and family.

    python -m tests.bench.honesty_table [--seeds 5] [--profiles prod,dev,hard] [--no-rules] [--model NAME]

The reference solves; the rules are the embedded player, on both halves of the documents' wordings; the others know
nothing. With --model, a model plays too, as `controlplane run --model NAME` has it: OPENAI_BASE_URL names its endpoint,
and CONTROLPLANE_LIMIT has a slow one play fewer tasks; a dash stands for what it did not play. It exits with 1 if a
mean lies outside its bounds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from statistics import mean

from benchmarks.ecom.identifiers import TrialId
from benchmarks.ecom.tasks.posing import pose_task, task_ids
from benchmarks.ecom.world.profiles import PLAYED
from tests.benchmarks.ecom.naive_players import BOUNDS, PLAYERS, score_of

Scores = Mapping[str, list[float]]
"""The scores of one player by family."""


def naive_scores(profile: str, seeds: int) -> dict[str, dict[str, list[float]]]:
    """Return the scores of the reference and of all players that need no sandbox."""
    found: dict[str, dict[str, list[float]]] = {name: {} for name in ("reference", *PLAYERS)}
    for seed in range(seeds):
        for task_id in task_ids():
            world_seed = TrialId(task_id, 0, seed, profile, "").world_seed
            task = pose_task(task_id, world_seed, replace(PLAYED, profile=profile))
            for name, by_family in found.items():
                by_family.setdefault(task_id.rpartition(".")[0], []).append(score_of(name, task))
    return found


def played_scores(profile: str, seeds: int, *flags: str) -> dict[str, list[float]]:
    """Return the scores of whole runs through sandbox and gates, one per seed."""
    found: dict[str, list[float]] = {}
    for seed in range(seeds):
        with tempfile.TemporaryDirectory() as folder:
            command = [
                "run",
                "--seed",
                str(seed),
                "--set",
                f"profile={profile}",
                "--concurrency",
                "2",
                "--json",
                *flags,
            ]
            done = subprocess.run(
                [sys.executable, "-m", "controlplane", *command],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )
        if not done.stdout:
            sys.exit(f"{' '.join(command)}: {done.stderr}")
        for trial in json.loads(done.stdout)["trials"]:
            found.setdefault(trial["task_id"].rpartition(".")[0], []).append(trial["score"] or 0.0)
    return found


def mean_of(scores: Scores) -> float:
    """Return the mean over all trials, so that each family counts by its share."""
    return mean(score for each in scores.values() for score in each)


def table(columns: Mapping[str, Scores]) -> Iterable[str]:
    """Yield the lines of a table with a row per family and a column per player."""
    names = list(columns)
    yield f"| family | {' | '.join(names)} |"
    yield f"|---|{'---:|' * len(names)}"
    for family in sorted(next(iter(columns.values()))):
        played = (columns[name].get(family) for name in names)
        yield f"| {family} | {' | '.join(f'{mean(each):.2f}' if each else '-' for each in played)} |"
    yield f"| **mean** | {' | '.join(f'{mean_of(columns[name]):.3f}' for name in names)} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--profiles", default="prod,dev,hard")
    parser.add_argument("--no-rules", action="store_true")
    parser.add_argument("--model", default="")
    given = parser.parse_args()
    broken = []
    for profile in given.profiles.split(","):
        columns: dict[str, Scores] = dict(naive_scores(profile, given.seeds))
        if not given.no_rules:
            for half in ("known", "unseen"):
                columns[f"rules, {half}"] = played_scores(profile, 1, "--set", f"wordings={half}")
        if given.model:
            columns[given.model] = played_scores(profile, 1, "--model", given.model)
        print(f"\n## {profile}, {given.seeds} seeds\n", *table(columns), sep="\n", flush=True)
        for name, (least, most) in BOUNDS.items():
            if not least <= mean_of(columns[name]) <= most:
                broken.append(f"{profile}: {name} scores {mean_of(columns[name]):.3f}, not {least} to {most}")
    print(*broken, sep="\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
