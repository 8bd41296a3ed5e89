"""Truths stay out of reach: nothing that plays imports what knows them, and the player knows no benchmark around it."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from math import log

import pytest

from benchmarks.ecom.ecom_benchmark import FAMILIES, OVERLAY, Draw, generate_drawn, generate_task, task_ids
from benchmarks.ecom.world.generator import WorldSettings
from tests.support.command import python

SECRET = tuple(f"benchmarks.ecom.{each}" for each in ("tasks", "solutions", "ecom_benchmark", "world"))


def is_below(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def loaded(code: str) -> list[list[str]]:
    return python("-c", code).json


def test_nothing_that_knows_a_truth_is_loaded_on_the_way() -> None:
    (found,) = loaded(
        "import json, sys, benchmarks.ecom.shop_environment, benchmarks.ecom.player\n"
        "print(json.dumps([sorted(sys.modules)]))"
    )
    assert [one for one in found if is_below(one, *SECRET)] == []


Labelled = list[tuple[frozenset[str], str]]
ADVANTAGE = 0.10
"""Most by which words may beat the share of the most frequent outcome."""


def words(text: str) -> frozenset[str]:
    """Return the words of a request and their pairs, with digits as one sign, so that no id is learned."""
    said = re.findall(r"[^\W_]+|[^\w\s]", re.sub(r"\d+", "0", text.casefold()))
    return frozenset((*said, *map(" ".join, pairwise(said))))


def accuracy(labelled: Labelled) -> tuple[float, float]:
    """Return the accuracy of naive Bayes on the second half, learned from the first, and that of the usual outcome."""
    half = len(labelled) // 2
    learned, judged = labelled[:half], labelled[half:]
    outcomes = Counter(outcome for _, outcome in learned)
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for said, outcome in learned:
        seen[outcome].update(said)
    size = len(set().union(*seen.values()))

    def guess(said: frozenset[str]) -> str:
        def likelihood(outcome: str) -> float:
            whole = seen[outcome].total() + size
            return log(outcomes[outcome]) + sum(log((seen[outcome][word] + 1) / whole) for word in said)

        return max(outcomes, key=likelihood)

    right = sum(guess(said) == outcome for said, outcome in judged) / len(judged)
    return right, max(Counter(outcome for _, outcome in judged).values()) / len(judged)


def generated(name: str, count: int) -> Iterator[tuple[str, str]]:
    """Yield the requests of a family and their outcomes, without blocks."""
    family = FAMILIES[name]
    every = [number for number, weight in enumerate(family.cases, start=1) for _ in range(weight)]
    for at in range(count):
        task = generate_drawn(
            Draw(name, every[at % len(every)]), f"tells|{name}|{at * 7919 % count}", WorldSettings(wordings="unseen")
        )
        yield task.instruction, task.truth.outcome


@pytest.mark.parametrize(
    "name",
    [  # Worlds of expert tasks take longest to make.
        pytest.param(name, marks=pytest.mark.second_tier if FAMILIES[name].expert_trials else ())
        for name in sorted({*FAMILIES} - {OVERLAY})
    ],
)
def test_a_family_has_several_outcomes_and_none_is_rare(name: str) -> None:
    shares = Counter(outcome for _, outcome in generated(name, 40))
    assert len(shares) >= 2, shares
    assert min(shares.values()) >= 0.2 * sum(shares.values()), shares


@pytest.mark.second_tier
def test_words_tell_no_outcome_over_2000_trials() -> None:
    labelled: Labelled = []
    for seed in range(20):
        for task_id in task_ids():
            task = generate_task(task_id, f"{seed}|{task_id}|0", WorldSettings(wordings="unseen"))
            labelled.append((words(task.instruction), task.truth.outcome))
    right, usual = accuracy(labelled)
    assert right <= usual + ADVANTAGE, (right, usual)
