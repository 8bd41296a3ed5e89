"""What replies of models took: tokens and dollars. What nobody knows the price of makes the sum unknown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from agent.events import ModelReplied


@dataclass(slots=True)
class Spent:
    """Sums over the replies of a trial or a run."""

    replies: int = 0
    tokens: int = 0
    """Of requests and replies."""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    """Of the requests, those that the provider's cache held."""
    known_usd: float = 0.0
    """What the replies with a known price cost."""
    unpriced: int = 0
    """Replies whose price nobody knows."""
    dearest_usd: float = 0.0
    """What the dearest reply cost."""
    most_tokens: int = 0
    """What the longest request and its reply took."""

    def add(self, replied: ModelReplied) -> None:
        """Count one reply."""
        cost_usd = replied.known_cost_usd
        self.replies += 1
        self.tokens += replied.tokens
        self.prompt_tokens += replied.usage.prompt_tokens
        self.cached_tokens += replied.usage.cached_tokens
        self.known_usd += cost_usd or 0.0
        self.unpriced += cost_usd is None
        self.dearest_usd = max(self.dearest_usd, cost_usd or 0.0)
        self.most_tokens = max(self.most_tokens, replied.tokens)

    @property
    def cost_usd(self) -> float | None:
        """What all replies cost; None if the price of one is unknown."""
        return None if self.unpriced else self.known_usd

    @property
    def cached_share(self) -> float | None:
        """The share of the requests' tokens that the provider's cache held; None without requests."""
        return self.cached_tokens / self.prompt_tokens if self.prompt_tokens else None


def total(spent: Iterable[Spent]) -> Spent:
    """Return the sum of what was spent."""
    whole = Spent()
    for each in spent:
        whole.replies += each.replies
        whole.tokens += each.tokens
        whole.prompt_tokens += each.prompt_tokens
        whole.cached_tokens += each.cached_tokens
        whole.known_usd += each.known_usd
        whole.unpriced += each.unpriced
        whole.dearest_usd = max(whole.dearest_usd, each.dearest_usd)
        whole.most_tokens = max(whole.most_tokens, each.most_tokens)
    return whole
