"""The events of a request to a model: it is sent, and its reply arrives.

In most trials, each step has one of each. Other requests, such as those of a grader, have
another `role`:

    model_asked    step 3  role solve  messages 7
    model_replied  step 3  role solve  reply {"code": "print(4)"}  cost_usd 0.02
"""

from __future__ import annotations

from typing import Annotated, Literal

from controlplane.agent.events.event import StepEvent
from controlplane.agent.events.record import VARIES_BY_RUN, Text
from controlplane.agent.events.said_message import SaidMessage
from controlplane.agent.model import Amount, Count, ReplyFields


class ModelAsked(StepEvent):
    """A request to the model is about to be sent."""

    in_totals = True  # The summary of a run counts it.

    type: Literal["model_asked"] = "model_asked"
    messages: Count
    """Number of messages in the request."""
    role: str = "solve"
    """The kind of reply that the model is asked for."""
    texts: tuple[SaidMessage, ...] = ()
    """The messages; empty if they are those of the conversation so far."""


class ModelReplied(ReplyFields, StepEvent):
    """The model's reply has arrived; its script, if it has one, has not run yet.

    `ReplyFields` has further fields of the reply, such as its tokens and its cost.
    """

    in_step_record = True  # A resumed trial reads it.
    in_totals = True  # The summary of a run counts it.

    type: Literal["model_replied"] = "model_replied"
    number: Count = 0
    """Counts the step's replies, from 0."""
    role: str = "solve"
    """The kind of reply that the model was asked for."""
    reply: Text
    """The raw text, or the raw arguments of the tool call `execute_script`."""
    tool_call: bool = False
    """True if `reply` has such arguments. `tool_calls` then has only the other calls."""
    elapsed_ms: Annotated[Amount, VARIES_BY_RUN] = 0.0
    """Wall-clock milliseconds, retries included."""

    @property
    def tokens(self) -> int:
        """Tokens of request and reply."""
        return self.usage.prompt_tokens + self.usage.completion_tokens

    @property
    def known_cost_usd(self) -> float | None:
        """The cost in USD: 0 for a reply of the cache, a file or a program. None if unknown."""
        if self.cost_usd is not None:
            return self.cost_usd
        if self.cached or not self.is_from_endpoint:
            return 0.0
        return None

    @property
    def is_from_endpoint(self) -> bool:
        """True if an endpoint sent the reply, and not a file or a program.

        No field says so, but those have no tokens, and are asked in no mode, such as `json`.
        """
        return bool(self.reply_mode) or self.tokens > 0
