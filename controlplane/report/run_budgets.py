"""The limits of a run, and how much of each is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controlplane.journal.totals.run_summary import RunSummary
from controlplane.quantity_texts import cost_text, span_text, tokens_text


@dataclass(frozen=True, slots=True)
class Budget:
    """One limit of a run, with its amounts as texts such as `$1.20`."""

    name: str
    used: str
    limit: str
    remaining: str
    share: float
    """The share of the limit that is used, 0 to 1."""


def budgets_of(summary: RunSummary) -> list[Budget]:
    """Return the limits of a run that its settings set."""
    amounts = (
        _Amount("run_cost", summary.spent.known_usd, cost_text),
        _Amount("max_tokens_run", summary.spent.tokens, _tokens_text),
        _Amount("run_time", summary.process.wall_ms / 1000, _seconds_text),
    )
    budgets = []
    for amount in amounts:
        limit = _limit(summary, amount.name)
        if limit is not None:
            budgets.append(amount.budget(limit))
    return budgets


@dataclass(frozen=True, slots=True)
class _Amount:
    """What a run has used of something that may be limited."""

    name: str
    used: float
    shown: Callable[[float], str]
    """Returns an amount with its unit."""

    def budget(self, limit: float) -> Budget:
        return Budget(
            name=self.name,
            used=self.shown(self.used),
            limit=self.shown(limit),
            remaining=self.shown(max(limit - self.used, 0)),
            share=min(self.used / limit, 1.0),
        )


def _limit(summary: RunSummary, name: str) -> float | None:
    """Return the limit that a run's setting sets; None if it sets none."""
    assert summary.opened is not None
    limit = summary.opened.setting(name)
    if isinstance(limit, int | float) and limit > 0:
        return limit
    return None


def _tokens_text(tokens: float) -> str:
    return tokens_text(int(tokens))


def _seconds_text(seconds: float) -> str:
    return span_text(seconds * 1000)
