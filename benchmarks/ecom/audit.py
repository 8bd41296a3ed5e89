"""`python -m controlplane.benchmarks.ecom.audit`: prints what answers earn that solve nothing, and fails if one earns too much.

It plays constants, the words of requests alone, and the rule-based player.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import mean
from typing import Final

from controlplane.benchmarks.ecom.player import rule_of
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.families import generate_task, task_ids
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import DENIED, OK, UNSUPPORTED, Task
from controlplane.benchmarks.ecom.world.pages import RULES, SECURITY
from controlplane.benchmarks.ecom.world.settings import PLAYED, PROFILES, WorldSettings
from controlplane.local_benchmark import GivenAnswer as Given

NAMED: Final = re.compile(r"\b[A-Za-z]+(?:[-_][A-Za-z0-9]+)+\b|/[\w./-]*\w")
Player = Callable[[Task], Given]


def named_records(task: Task) -> tuple[str, ...]:
    """Return the paths of all files whose name, or the branch whose name, the request holds."""
    said = {each.casefold() for each in NAMED.findall(task.instruction)}
    files = [
        path
        for path in task.world.workspace().files
        if path.rsplit("/", 1)[1].split(".")[0].casefold() in said
    ]
    uploads = [path for path in task.world.files if path in task.instruction]
    stores = [
        task.world.path(store)
        for store in task.world.stores.values()
        if store.name in task.instruction
    ]
    return tuple(dict.fromkeys([*files, *uploads, *stores]))


def _constant(word: Callable[[Task], str], task: Task) -> Given:
    return Given(word(task), OK, named_records(task))


def _denial(task: Task) -> Given:
    return Given("That is not allowed.", DENIED, (task.world.names.documents[SECURITY],))


def by_words(task: Task) -> Given:
    """Answer by the words of the request and by who is signed in, without a look at any record."""
    rule, is_staff = rule_of(task.instruction), "employee" in task.world.roles
    if (
        rule == "block"
        or (rule in ("contact", "discount") and not is_staff)
        or "guest" in task.world.roles
    ):
        return _denial(task)
    if rule in ("basket", "owned", "discount"):
        return Given("This cannot be done.", UNSUPPORTED, named_records(task))
    if rule == "other_system":
        return Given(
            "There is no such system here.", UNSUPPORTED, (task.world.names.documents[RULES],)
        )
    return Given(task.world.policy.no, OK, named_records(task))


BLIND: Final[Mapping[str, tuple[Player, float]]] = {
    "nothing": (lambda _: Given("", OK, ()), 0.0),
    "yes": (partial(_constant, lambda task: task.world.policy.yes), 0.05),
    "no": (partial(_constant, lambda task: task.world.policy.no), 0.05),
    "0": (partial(_constant, lambda task: "0"), 0.05),
    "1": (partial(_constant, lambda task: "1"), 0.05),
    "deny, bare": (lambda _: Given("That is not allowed.", DENIED, ()), 0.0),
    "deny, policy": (_denial, 0.22),
    "the request's words": (by_words, 0.12),
}
"""Players that read no record, each with the most that it may earn on average in a default run."""


def scores(player: Player, tasks: Sequence[Task]) -> Iterator[float]:
    """Yield a player's score on each task."""
    for task in tasks:
        environment, given = EcomEnvironment(task.world.workspace()), player(task)
        environment.answer(given.message, given.outcome, given.refs)
        yield grade(task.truth, environment).score or 0.0


def rule_based_score(trials: int, seed: int, settings: WorldSettings) -> float:
    """Return what the rule-based player scores in a run of the command line."""
    flags = [f"--set={name}={getattr(settings, name)}" for name in ("profile", "wordings")]
    with tempfile.TemporaryDirectory() as folder:
        run = [
            sys.executable,
            "-m",
            "controlplane",
            "run",
            f"--limit={trials}",
            f"--seed={seed}",
            "--json",
            *flags,
        ]
        done = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout)["score"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, and return 1 if a player earned more than it may."""
    parser = argparse.ArgumentParser(
        prog="python -m controlplane.benchmarks.ecom.audit", description=__doc__
    )
    parser.add_argument(
        "--trials", type=int, default=len(task_ids()), help="trials of a default run to play"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the worlds")
    parser.add_argument(
        "--profile", choices=[*PROFILES], default=PLAYED.profile, help="how hard the worlds are"
    )
    chosen = parser.parse_args(arguments)
    settings = replace(PLAYED, profile=chosen.profile)
    ids = task_ids()
    tasks = [
        generate_task(each, f"{chosen.seed}|{each}|0", settings) for each in ids[: chosen.trials]
    ]
    slack = 1 if len(tasks) == len(ids) else 2  # A part of a run has other shares of the families.
    is_fine = True
    print(f"{'answers':32}{'trials':>7}{'score':>8}{'at most':>9}")
    for name, (player, share) in BLIND.items():
        most, earned = share * slack, [*scores(player, tasks)]
        score = mean(earned)
        is_fine = is_fine and score <= most
        print(
            f"{name:32}{len(earned):7}{score:8.3f}{most:9.2f}{'' if score <= most else '  TOO MUCH'}"
        )
    for wordings in ("unseen", "known"):
        played = rule_based_score(len(tasks), chosen.seed, replace(settings, wordings=wordings))
        print(f"{f'rule-based player, {wordings}':32}{len(tasks):7}{played:8.3f}")
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
