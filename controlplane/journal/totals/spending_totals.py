"""What replies of models cost in total."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from controlplane.agent.events import ModelReplied


@dataclass(slots=True)
class Spent:
    """What the model replies of a trial or a run cost in total."""

    replies: int = 0
    tokens: int = 0
    """Tokens of requests and replies."""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    """Tokens of requests that the provider read from its cache."""
    known_usd: float = 0.0
    """Cost of the replies whose price is known, in USD."""
    unpriced: int = 0
    """Replies of unknown price."""
    dearest_usd: float = 0.0
    """Cost of the most expensive reply."""
    most_tokens: int = 0
    """Tokens of the longest request with its reply."""
    is_estimated: bool = False
    """True if the tokens of at least one reply are an estimate."""

    @classmethod
    def on(cls, replied: ModelReplied) -> Spent:
        """Return what one reply cost."""
        usage = replied.usage
        cost_usd = replied.known_cost_usd
        return cls(
            replies=1,
            tokens=replied.tokens,
            prompt_tokens=usage.prompt_tokens,
            cached_tokens=usage.cached_tokens,
            known_usd=cost_usd or 0.0,
            unpriced=1 if cost_usd is None else 0,
            dearest_usd=cost_usd or 0.0,
            most_tokens=replied.tokens,
            is_estimated=usage.estimated,
        )

    def add(self, other: Spent) -> None:
        """Add the totals of `other` to these."""
        self.replies += other.replies
        self.tokens += other.tokens
        self.prompt_tokens += other.prompt_tokens
        self.cached_tokens += other.cached_tokens
        self.known_usd += other.known_usd
        self.unpriced += other.unpriced
        self.dearest_usd = max(self.dearest_usd, other.dearest_usd)
        self.most_tokens = max(self.most_tokens, other.most_tokens)
        self.is_estimated = self.is_estimated or other.is_estimated

    @property
    def cost_usd(self) -> float | None:
        """Cost of all replies; None if the price of one is unknown."""
        if self.unpriced:
            return None
        return self.known_usd

    @property
    def cached_share(self) -> float | None:
        """Cached tokens as a share of all request tokens; None if there were no requests."""
        if not self.prompt_tokens:
            return None
        return self.cached_tokens / self.prompt_tokens


def total(spent: Iterable[Spent]) -> Spent:
    """Return the sum of several totals."""
    whole = Spent()
    for part in spent:
        whole.add(part)
    return whole
