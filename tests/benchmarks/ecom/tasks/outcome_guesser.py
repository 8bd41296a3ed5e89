"""A guesser that learns from many requests which words come with which outcome of the right answer.

    guesser = NaiveBayes([LabelledRequest(words_and_pairs("Buy basket 12"), "OUTCOME_OK"), ...])
    guesser.guess(words_and_pairs("Buy basket 21"))  # "OUTCOME_OK"

It knows nothing of the shop. If it guesses well, the requests give their outcomes away.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise
from math import log
from typing import NamedTuple


class LabelledRequest(NamedTuple):
    """A request, and the outcome of the right answer to it."""

    words: frozenset[str]
    """The words and pairs of words of the request, from `words_and_pairs`."""
    outcome: str


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
