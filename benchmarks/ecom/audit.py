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
from statistics import mean
from typing import Final

from controlplane.benchmarks.ecom.player import rule_of
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.families import generate_task, task_ids
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import DENIED, OK, UNSUPPORTED, Task
from controlplane.benchmarks.ecom.world.pages import RULES, SECURITY
from controlplane.benchmarks.ecom.world.settings import PLAYED, PROFILES, WorldSettings
from controlplane.local_environment import SubmittedAnswer as Given

NAMED: Final = re.compile(r"\b[A-Za-z]+(?:[-_][A-Za-z0-9]+)+\b|/[\w./-]*\w")
Player = Callable[[Task], Given]


def named_records(task: Task) -> tuple[str, ...]:
    """Return the paths of all files whose name, or the branch whose name, the request holds."""
    names = {name.casefold() for name in NAMED.findall(task.instruction)}
    paths = []
    for path in task.world.workspace().files:
        if path.rsplit("/", 1)[1].split(".")[0].casefold() in names:
            paths.append(path)
    for path in task.world.files:
        if path in task.instruction:
            paths.append(path)
    for store in task.world.stores.values():
        if store.name in task.instruction:
            paths.append(task.world.path(store))
    return tuple(dict.fromkeys(paths))


def say_nothing(task: Task) -> Given:
    """Answer with nothing."""
    return Given("", OK, ())


def say_yes(task: Task) -> Given:
    """Answer with the world's word for yes."""
    return Given(task.world.policy.yes, OK, named_records(task))


def say_no(task: Task) -> Given:
    """Answer with the world's word for no."""
    return Given(task.world.policy.no, OK, named_records(task))


def say_0(task: Task) -> Given:
    """Answer with 0."""
    return Given("0", OK, named_records(task))


def say_1(task: Task) -> Given:
    """Answer with 1."""
    return Given("1", OK, named_records(task))


def deny(task: Task) -> Given:
    """Deny the request, and cite nothing."""
    return Given("That is not allowed.", DENIED, ())


def deny_by_policy(task: Task) -> Given:
    """Deny the request, and cite the page on security."""
    return Given("That is not allowed.", DENIED, (task.world.names.documents[SECURITY],))


def by_words(task: Task) -> Given:
    """Answer by the words of the request and by who is signed in, without a look at any record."""
    rule = rule_of(task.instruction)
    is_guest = "guest" in task.world.roles
    is_staff = "employee" in task.world.roles
    is_for_staff = rule in ("contact", "discount")
    if rule == "block" or is_guest or (is_for_staff and not is_staff):
        return deny_by_policy(task)
    if rule in ("basket", "owned", "discount"):
        return Given("This cannot be done.", UNSUPPORTED, named_records(task))
    if rule == "other_system":
        rules_page = task.world.names.documents[RULES]
        return Given("There is no such system here.", UNSUPPORTED, (rules_page,))
    return say_no(task)


BLIND: Final[Mapping[str, tuple[Player, float]]] = {
    "nothing": (say_nothing, 0.0),
    "yes": (say_yes, 0.05),
    "no": (say_no, 0.05),
    "0": (say_0, 0.05),
    "1": (say_1, 0.05),
    "deny, bare": (deny, 0.0),
    "deny, policy": (deny_by_policy, 0.22),
    "the request's words": (by_words, 0.12),
}
"""Players that read no record, each with the most that it may earn on average in a default run."""


def scores(player: Player, tasks: Sequence[Task]) -> Iterator[float]:
    """Yield a player's score on each task."""
    for task in tasks:
        answer = player(task)
        environment = EcomEnvironment(task.world.workspace())
        environment.answer(answer.message, answer.outcome, answer.refs)
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
            "--model=baseline",  # Without it, only families that the player has rules for are played.
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
    options = parser.parse_args(arguments)
    settings = replace(PLAYED, profile=options.profile)
    played_ids = task_ids()[: options.trials]
    tasks = []
    for task_id in played_ids:
        tasks.append(generate_task(task_id, f"{options.seed}|{task_id}|0", settings))
    # A part of a run has other shares of the families.
    slack = 1 if len(played_ids) == len(task_ids()) else 2

    is_fine = True
    print(f"{'answers':32}{'trials':>7}{'score':>8}{'at most':>9}")
    for name, (player, share) in BLIND.items():
        highest = share * slack
        score = mean(scores(player, tasks))
        remark = ""
        if score > highest:
            remark = "  TOO MUCH"
            is_fine = False
        print(f"{name:32}{len(tasks):7}{score:8.3f}{highest:9.2f}{remark}")
    for wordings in ("unseen", "known"):
        score = rule_based_score(len(tasks), options.seed, replace(settings, wordings=wordings))
        print(f"{f'rule-based player, {wordings}':32}{len(tasks):7}{score:8.3f}")
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
