"""What the summary of a step says about its replies: the last one, and the cost of all.

A step usually has one reply, which it carries out. If a solver also asks other models, there
are several.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from controlplane.agent.events import ModelReplied
from controlplane.agent.model import Usage


def reply_fields(replies: Sequence[ModelReplied]) -> dict[str, Any]:
    """Return the fields of a step's summary, `StepDone`, that come from its replies.

    {"reply": "...", "usage": Usage(prompt_tokens=900), "cost_usd": 0.02}

    The cost is None if it is known of none of the replies.
    """
    known_costs = [reply.cost_usd for reply in replies if reply.cost_usd is not None]
    return {
        "reply": last_reply(replies),
        "usage": sum_of_usage([reply.usage for reply in replies]),
        "cost_usd": sum(known_costs) if known_costs else None,
    }


def last_reply(replies: Sequence[ModelReplied]) -> str:
    """Return the text of the last reply in the role `solve`; empty if there is no reply.

    If no reply has this role, it is the last of all.
    """
    solve_replies = [reply for reply in replies if reply.role == "solve"]
    candidates = solve_replies or replies
    return candidates[-1].reply if candidates else ""


def sum_of_usage(usages: Iterable[Usage]) -> Usage:
    """Return the sums of all counts of tokens. The sum is `estimated` if one of them is."""
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
