"""Prints what answers earn that solve nothing, and fails if one of them earns too much.

    python -m controlplane.benchmarks.ecom.audit [--trials 24]

A benchmark is worth nothing if a constant answer scores well. So it plays constants,
such as "no" to every request, then answers that follow from the words of the request
alone, and, for comparison, the rule-based player.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import mean
from typing import Final

from controlplane.benchmarks.ecom.player import (
    BASKET_RULE,
    BLOCK_RULE,
    CONTACT_RULE,
    DISCOUNT_RULE,
    OWNED_RULE,
    UNSUPPORTED_RULE,
    rule_of,
)
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.families import generate_task, task_ids
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import WorldTask
from controlplane.benchmarks.ecom.world.names import PLAYED, PROFILES, WorldSettings
from controlplane.benchmarks.ecom.world.pages import RULES, SECURITY
from controlplane.benchmarks.ecom.world.world import workspace_of
from controlplane.sandbox.interface.outcomes import DENIED, OK, UNSUPPORTED
from controlplane.tool_benchmark.environments import SubmittedAnswer

# Players that read no record of the shop, so they must not score much.
#
# One answers "no" to every request, another denies every request, and one answers from the
# words of the request alone. Each has the highest score that it may get: more would mean that
# the benchmark rewards guessing.

_ID_OR_PATH: Final = re.compile(
    r"\b[A-Za-z]+(?:[-_][A-Za-z0-9]+)+\b"  # the id of a record, such as `basket-17`
    r"|/[\w./-]*\w"  # a path, such as `/uploads/slip.txt`
)
_Player = Callable[[WorldTask], SubmittedAnswer]


def named_records(task: WorldTask) -> tuple[str, ...]:
    """Return the paths of all files and branches that the request names."""
    names = {name.casefold() for name in _ID_OR_PATH.findall(task.instruction)}
    paths = []
    # Records by their ids: `basket-17` for `/proc/baskets/basket-17.json`
    for path in workspace_of(task.world).files:
        file_name = path.rsplit("/", 1)[1]
        record_id = file_name.split(".")[0]
        if record_id.casefold() in names:
            paths.append(path)
    # Files of the task by their paths
    for path in task.world.files:
        if path in task.instruction:
            paths.append(path)
    # Branches by their names
    for store in task.world.stores.values():
        if store.name in task.instruction:
            paths.append(task.world.path(store))
    return tuple(dict.fromkeys(paths))


def _say_nothing(task: WorldTask) -> SubmittedAnswer:
    """Give an empty answer."""
    return SubmittedAnswer("", OK, ())


def _say_yes(task: WorldTask) -> SubmittedAnswer:
    """Answer with the world's word for yes."""
    return SubmittedAnswer(task.world.policy.answers.yes, OK, named_records(task))


def say_no(task: WorldTask) -> SubmittedAnswer:
    """Answer with the world's word for no."""
    return SubmittedAnswer(task.world.policy.answers.no, OK, named_records(task))


def _say_0(task: WorldTask) -> SubmittedAnswer:
    """Answer with 0."""
    return SubmittedAnswer("0", OK, named_records(task))


def _say_1(task: WorldTask) -> SubmittedAnswer:
    """Answer with 1."""
    return SubmittedAnswer("1", OK, named_records(task))


def deny(task: WorldTask) -> SubmittedAnswer:
    """Deny the request without a citation."""
    return SubmittedAnswer("That is not allowed.", DENIED, ())


def _deny_by_policy(task: WorldTask) -> SubmittedAnswer:
    """Deny the request and cite the security page."""
    return SubmittedAnswer(
        "That is not allowed.", DENIED, (task.world.names.pages[SECURITY],)
    )


def _by_words(task: WorldTask) -> SubmittedAnswer:
    """Answer from the words of the request and the user's role, without reading any record."""
    rule = rule_of(task.instruction)
    is_guest = "guest" in task.world.session.roles
    is_staff = "employee" in task.world.session.roles
    is_for_staff = rule in (CONTACT_RULE, DISCOUNT_RULE)
    # 1. Deny what most users may not ask, by the request's words and the user's role.
    if rule == BLOCK_RULE or is_guest or (is_for_staff and not is_staff):
        return _deny_by_policy(task)
    # 2. Refuse what is often impossible: a request to change something.
    if rule in (BASKET_RULE, OWNED_RULE, DISCOUNT_RULE):
        return SubmittedAnswer("This cannot be done.", UNSUPPORTED, named_records(task))
    if rule == UNSUPPORTED_RULE:
        rules_page = task.world.names.pages[RULES]
        return SubmittedAnswer(
            "There is no such system here.", UNSUPPORTED, (rules_page,)
        )
    # 3. Take the rest for questions.
    return say_no(task)


@dataclass(frozen=True, slots=True)
class BlindPlayer:
    """A player that reads no records, so it must not score much."""

    name: str
    player: _Player
    highest_score: float
    """The highest average score that it may get in a default run."""


# "Yes", "no", 0 or 1 may be right by chance: in at most 1 of 20 tasks. About a fifth of all
# requests must be denied, with a citation of the policy. By the words of a request, only
# some of these can be told.
BLIND_PLAYERS: Final = (
    BlindPlayer("nothing", _say_nothing, highest_score=0.0),
    BlindPlayer("yes", _say_yes, highest_score=0.05),
    BlindPlayer("no", say_no, highest_score=0.05),
    BlindPlayer("0", _say_0, highest_score=0.05),
    BlindPlayer("1", _say_1, highest_score=0.05),
    BlindPlayer("deny, bare", deny, highest_score=0.0),
    BlindPlayer("deny, policy", _deny_by_policy, highest_score=0.22),
    BlindPlayer("the request's words", _by_words, highest_score=0.12),
)


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
    is_fine = _print_blind_players(tasks, is_default_run=is_default_run)
    for wordings in ("unseen", "known"):
        score = rule_based_score(
            len(tasks), options.seed, replace(settings, wordings=wordings)
        )
        name = f"rule-based player, {wordings}"
        print(f"{name:32}{len(tasks):7}{score:8.3f}")
    return 0 if is_fine else 1


def _print_blind_players(tasks: Sequence[WorldTask], *, is_default_run: bool) -> bool:
    """Print the scores of all players that read no records. Return True if none is too high.

    Only a default run has the usual mix of families. In another one, a player may score
    twice as much.
    """
    is_fine = True
    for blind in BLIND_PLAYERS:
        highest = blind.highest_score if is_default_run else 2 * blind.highest_score
        score = mean(_scores(blind.player, tasks))
        remark = ""
        if score > highest:
            remark = "  TOO MUCH"
            is_fine = False
        print(f"{blind.name:32}{len(tasks):7}{score:8.3f}{highest:9.2f}{remark}")
    return is_fine


def _scores(player: _Player, tasks: Sequence[WorldTask]) -> Iterator[float]:
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
