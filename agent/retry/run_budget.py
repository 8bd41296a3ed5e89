"""What all trials of a run spend together. In a worker of a cluster, it asks the run's own."""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.retry.retry_policy import RetryBudget
from agent.retry.spending import Spending

UNSET_RETRIES = 1000


@dataclass(frozen=True, slots=True)
class RunBudget:
    """The bounds that hold for a run as a whole, each with what is left of it. Used from many threads at once."""

    retries: RetryBudget = field(default_factory=lambda: RetryBudget(UNSET_RETRIES))
    """Retries of requests to the model that all trials have together, beyond one for every reply."""
    spending: Spending = field(default_factory=Spending)
    """Dollars, tokens and seconds."""
