"""What a run may spend, and what its earlier processes have spent.

`--run-cost 10 --run-time 3600` is `SpendingLimits(cost_usd=10.0, time_s=3600.0)`. If the run is
killed after $6 and resumed, its new process begins with `EarlierSpending(cost_usd=6.0, ...)`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """The limits of all trials of a run together. None means no limit."""

    cost_usd: float | None = None
    tokens: int | None = None
    time_s: float | None = None
    """Wall-clock seconds from the start of the run's main process."""

    @property
    def has_amount_limit(self) -> bool:
        """True if dollars or tokens are limited. Then requests may have to wait for replies."""
        return self.cost_usd is not None or self.tokens is not None


@dataclass(frozen=True, slots=True)
class EarlierSpending:
    """What the earlier processes of a resumed run have spent."""

    cost_usd: float
    tokens: int
    dearest_usd: float = 0.0
    """The cost of their dearest reply, to expect as much of the next one."""
    most_tokens: int = 0
    """The tokens of their longest reply."""
