"""What an improvement loop may spend."""

from __future__ import annotations

import math
import time
from typing import Final, NamedTuple

from controlplane.agent.limits.spending import PRICE_REMEDY, UNPRICED
from controlplane.configuration.model_settings import Use
from controlplane.configuration.run_settings import RunSettings, settings_with
from controlplane.errors import BudgetExhausted
from controlplane.improving.loop_record import LoopRecord

LIMITS: Final = tuple(
    name for name in settings_with(Use.SPENDING) if name != "trial_cost"
)
"""The settings that limit a loop. They can be changed when it is resumed."""


class _LoopSpending(NamedTuple):
    """What all runs and proposals of a loop have spent together."""

    cost_usd: float | None
    """None if the cost of a part is unknown."""
    tokens: int


class LoopBudget:
    """The limits of a loop, which cover its runs and its proposals together.

    They are the settings `run_cost`, `run_tokens` and `run_time`, which for a single run would
    limit only that.
    """

    def __init__(self, record: LoopRecord, settings: RunSettings) -> None:
        self._record = record
        self._settings = settings
        self._began = time.monotonic()

    def spent(self) -> _LoopSpending:
        """Return the cost and the tokens of all runs and proposals."""
        runs = self._record.journals.spent()
        costs = [runs.cost_usd]
        tokens = runs.tokens
        for proposal in self._record.proposals:
            costs.append(proposal.cost_usd)
            tokens += proposal.tokens
        known_costs = [cost for cost in costs if cost is not None]
        if len(known_costs) < len(costs):
            return _LoopSpending(None, tokens)
        return _LoopSpending(math.fsum(known_costs), tokens)

    def remaining(self, reserve: float = 0.0) -> dict[str, float]:
        """Return what is left of each limit, by the name of its setting.

        `reserve` keeps something back for later, as a multiple of what was spent so far.
        For example, if the limit is 100, 40 are spent, and the reserve is 0.5, then 20
        are kept back and 40 are left.

        Raises `BudgetExhausted` if the cost is limited but unknown.
        """
        spent = self.spent()
        if self._settings.run_cost is not None and spent.cost_usd is None:
            msg = f"{UNPRICED}, so --run-cost cannot be kept; {PRICE_REMEDY}"
            raise BudgetExhausted(msg)
        amounts = {
            "run_cost": spent.cost_usd or 0.0,
            "run_tokens": spent.tokens,
            "run_time": time.monotonic() - self._began,
        }
        remaining = {}
        for name, amount in amounts.items():
            limit = getattr(self._settings, name)
            if limit is not None:
                remaining[name] = limit - amount - amount * reserve
        return remaining

    def is_used_up(self, reserve: float = 0.0) -> bool:
        """Return True if nothing is left of at least one limit.

        `reserve` is kept back, as in `remaining`.
        """
        return any(amount <= 0 for amount in self.remaining(reserve).values())
