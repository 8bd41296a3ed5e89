"""The tokens of a reply, read from the *usage* that the endpoint of a model reports.

    tokens_of({"prompt_tokens": 100, "completion_tokens": 50})
    == Tokens(prompt=100, completion=50, cached=0, reasoning=0)

Vendors count differently; these four numbers mean the same for all of them.
"""

from dataclasses import dataclass

from controlplane.agent.endpoint.response_reading import usage_of


@dataclass(frozen=True)
class Tokens:
    """The tokens that a report means."""

    prompt: int
    """All tokens of the request, cached ones included."""
    completion: int
    """All tokens of the reply, reasoning included."""
    cached: int = 0
    reasoning: int = 0


def tokens_of(report: object) -> Tokens:
    """Return the tokens that are read from a report."""
    usage = usage_of(report).usage
    return Tokens(
        prompt=usage.prompt_tokens,
        completion=usage.completion_tokens,
        cached=usage.cached_tokens,
        reasoning=usage.reasoning_tokens,
    )
