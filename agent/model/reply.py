"""The reply of a model: its text and its tool calls, its tokens and its cost.

A user's own model returns `Reply(text="...")`. All other fields are optional. The journal records
most of them, so these are in `ReplyFields`, which the recorded event has, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NotRequired, TypeAlias, TypedDict

from pydantic import InstanceOf, SkipValidation

from controlplane.agent.model.reply_part import (
    Amount,
    Frozen,
    ModelTool,
    ReplyPart,
    ToolCall,
    Usage,
)

# The forms in which a model may be asked for an *action*: the script to run, and remarks.
#
# | mode | the model is asked for | what makes it keep to that |
# |---|---|---|
# | `schema` | `{"state": "...", "code": "..."}` | the endpoint, by a JSON schema |
# | `tool` | a call `execute_script(state="...", code="...")` | the endpoint, as it calls a tool |
# | `json` | a JSON object | the endpoint, but not which fields it has |
# | `text` | a JSON object | nothing but the prompt |


class ReplyMode(StrEnum):
    """The form in which a model is asked for an action."""

    SCHEMA = "schema"
    """JSON text, which the endpoint constrains by a schema."""
    TOOL = "tool"
    """The arguments of the single tool `execute_script`."""
    JSON = "json"
    """JSON text, without a schema."""
    TEXT = "text"
    """Plain text, which should be JSON."""


# What one model accepts in a request at one endpoint, as far as it is known.
#
# OpenAI-compatible endpoints differ: one refuses tools, another `max_tokens`. What was refused once
# is not sent again: `Capabilities(..., takes_tools=False, refused=("seed",))`.


class Capabilities(Frozen):
    """Request features that one model accepts at one endpoint.

    A feature counts as accepted until the endpoint refuses it.
    """

    endpoint: str
    """The address, without the parts that may be secret."""
    model: str
    """The model's id there."""
    takes_schema: bool = True
    """It can constrain a reply by a JSON schema."""
    takes_strict: bool = True
    """It accepts the flag `strict` with a JSON schema."""
    takes_bounds: bool = True
    """It accepts bounds on lengths in a JSON schema."""
    takes_json: bool = True
    """It can constrain a reply to a JSON object."""
    takes_tools: bool = True
    """It accepts tools."""
    takes_named_tool: bool = True
    """A request can force it to call a given tool."""
    takes_required_tool: bool = True
    """A request can force it to call some tool."""
    length_field: str = "max_tokens"
    """The parameter that limits a reply's tokens; empty if the endpoint accepts no limit."""
    refused: tuple[str, ...] = ()
    """Other parameters that it refused, in the order of the refusals."""

    def takes_mode(self, mode: ReplyMode) -> bool:
        """Return True unless the endpoint has refused a mode, in which replies are asked for."""
        match mode:
            case ReplyMode.SCHEMA:
                return self.takes_schema
            case ReplyMode.TOOL:
                return self.takes_tools
            case ReplyMode.JSON:
                return self.takes_json
            case ReplyMode.TEXT:
                return True


# The messages of a conversation with a model. A message is a dictionary:
#
# | role | message |
# |---|---|
# | of the user | `{"role": "user", "content": "Which loans are overdue?"}` |
# | of the model | `{"role": "assistant", "content": "", "tool_calls": [ToolCall(name="find", ...)]}` |
# | of the tool | `{"role": "tool", "content": "l-7, l-9", "tool_call_id": "call_1"}` |

Thought: TypeAlias = dict[str, Any]
"""One item of a model's thinking. It goes back to the endpoint exactly as the endpoint sent it."""


class Message(TypedDict):
    """One message of a conversation. `role` is system, user, assistant or tool."""

    role: str
    content: str
    tool_calls: NotRequired[Sequence[ToolCall]]
    """The calls that an assistant made."""
    tool_call_id: NotRequired[str]
    """The id of the call whose result a tool's message holds."""
    thinking: NotRequired[Sequence[Thought]]
    """An assistant's `Reply.thinking`. It is sent back if the endpoint's protocol asks for it."""


# A request to a model: the conversation, and the form of the reply.
#
# | form of the reply | fields |
# |---|---|
# | free text | none |
# | JSON | `schema={"properties": {"state": ..., "code": ...}, ...}` |
# | calls of tools | `tools=(Tool(name="read", ...),)`, `tool_choice="required"` |


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to a model. The trial's session fills in the fields from `task_id` on."""

    messages: Sequence[Message]
    role: str = "solve"
    """What the reply is for, such as `solve` for the next step of a solver,
    or `grade` for a grader. The settings may name a model for each role
    (`--role ROLE=PROFILE`)."""
    schema: Mapping[str, object] | None = None
    """The JSON schema of the reply's text; `{}` for any JSON object, None for plain text."""
    tools: Sequence[ModelTool] = ()
    """The tools that the model may call."""
    tool_choice: str | None = None
    """The tool to call: None for the model's own choice,
    `required` for any tool, or a tool's name."""
    min_temperature: float | None = None
    """The lowest allowed temperature, even if the
    settings are lower; None for the settings' own."""
    task_id: str = ""
    """The id of the asking trial's task; empty outside of a trial."""
    trial_id: str = ""
    """The id of the asking trial; empty outside of a trial."""
    try_number: int = 1
    """The number of the asking trial among those of its task,
    from 1. A cache keeps separate replies for each number."""
    deadline: float = math.inf
    """The end of the trial's time, by `time.monotonic`.
    A request still open at that moment is cut off."""
    permit: ReplyPermit | None = None
    """Allows one reply to this request; None outside of a session."""


@dataclass(slots=True)
class ReplyPermit:
    """Allows one reply to a request of a trial: `use()` is True once, and False from then on.

    The session of a trial counts one reply for each request, and gives the request a permit.
    Whatever sends the request uses the permit first, and sends nothing if that is False. So a
    solver that keeps a request cannot get a second reply, which nobody would count.
    """

    is_used: bool = False

    def use(self) -> bool:
        """Use the permit. Return False if it was used before."""
        was_used = self.is_used
        self.is_used = True
        return not was_used


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
