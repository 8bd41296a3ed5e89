"""Prints what answers earn that solve nothing, and fails if one of them earns too much.

    python -m controlplane.benchmarks.ecom.audit [--trials 24]

A benchmark is worth nothing if a constant answer scores well. So it plays constants,
such as "no" to every request, then answers that follow from the words of the request
alone, and, for comparison, the rule-based player.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import mean

from controlplane.benchmarks.ecom.blind_players import BLIND_PLAYERS, Player
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.task_ids import task_ids
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import PLAYED, PROFILES, WorldSettings


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table of the players and their scores. Return 1 if one scored more than it may."""
    parser = argparse.ArgumentParser(
        prog="python -m controlplane.benchmarks.ecom.audit", description=__doc__
    )
    parser.add_argument(
        "--trials",
        type=int,
        default=len(task_ids()),
        help="trials of a default run to play",
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the worlds")
    parser.add_argument(
        "--profile",
        choices=[*PROFILES],
        default=PLAYED.profile,
        help="how hard the worlds are",
    )
    options = parser.parse_args(arguments)
    settings = replace(PLAYED, profile=options.profile)
    played_ids = task_ids()[: options.trials]
    tasks = []
    for task_id in played_ids:
        tasks.append(generate_task(task_id, f"{options.seed}|{task_id}|0", settings))
    is_default_run = len(played_ids) == len(task_ids())

    print(f"{'answers':32}{'trials':>7}{'score':>8}{'at most':>9}")
    is_fine = print_blind_players(tasks, is_default_run=is_default_run)
    for wordings in ("unseen", "known"):
        score = rule_based_score(
            len(tasks), options.seed, replace(settings, wordings=wordings)
        )
        name = f"rule-based player, {wordings}"
        print(f"{name:32}{len(tasks):7}{score:8.3f}")
    return 0 if is_fine else 1


def print_blind_players(tasks: Sequence[Task], *, is_default_run: bool) -> bool:
    """Print the scores of all players that read no records. Return True if none is too high.

    Only a default run has the usual mix of families. In another one, a player may score
    twice as much.
    """
    is_fine = True
    for blind in BLIND_PLAYERS:
        highest = blind.highest_score if is_default_run else 2 * blind.highest_score
        score = mean(scores(blind.player, tasks))
        remark = ""
        if score > highest:
            remark = "  TOO MUCH"
            is_fine = False
        print(f"{blind.name:32}{len(tasks):7}{score:8.3f}{highest:9.2f}{remark}")
    return is_fine


def scores(player: Player, tasks: Sequence[Task]) -> Iterator[float]:
    """Yield a player's score on each task."""
    for task in tasks:
        answer = player(task)
        environment = EcomEnvironment(workspace_of(task.world))
        environment.answer(answer.message, answer.outcome, answer.refs)
        yield grade(task.truth, environment).score or 0.0


def rule_based_score(trials: int, seed: int, settings: WorldSettings) -> float:
    """Return the score of the rule-based player in a run of the command line.

    Raises `CalledProcessError` if the run fails.
    """
    flags = [
        f"--set={name}={getattr(settings, name)}" for name in ("profile", "wordings")
    ]
    with tempfile.TemporaryDirectory() as folder:
        run = [
            sys.executable,
            "-m",
            "controlplane",
            "run",
            # This model limits the run to families that the player has rules for.
            "--model=baseline",
            f"--limit={trials}",
            f"--seed={seed}",
            "--json",
            *flags,
        ]
        done = subprocess.run(
            run, cwd=folder, capture_output=True, text=True, check=True
        )
    return float(json.loads(done.stdout)["score"])


if __name__ == "__main__":
    sys.exit(main())
