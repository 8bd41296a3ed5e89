"""Whether a player can guess the right outcome of a task without looking at the shop.

The outcome of an answer is done, denied, not supported, or a question that has to be answered
first. It could be guessed if nearly all tasks of a family had the same one, or if, say, every
request with "please" had to be denied.
"""

from collections import Counter

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
from tests.benchmarks.ecom.tasks.outcome_guesser import (
    LabelledRequest,
    NaiveBayes,
    words_and_pairs,
)

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


MAX_ADVANTAGE = 0.10
"""How much better a guess by words may be than always guessing the most frequent outcome."""


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
