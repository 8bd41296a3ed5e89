"""Pairs of trials, one of each compared run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.run_comparison.results import Pairing

_WorldKey: TypeAlias = tuple[str, int]
"""A task and the number of its world; the number is 0 if tasks are compared across worlds."""
Worlds: TypeAlias = dict[_WorldKey, list[TrialSummary]]
"""The trials of a run by world."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A trial of each run, in the same world or at least of the same task."""

    first: TrialSummary
    second: TrialSummary

    @property
    def is_over(self) -> bool:
        return self.first.is_over and self.second.is_over

    @property
    def has_scores(self) -> bool:
        """True if both trials count: they have scores, or are over without one and count as 0."""
        return (
            self.first.counted_score is not None
            and self.second.counted_score is not None
        )

    @property
    def lacks_score(self) -> bool:
        """True if a trial of it has no score."""
        return self.first.own_score is None or self.second.own_score is None

    @property
    def lost_score(self) -> bool:
        """True if the trial of the first run has a score, and that of the second has none."""
        return self.first.own_score is not None and self.second.own_score is None


@dataclass(frozen=True, slots=True)
class TrialPairs:
    """The pairs of two runs, or some of them. A pair has a trial of each run, of the same task."""

    pairs: Sequence[Pair]

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def first(self) -> list[TrialSummary]:
        """The trials of the first run, without duplicates."""
        return _distinct([pair.first for pair in self.pairs])

    @property
    def second(self) -> list[TrialSummary]:
        """The trials of the second run, without duplicates."""
        return _distinct([pair.second for pair in self.pairs])

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks of the pairs, without duplicates."""
        return tuple(dict.fromkeys(pair.first.task for pair in self.pairs))

    @property
    def over(self) -> TrialPairs:
        """The pairs whose trials are both over."""
        return TrialPairs([pair for pair in self.pairs if pair.is_over])

    @property
    def scored(self) -> TrialPairs:
        """The pairs whose trials both count."""
        return TrialPairs([pair for pair in self.pairs if pair.has_scores])

    @property
    def without_score(self) -> TrialPairs:
        """The pairs in which a score is missing."""
        return TrialPairs([pair for pair in self.pairs if pair.lacks_score])

    @property
    def counted_as_0(self) -> TrialPairs:
        """Those of the pairs without a score that count all the same."""
        return TrialPairs([pair for pair in self.scored.pairs if pair.lacks_score])

    @property
    def lost_scores(self) -> TrialPairs:
        """The pairs in which only the score of the second run is missing."""
        return TrialPairs([pair for pair in self.pairs if pair.lost_score])

    def by_task(self) -> dict[str, TrialPairs]:
        """Return the pairs of each task, in the order of their first pairs."""
        by_task: dict[str, list[Pair]] = {}
        for pair in self.pairs:
            by_task.setdefault(pair.first.task, []).append(pair)
        return {task: TrialPairs(pairs) for task, pairs in by_task.items()}


def _distinct(trials: Sequence[TrialSummary]) -> list[TrialSummary]:
    """Return the trials without duplicates, since a trial may be in several pairs.

    Only the same object is a duplicate: two trials could have equal values by chance.
    """
    by_identity = {id(trial): trial for trial in trials}
    return list(by_identity.values())


def worlds_of(trials: Sequence[TrialSummary], pairing: Pairing) -> Worlds:
    """Return the trials by world, or by task if `pairing` is "task"."""
    worlds: Worlds = {}
    for trial in trials:
        key = (trial.task, 0) if pairing == "task" else trial.world
        worlds.setdefault(key, []).append(trial)
    return worlds


def pairs_of(first: Worlds, second: Worlds) -> TrialPairs:
    """Return the pairs of the worlds that both runs have.

    If one run has fewer tries, they are used again. For example, the tries a, b and the
    tries x, y, z make the pairs (a, x), (b, y), (a, z).
    """
    pairs = []
    for key, tries in first.items():
        other_tries = second.get(key, [])
        if not other_tries:
            continue
        for index in range(max(len(tries), len(other_tries))):
            trial = tries[index % len(tries)]
            other_trial = other_tries[index % len(other_tries)]
            pairs.append(Pair(trial, other_trial))
    return TrialPairs(pairs)


def unpaired(first: Worlds, second: Worlds) -> tuple[str, ...]:
    """Return the worlds or tasks that only one run played, as `loan.1` or `loan.1 try 2`."""
    names = []
    for task, number in sorted(first.keys() ^ second.keys()):
        names.append(f"{task} try {number + 1}" if number else task)
    return tuple(names)
