"""The words of a request do not tell its outcome: a classifier that sees nothing else is hardly better than a guess."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from math import log

import pytest

from benchmarks.ecom.tasks.posing import FAMILIES, OVERLAY, Draw, pose, pose_task, task_ids
from benchmarks.ecom.tasks.task import OK
from benchmarks.ecom.world.generator import WorldSettings
from benchmarks.ecom.world.pages import wordings

Labelled = list[tuple[frozenset[str], str]]
ADVANTAGE = 0.10
"""Most by which words may beat the share of the most frequent outcome."""
QUESTIONS = (
    *("archive-fraud", "calendar-date", "crosslist", "dispatch-wave", "file-marker", "inventory-export"),
    *("open-branches", "origin-fact", "own-staff-record", "price-count", "product-existence", "product-property"),
    *("receipt-rebuy", "receipt-reprice", "record-field", "staff-count", "stock-answer", "stock-count"),
    *("temporary-files", "measured-products", "entangled-fraud"),
)
"""Families whose requests anybody may make, with an answer in any case: no condition can stand against them."""


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


def posed(name: str, count: int) -> Iterator[tuple[str, str]]:
    """Yield the requests of a family and their outcomes, without blocks."""
    family = FAMILIES[name]
    every = [number for number, weight in enumerate(family.weights, start=1) for _ in range(weight)]
    for at in range(count):
        task = pose(
            Draw(name, every[at % len(every)]), f"tells|{name}|{at * 7919 % count}", WorldSettings(wordings="unseen")
        )
        yield task.instruction, task.truth.outcome


@pytest.mark.parametrize("name", sorted({*FAMILIES} - {*QUESTIONS} - {OVERLAY}))
def test_a_family_has_several_outcomes_and_none_is_rare(name: str) -> None:
    shares = Counter(outcome for _, outcome in posed(name, 40))
    assert len(shares) >= 2, shares
    assert min(shares.values()) >= 0.2 * sum(shares.values()), shares


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_a_question_that_anybody_may_ask_is_answered(name: str) -> None:
    assert {outcome for _, outcome in posed(name, 4)} == {OK}


@pytest.mark.second_tier
def test_words_tell_no_outcome_over_2000_trials() -> None:
    labelled: Labelled = []
    for seed in range(20):
        for task_id in task_ids():
            task = pose_task(task_id, f"{seed}|{task_id}|0", WorldSettings(wordings="unseen"))
            labelled.append((words(task.instruction), task.truth.outcome))
    right, usual = accuracy(labelled)
    assert right <= usual + ADVANTAGE, (right, usual)


@pytest.mark.second_tier
@pytest.mark.parametrize("name", sorted({*FAMILIES} - {*QUESTIONS} - {OVERLAY}))
def test_words_tell_no_outcome_within_a_family(name: str) -> None:
    labelled = [(words(text), outcome) for text, outcome in posed(name, 240)]
    right, usual = accuracy(labelled)
    assert right <= usual + ADVANTAGE, (right, usual)


@pytest.mark.parametrize("half", ["known", "unseen"])
def test_blocks_come_in_many_wrappers_and_with_many_payloads_beside_notes_that_order_nothing(half: str) -> None:
    counts = {name: len({*wordings()[name].of(half)}) for name in ("block", "payload", "note")}
    assert counts["block"] >= 14
    assert counts["payload"] >= 16
    assert counts["note"] >= 12
