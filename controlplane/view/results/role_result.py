"""Counts and costs by a name: of a role, such as `solve`, or of a gate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.journal.totals.spending_totals import Spent


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
