"""Groups failed trials by the grader's words, without the ids and numbers in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from controlplane.report.fault_kinds import kind_of_fault
from controlplane.report.trial_facts import TrialFacts, has_failed
from controlplane.terminal_text import one_line

SILENT: Final = "the grader gave no reason"


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed trial with the grader's exact words, or with why it has no answer."""

    trial: TrialFacts
    words: str


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Failures with the same words, apart from ids, numbers, paths and quotations."""

    title: str
    failures: tuple[Failure, ...]
    trials_by_run: tuple[int, ...]
    """Number of distinct trials of each run."""

    @property
    def trials(self) -> int:
        """Number of distinct trials."""
        return sum(self.trials_by_run)


def failure_groups(trials: Iterable[TrialFacts], run_count: int) -> list[FailureGroup]:
    """Return the groups, the largest first. A trial with several faults is in several groups.

    The trials belong to `run_count` runs.
    """
    failures_by_kind: dict[str, list[Failure]] = {}
    for trial in trials:
        if not has_failed(trial):
            continue
        for fault in trial.faults or (SILENT,):
            words = one_line(fault)
            failures_by_kind.setdefault(kind_of_fault(words), []).append(
                Failure(trial, words)
            )

    groups = []
    for kind, failures in failures_by_kind.items():
        title = kind
        if len(failures) == 1:
            title = failures[0].words  # A single fault needs no ellipsis.
        groups.append(
            FailureGroup(title, tuple(failures), _trials_by_run(failures, run_count))
        )
    return sorted(groups, key=lambda group: (-group.trials, group.title))


def _trials_by_run(failures: Iterable[Failure], run_count: int) -> tuple[int, ...]:
    """Return for each run the number of its trials with one of these failures."""
    trials_of_runs: list[set[str]] = [set() for _ in range(run_count)]
    for failure in failures:
        # A trial with two of the failures counts once. The anchor (the part of the page's
        # address behind #) identifies it.
        trials_of_runs[failure.trial.run].add(failure.trial.anchor)
    return tuple(len(anchors) for anchors in trials_of_runs)
