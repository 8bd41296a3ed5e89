"""The outline of a truth: what it demands of an answer in any shop, so that each answer can be judged.

The *truth* of a task says what a right answer is in the task's own shop: that basket-0012 must be
cited. Its outline says that one basket must be cited, but not which.

    TruthOutline(outcome=DENIED, is_exact=False, words={time}, required_pages={"/docs/security.md"},
                 allowed_pages={"/docs/security.md"}, required_kinds={"basket": 1}, allowed_kinds=set())
    .faults_of(answer)  # ("missing basket", "no time")
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tests.benchmarks.ecom.recorded.demanded_words import DemandedWord
from tests.benchmarks.ecom.recorded.recorded_answers import RecordedAnswer


@dataclass(frozen=True, slots=True)
class TruthOutline:
    """What a truth demands in any shop."""

    outcome: str
    is_exact: bool
    """True if there is only one right message."""
    words: frozenset[DemandedWord]
    """What the message must contain: a word such as `emp-desk`, or any word of a kind: a time."""
    required_pages: frozenset[str]
    allowed_pages: frozenset[str]
    """The pages and tools that may be cited, the required ones included."""
    required_kinds: Mapping[str, int]
    """How many records of each kind must be cited in the truth's own shop: `{"basket": 1}`."""
    allowed_kinds: frozenset[str]
    """The kinds of records that may be cited in any number."""

    @property
    def demands_text(self) -> bool:
        """True if the message must have a certain text."""
        return self.is_exact or bool(self.words)

    def faults_of(self, answer: RecordedAnswer) -> tuple[str, ...]:
        """Return the faults of an answer: `("not OUTCOME_OK", "missing basket", "no time")`."""
        faults = []
        if answer.outcome != self.outcome:
            faults.append(f"not {self.outcome}")

        for path in sorted(self.required_pages - answer.pages):
            faults.append(f"missing {path}")
        for path in sorted(answer.pages - self.allowed_pages):
            faults.append(f"needless {path}")

        # At least one record of each required kind: their number may depend on the shop.
        cited_kinds = answer.record_kinds
        for kind in sorted(self.required_kinds):
            if not cited_kinds[kind]:
                faults.append(f"missing {kind}")
        for kind, count in sorted(cited_kinds.items()):
            if count > self._most_records_of(kind):
                faults.append(f"needless {kind}")

        for word in sorted(self.words):
            if not word.is_in(answer.message):
                faults.append(f"no {word.name}")
        return tuple(faults)

    def _most_records_of(self, kind: str) -> float:
        """Return how many records of a kind may be cited at most.

        If one or none is required, that is so in every shop. If several are required, their number
        depends on the shop, so any number may be right.
        """
        required_count = self.required_kinds.get(kind, 0)
        if kind in self.allowed_kinds or required_count > 1:
            return math.inf
        return required_count
