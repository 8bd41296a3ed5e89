"""The replies of models in one step: which one it carries out, and what they cost together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from controlplane.agent.events import ModelReplied
from controlplane.agent.model import Usage


def reply_fields(replies: Sequence[ModelReplied]) -> dict[str, Any]:
    """Return the fields of `StepDone` that come from the replies of the step.

    {"reply": "...", "usage": Usage(prompt_tokens=900), "cost_usd": 0.02}
    """
    known_costs = [reply.cost_usd for reply in replies if reply.cost_usd is not None]
    return {
        "reply": last_reply(replies),
        "usage": sum_of_usage([reply.usage for reply in replies]),
        "cost_usd": sum(known_costs) if known_costs else None,
    }


def last_reply(replies: Sequence[ModelReplied]) -> str:
    """Return the last reply in the role `solve`, or the last of all if none has it."""
    solve_replies = [reply for reply in replies if reply.role == "solve"]
    candidates = solve_replies or replies
    return candidates[-1].reply if candidates else ""


def sum_of_usage(usages: Iterable[Usage]) -> Usage:
    """Return the sums of all counts. They are `estimated` if one of them is."""
    sums = Usage()
    for usage in usages:
        sums = Usage(
            prompt_tokens=sums.prompt_tokens + usage.prompt_tokens,
            completion_tokens=sums.completion_tokens + usage.completion_tokens,
            cached_tokens=sums.cached_tokens + usage.cached_tokens,
            reasoning_tokens=sums.reasoning_tokens + usage.reasoning_tokens,
            estimated=sums.estimated or usage.estimated,
        )
    return sums
