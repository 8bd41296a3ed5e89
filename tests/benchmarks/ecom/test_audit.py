"""Answers that solve nothing earn next to nothing: the tasks do not reward guessing.

Blind players read no record of the shop. One answers "no" to every request, another denies every
request, and one answers from the words of the request alone.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from statistics import mean
from typing import Final

import pytest

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
from controlplane.benchmarks.ecom.world.names import PLAYED
from controlplane.benchmarks.ecom.world.pages import RULES, SECURITY
from controlplane.benchmarks.ecom.world.world import workspace_of
from controlplane.sandbox.interface.outcomes import DENIED, OK, UNSUPPORTED
from controlplane.tool_benchmark.environments import SubmittedAnswer

# The blind players. Each has the highest score that it may get in a default run.

_ID_OR_PATH: Final = re.compile(
    r"\b[A-Za-z]+(?:[-_][A-Za-z0-9]+)+\b"  # the id of a record, such as `basket-17`
    r"|/[\w./-]*\w"  # a path, such as `/uploads/slip.txt`
)
_Player = Callable[[WorldTask], SubmittedAnswer]


def _named_records(task: WorldTask) -> tuple[str, ...]:
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
    return SubmittedAnswer(task.world.policy.answers.yes, OK, _named_records(task))


def _say_no(task: WorldTask) -> SubmittedAnswer:
    """Answer with the world's word for no."""
    return SubmittedAnswer(task.world.policy.answers.no, OK, _named_records(task))


def _say_0(task: WorldTask) -> SubmittedAnswer:
    """Answer with 0."""
    return SubmittedAnswer("0", OK, _named_records(task))


def _say_1(task: WorldTask) -> SubmittedAnswer:
    """Answer with 1."""
    return SubmittedAnswer("1", OK, _named_records(task))


def _deny(task: WorldTask) -> SubmittedAnswer:
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
        return SubmittedAnswer(
            "This cannot be done.", UNSUPPORTED, _named_records(task)
        )
    if rule == UNSUPPORTED_RULE:
        rules_page = task.world.names.pages[RULES]
        return SubmittedAnswer(
            "There is no such system here.", UNSUPPORTED, (rules_page,)
        )
    # 3. Take the rest for questions.
    return _say_no(task)


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
    BlindPlayer("no", _say_no, highest_score=0.05),
    BlindPlayer("0", _say_0, highest_score=0.05),
    BlindPlayer("1", _say_1, highest_score=0.05),
    BlindPlayer("deny, bare", _deny, highest_score=0.0),
    BlindPlayer("deny, policy", _deny_by_policy, highest_score=0.22),
    BlindPlayer("the request's words", _by_words, highest_score=0.12),
)


def mean_score(player: _Player, tasks: list[WorldTask]) -> float:
    """Return what a player scores in these tasks."""
    scores = []
    for task in tasks:
        answer = player(task)
        environment = EcomEnvironment(workspace_of(task.world))
        environment.answer(answer.message, answer.outcome, answer.refs)
        scores.append(grade(task.truth, environment).score or 0.0)
    return mean(scores)


def first_tasks(count: int) -> list[WorldTask]:
    """Return the first tasks of a default run, in the worlds of the seed 1."""
    return [
        generate_task(task_id, f"1|{task_id}|0", PLAYED)
        for task_id in task_ids()[:count]
    ]


@pytest.fixture(scope="module")
def some_tasks() -> list[WorldTask]:
    return first_tasks(24)


@pytest.mark.parametrize("blind", BLIND_PLAYERS, ids=lambda blind: blind.name)
def test_a_blind_player_earns_little(
    blind: BlindPlayer, some_tasks: list[WorldTask]
) -> None:
    """A part of a default run has another mix of families, so a player may earn twice as much."""
    assert mean_score(blind.player, some_tasks) <= 2 * blind.highest_score


@pytest.mark.second_tier
def test_no_blind_player_earns_more_than_it_may_in_a_default_run() -> None:
    tasks = first_tasks(len(task_ids()))

    for blind in BLIND_PLAYERS:
        assert mean_score(blind.player, tasks) <= blind.highest_score, blind.name
