"""Requests to models and their replies, as events, and what a step tells of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, TypedDict

from pydantic import BeforeValidator, SkipValidation

from agent.events.call_records import SaidMessage, Text
from agent.events.event import TrialEvent
from agent.model.capabilities import Capabilities
from agent.model.model_protocol import Thought, ToolCall, Usage


def _as_messages(texts: object) -> object:
    """Return the messages of a request; older journals hold pairs of role and content."""
    if not isinstance(texts, list | tuple):
        return texts
    return [{"role": each[0], "content": each[1]} if isinstance(each, list | tuple) else each for each in texts]


class ModelAsked(TrialEvent):
    """A request to the model is about to be sent."""

    type: Literal["model_asked"] = "model_asked"
    step: int
    """The step that the reply will be."""
    messages: int
    """How many messages the request holds."""
    role: str = "solve"
    """What the model is asked for."""
    texts: Annotated[tuple[SaidMessage, ...], BeforeValidator(_as_messages)] = ()
    """The messages; empty if they are those of the conversation so far."""


class ModelReplied(TrialEvent):
    """The model's reply is here; its script, if it holds one, has not run yet."""

    type: Literal["model_replied"] = "model_replied"
    step: int
    """The step that this reply is for."""
    number: int = 0
    """Counts the step's replies, from 0."""
    role: str = "solve"
    """What the model was asked for."""
    reply: Text
    """The raw text, or the raw arguments of the tool call."""
    tool_call: bool = False
    """It came as the arguments of the tool `execute_script`."""
    finish_reason: str = "stop"
    """The endpoint's word for why it ended; `length` for one that was cut off, `content_filter` for one withheld."""
    native_finish_reason: str = ""
    """The vendor's own word for it, if it is another."""
    reply_mode: str = ""
    """The form that was asked for: `schema`, `tool`, `json` or `text`; empty if the model has none to choose."""
    tool_calls: tuple[ToolCall, ...] = ()
    """The calls of other tools than `execute_script`."""
    reasoning: Text = ""
    """What the endpoint shows of its reasoning."""
    thinking: tuple[SkipValidation[Thought], ...] = ()
    """Its thinking as it goes back to the endpoint with the next request; empty if the protocol asks for none."""
    provider: str = ""
    """Who served it behind a gateway; empty if the endpoint does not say."""
    cached: bool = False
    """It is from the cache of replies: it cost nothing, and its tokens are 0."""
    usage: Usage = Usage()
    """Tokens of the call."""
    cost_usd: float | None = None
    """USD that it cost; null if nobody knows."""
    cost_source: str = ""
    """Who says so: `vendor`, `profile` (the owner's prices) or `genai-prices`; empty if nobody does."""
    elapsed_ms: float = 0.0
    """Wall-clock milliseconds, retries included."""

    @property
    def tokens(self) -> int:
        """Tokens of request and reply."""
        return self.usage.prompt_tokens + self.usage.completion_tokens

    @property
    def known_cost_usd(self) -> float | None:
        """USD that it cost: 0 if no endpoint was asked (a script, a player by rules); None if nobody knows."""
        is_free = not (self.reply_mode or self.tokens)
        return 0.0 if self.cost_usd is None and is_free else self.cost_usd


class EndpointLearned(TrialEvent):
    """A request was refused for its form, and what the endpoint takes is known better; the rest of the run uses it."""

    type: Literal["endpoint_learned"] = "endpoint_learned"
    capabilities: Capabilities
    """All that is known of the endpoint."""


class Told(TypedDict):
    """Fields of `StepDone` that its replies tell."""

    reply: str
    usage: Usage
    cost_usd: float | None


def told_by(replies: Sequence[ModelReplied]) -> Told:
    """Return what a step's replies tell: the last text in the role `solve`, else the last; usage and cost of all."""
    if len(replies) == 1:
        return {"reply": replies[0].reply, "usage": replies[0].usage, "cost_usd": replies[0].cost_usd}
    usage = {name: sum(getattr(each.usage, name) for each in replies) for name in Usage.model_fields}
    costs = [each.cost_usd for each in replies if each.cost_usd is not None]
    told = [each.reply for each in replies if each.role == "solve"] or [each.reply for each in replies]
    return {
        "reply": told[-1] if told else "",
        "usage": Usage(**usage),
        "cost_usd": sum(costs) if costs else None,
    }
