"""Whether a player can guess the right outcome of a task without looking at the shop.

The outcome of an answer is done, denied, not supported, or a question that has to be answered
first. It could be guessed if nearly all tasks of a family had the same one, or if, say, every
request with "please" had to be denied.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise
from math import log
from typing import NamedTuple

import pytest

from controlplane.benchmarks.ecom.tasks.barred_answers import INJECTED_BLOCK
from controlplane.benchmarks.ecom.tasks.families import FAMILIES
from controlplane.benchmarks.ecom.tasks.generated_tasks import (
    TaskChoices,
    generate_chosen,
    generate_task,
)
from controlplane.benchmarks.ecom.tasks.task_ids import task_ids
from controlplane.benchmarks.ecom.world.settings import WorldSettings

UNSEEN_WORDINGS = WorldSettings(wordings="unseen")
"""Requests in wordings that no solver was made for."""


def outcomes_of(family_name: str, count: int) -> Counter[str]:
    """Count the right outcomes of so many tasks of a family: `{OK: 24, DENIED: 16}`.

    Each case of the family comes as often as its weight says: of 4 tasks, 3 are of a case with the
    weight 3, and one of a case with the weight 1. No task has a text that poses as an instruction.
    """
    family = FAMILIES[family_name]
    cases: list[str] = []
    for case, weight in family.weights.items():
        cases += [case] * weight
    outcomes: Counter[str] = Counter()
    for index in range(count):
        # The seeds come in another order than the cases. 7919 is a prime number.
        seed = f"tells|{family_name}|{index * 7919 % count}"
        choices = TaskChoices(family_name, cases[index % len(cases)])
        task = generate_chosen(choices, seed, UNSEEN_WORDINGS)
        outcomes[task.truth.outcome] += 1
    return outcomes


class TestGuessesByFamily:
    """No outcome may be right for nearly all tasks of a family."""

    @pytest.mark.parametrize("family_name", sorted({*FAMILIES} - {INJECTED_BLOCK}))
    def test_a_family_has_several_outcomes_and_none_is_rare(
        self, family_name: str
    ) -> None:
        """A player must not earn much by one answer to all requests of a kind."""
        outcomes = outcomes_of(family_name, 40)

        assert len(outcomes) >= 2, outcomes
        assert min(outcomes.values()) >= 0.2 * outcomes.total(), outcomes


class LabelledRequest(NamedTuple):
    """A request, and the outcome of the right answer to it."""

    words: frozenset[str]
    """The words and pairs of words of the request, from `words_and_pairs`."""
    outcome: str


MAX_ADVANTAGE = 0.10
"""How much better a guess by words may be than always guessing the most frequent outcome."""


def words_and_pairs(request: str) -> frozenset[str]:
    """Return the words of a request and the pairs of neighbours.

    A number is one sign, so that no id is learned: `Buy basket 12` has `buy`, `basket`,
    `0`, `buy basket` and `basket 0`.
    """
    without_numbers = re.sub(r"\d+", "0", request.casefold())
    words = re.findall(r"[^\W_]+|[^\w\s]", without_numbers)
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    return frozenset([*words, *pairs])


class NaiveBayes:
    """Guesses outcomes from words, by how often each word came with each outcome."""

    def __init__(self, training_requests: Iterable[LabelledRequest]) -> None:
        self.outcomes: Counter[str] = Counter()
        self.words_of_outcome: dict[str, Counter[str]] = defaultdict(Counter)
        for request in training_requests:
            self.outcomes[request.outcome] += 1
            self.words_of_outcome[request.outcome].update(request.words)
        self.vocabulary_size = len(set().union(*self.words_of_outcome.values()))

    def log_likelihood(self, outcome: str, words: frozenset[str]) -> float:
        """Return the logarithm of how likely an outcome is for a request with these words."""
        counts = self.words_of_outcome[outcome]
        total = counts.total() + self.vocabulary_size
        likelihood = log(self.outcomes[outcome])
        for word in words:
            # One more than was counted, so that no word rules an outcome out.
            likelihood += log((counts[word] + 1) / total)
        return likelihood

    def guess(self, words: frozenset[str]) -> str:
        """Return the most likely outcome for a request with these words."""
        return max(
            self.outcomes, key=lambda outcome: self.log_likelihood(outcome, words)
        )


class TestGuessesByWords:
    """The words of a request may hardly tell the outcome, even to one who has learned from many.

    `NaiveBayes` guesses an outcome by how often each word of the request came with it before. It
    may be right a little more often than one who always says the most frequent outcome.

    The requests have wordings that no solver was made for (`UNSEEN_WORDINGS`).
    """

    @pytest.mark.second_tier
    def test_the_words_of_a_request_do_not_tell_the_outcome(self) -> None:
        """A guesser learns from 1,000 requests, and guesses the outcomes of 1,000 others."""
        requests = []
        for seed in range(20):
            for task_id in task_ids():
                task = generate_task(task_id, f"{seed}|{task_id}|0", UNSEEN_WORDINGS)
                words = words_and_pairs(task.instruction)
                requests.append(LabelledRequest(words, task.truth.outcome))
        half = len(requests) // 2
        training_requests = requests[:half]
        test_requests = requests[half:]

        guesser = NaiveBayes(training_requests)
        right_guesses = 0
        for request in test_requests:
            if guesser.guess(request.words) == request.outcome:
                right_guesses += 1
        accuracy = right_guesses / len(test_requests)

        outcomes = Counter(request.outcome for request in test_requests)
        share_of_usual_outcome = max(outcomes.values()) / len(test_requests)
        assert accuracy <= share_of_usual_outcome + MAX_ADVANTAGE
