"""The reply of a model: its text and its tool calls, its tokens and its cost.

A user's own model returns `Reply(text="...")`. All other fields are optional. The journal records
most of them, so these are in `ReplyFields`, which the recorded event has, too.
"""

from __future__ import annotations

from pydantic import InstanceOf, SkipValidation

from controlplane.agent.model.capabilities import Capabilities
from controlplane.agent.model.immutable_data import Amount, Frozen
from controlplane.agent.model.messages import Thought
from controlplane.agent.model.reply_part import ReplyPart
from controlplane.agent.model.tool import ToolCall
from controlplane.agent.model.usage import Usage


class ReplyFields(Frozen):
    """The fields that a reply shares with the event that records it in the journal."""

    tool_calls: tuple[ToolCall, ...] = ()
    """The calls of tools, in order."""
    # pydantic refuses a `str` with lone surrogates, but not an `InstanceOf[str]`.
    reasoning: InstanceOf[str] = ""
    """The part of the model's reasoning that the endpoint shows, unchanged."""
    thinking: tuple[SkipValidation[Thought], ...] = ()
    """The model's thinking in the endpoint's own form, unchanged. It goes back to the endpoint
    with the next request; empty if the protocol needs none."""
    usage: Usage = Usage()
    """Tokens of the request and the reply."""
    finish_reason: str = "stop"
    """Why the reply ended: `stop`, `length` if it was cut off, `content_filter` if it was
    withheld, or another word of the endpoint."""
    native_finish_reason: str = ""
    """The vendor's own reason for the end, if that differs from `finish_reason`."""
    cost_usd: Amount | None = None
    """Cost in USD; null if it is unknown."""
    cost_source: str = ""
    """Where the cost comes from: `vendor` (the endpoint reports it), `profile` (the user's
    prices), `genai-prices` (the vendor's public price), or `list price` (that of the model's
    maker, because a gateway has no public price); empty if the cost is unknown."""
    provider: str = ""
    """The provider behind a gateway; empty if the endpoint does not say."""
    reply_mode: str = ""
    """The requested form: `schema`, `tool`, `json` or `text`; empty if the model offers no
    choice."""
    cached: bool = False
    """True if the reply comes from the cache. Its cost and its tokens are then 0."""


class Reply(ReplyFields, ReplyPart):
    """What a model replied to one request."""

    text: str
    learned: Capabilities | None = None
    """What the endpoint accepts in requests, if this request showed something new; else None."""
    notices: tuple[str, ...] = ()
    """Remarks for the user about the request, one line each."""
