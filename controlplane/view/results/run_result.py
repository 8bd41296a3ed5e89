"""The totals of a run, as `--json` and the list of runs show them.

docs/reference.md describes the form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.journal.totals.trial_summary import Spent

# Counts and costs by a name: of a role, such as `solve`, or of a gate.


@dataclass(frozen=True, slots=True)
class RoleResult:
    """The tokens and cost of the replies in one role."""

    replies: int
    tokens: int
    cost_usd: float | None


def role_results(by_role: Mapping[str, Spent]) -> dict[str, RoleResult]:
    """Return what the replies in each role took, in the order of the roles' names."""
    results = {}
    for role, spent in sorted(by_role.items()):
        results[role] = RoleResult(spent.replies, spent.tokens, spent.cost_usd)
    return results


def sorted_counts(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))


@dataclass(frozen=True, slots=True)
class FamilyResult:
    """The trials of one family of tasks."""

    trials: int
    mean_score: float | None
    unscored: int


@dataclass(frozen=True, slots=True)
class ShownRunResult:
    """The totals of a run, as `--json` and the list of runs show them."""

    run: str
    """The id of its journal."""
    name: str
    """The user's name for the run; empty without one."""
    run_id: str
    """The benchmark's id of the run."""
    journal: str
    """The path of its journal."""
    benchmark: str
    """NAME or NAME:ARGUMENT."""
    played: str
    """The benchmark with its options."""
    model: str
    state: str
    """The state at its benchmark: `running`, `pending` or `evaluated`."""
    submitted: bool
    ended: str
    """The state of the journal: how the run ended here, such as `finished` or `cut off`."""
    score: float | None
    """The run's score as the benchmark reports it."""
    mean_score: float | None
    """The mean of the known scores of its trials."""
    scale: list[float | None]
    """The lowest and the highest score; None for one without a bound."""
    metrics: dict[str, float]
    trials_total: int
    trials_over: int
    trials_scored: int
    trials_unscored: int
    """The number of trials that are over and have no score for good. They count as 0 in
    `--fail-under` and `compare`."""
    unscored: dict[str, int]
    """The reasons, with their numbers of trials."""
    families: dict[str, FamilyResult]
    tokens: int
    cost_usd: float | None
    cost_per_trial_usd: float | None
    cost_per_right_usd: float | None
    unpriced_replies: int
    """The number of replies whose cost is not known."""
    cached_share: float | None
    roles: dict[str, RoleResult]
    retries: int
    """The number of requests to a model that were sent again."""
    cached_replies: int
    """The number of replies that came from the folder of the setting `cache`."""
    rejections: dict[str, int]
    """The counts of `TrialResult.rejections` over all trials; `overridden` likewise."""
    overridden: dict[str, int]
    stopped_calls: Mapping[str, Mapping[str, float | None]]
    """Calls that the pre-call check stopped, by what happened to them next.

    For example, `{"repeated and sent": {"calls": 3, "mean_score": 0.67}}`.
    """
    held_calls: Mapping[str, Mapping[str, float | None]]
    """The same for calls that the setting `provenance` held back."""
    last_event_ms: int
    error: str

    @property
    def is_readable(self) -> bool:
        """True if the file could be read as a journal."""
        return self.ended not in (DAMAGED, NO_JOURNAL)


# The values of `ended` for files that cannot be read as journals.
DAMAGED = "damaged"
NO_JOURNAL = "no journal"
