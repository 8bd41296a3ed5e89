"""A reply of a model outside of the solver's conversation: to a *side request*.

For example, a grader asked a model to score the answer, a benchmark asked one to play the user,
or a second reader was asked for objections. A resumed trial finds the reply by the request:

    SideReply(texts=(SaidMessage("user", "Is 7 EUR right?"),), replied=ModelReplied(reply="yes"))
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import ModelReplied, SaidMessage


@dataclass(slots=True)
class SideReply:
    """A reply outside of the solver's conversation, with the request that it answers."""

    texts: tuple[SaidMessage, ...]
    """The messages of the request."""
    replied: ModelReplied
    """The event with the reply."""
