"""The reply of a model, with its parts, and how requests and replies are typed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Final, NotRequired, TypeAlias, TypedDict

from pydantic import BaseModel, ConfigDict, Field, InstanceOf, SkipValidation

from controlplane.sandbox.interface import bounds

# The base class of the parts of a reply, which a user's own model creates.
#
# A wrong call such as `Reply("yes")` is a mistake in the user's program, so its error should help
# like one of Python: `Reply takes its values by name, and needs text. Its fields are ...`. pydantic
# would raise a `ValidationError`, as for wrong data.

# Base classes of immutable data. They differ in what they do with an unknown field.
#
# | class | for data | an unknown field |
# |---|---|---|
# | `Frozen` | of the product itself | raises `ValidationError` |
# | `Received` | that an outside program sends | is ignored |
#
# A third one, `_ReplyPart`, is for data that a user's program creates.

Count: TypeAlias = Annotated[int, Field(ge=0, le=bounds.MOST_NUMBER)]
Amount: TypeAlias = Annotated[float, Field(ge=0, le=bounds.MOST_NUMBER)]


class Frozen(BaseModel):
    """Immutable data that accepts only its declared fields. Others raise `ValidationError`."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Received(BaseModel):
    """Data that an outside program sends. Unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class _ReplyPart(Frozen):
    """Immutable data that a user's program creates: `Reply(text="yes")`."""

    def __init__(self, *values: object, **fields: Any) -> None:
        """Raise `TypeError` for positional values, and for unknown or missing fields."""
        model_fields = type(self).model_fields
        missing: list[str] = []
        for name, field_info in model_fields.items():
            if field_info.is_required() and name not in fields:
                missing.append(name)
        unknown = [name for name in fields if name not in model_fields]

        faults: list[str] = []
        if values:
            faults.append("takes its values by name")
        if missing:
            faults.append(f"needs {', '.join(missing)}")
        if unknown:
            faults.append(f"has no {', '.join(unknown)}")
        if faults:
            msg = (
                f"{type(self).__name__} {', and '.join(faults)}. "
                f"Its fields are {', '.join(model_fields)}"
            )
            raise TypeError(msg)
        super().__init__(**fields)

    # `model_validate` must not call this `__init__`: in data from files and endpoints, a wrong
    # field is not a mistake of the user's program. pydantic skips an `__init__` with this mark.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined] # set on a function


# The tools that a model may call, and its calls of them.
#
# The model is told of a tool by the JSON schema of its arguments, and calls it by its name:
#
#     Tool(name="read", description="Read a file.",
#          parameters=object_schema({"path": {"type": "string"}}))
#     ToolCall(name="read", arguments='{"path": "/docs/a.md"}', id="call_1")

TOOL_NAME: Final = "execute_script"
"""The tool that a model may call to return its action.

An action is the object `{state, plan, done, code}` with the script of one turn;
see `controlplane.agent.reply.reply`. A model that calls no tools writes the action
as the text of its reply."""


class ModelTool(_ReplyPart):
    """A tool that a model may call."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON schema of the arguments."""


def script_tool(schema: Mapping[str, object]) -> ModelTool:
    """Return the tool by which a model passes its script, with the schema of its arguments."""
    description = "Run one Python script."
    return ModelTool(name=TOOL_NAME, description=description, parameters=dict(schema))


class ToolCall(_ReplyPart):
    """One tool call of a reply."""

    name: str
    """The tool's name, as the model wrote it."""
    arguments: str
    """The arguments as the model wrote them: JSON text, which may be invalid."""
    id: str = ""
    """The endpoint's id of the call, which the message with its result repeats; may be empty."""


def object_schema(
    properties: dict[str, dict[str, object]], required: Sequence[str] | None = None
) -> dict[str, object]:
    """Return the JSON schema of an object with these properties and no others.

    `required` names the properties that the object must have; by default, all of them.
    """
    names = list(properties) if required is None else list(required)
    return {
        "type": "object",
        "additionalProperties": False,
        "required": names,
        "properties": properties,
    }


# The tokens of one request and its reply, by which the request is paid.
#
# A request of 1,000 tokens, of which the endpoint had 800 in its cache, with a reply of 50 tokens:
#
#     Usage(prompt_tokens=1000, cached_tokens=800, completion_tokens=50)


class Usage(_ReplyPart):
    """Tokens of one request and its reply, as the endpoint counted them.

    A model without an endpoint, such as a scripted one, has none.
    """

    prompt_tokens: Count = 0
    """Tokens of the request."""
    completion_tokens: Count = 0
    """Tokens of the reply."""
    cached_tokens: Count = 0
    """Tokens of the request that came from a prompt cache."""
    reasoning_tokens: Count = 0
    """Tokens of the reply that are reasoning."""
    estimated: bool = False
    """True if the endpoint's count was missing or absurd. The tokens are then estimated from
    the bytes of the request and the reply."""

    def plus(self, other: Usage) -> Usage:
        """Return the sums of all counts, which are `estimated` if one of the two is."""
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            estimated=self.estimated or other.estimated,
        )


# The reply of a model: its text and its tool calls, its tokens and its cost.
#
# A user's own model returns `Reply(text="...")`. All other fields are optional. The journal records
# most of them, so these are in `ReplyFields`, which the recorded event has, too.

# The forms in which a model may be asked for an *action*: the script to run, and remarks.
#
# | mode | the model is asked for | what makes it keep to that |
# |---|---|---|
# | `schema` | `{"state": "...", "code": "..."}` | the endpoint, by a JSON schema |
# | `tool` | a call `execute_script(state="...", code="...")` | the endpoint, as it calls a tool |
# | `json` | a JSON object | the endpoint, but not which fields it has |
# | `text` | a JSON object | nothing but the prompt |


class ReplyMode(StrEnum):
    """The form in which a model is asked for an action. Each is easier for a model than the one before."""

    SCHEMA = "schema"
    """JSON text, which the endpoint constrains by a schema."""
    TOOL = "tool"
    """The arguments of the single tool `execute_script`."""
    JSON = "json"
    """JSON text, without a schema."""
    TEXT = "text"
    """Plain text, which has JSON in it, or a script in a fence."""


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
    A request still open at that moment is aborted."""
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


class Reply(ReplyFields, _ReplyPart):
    """What a model replied to one request."""

    text: str
    learned: Capabilities | None = None
    """What the endpoint accepts in requests, if this request showed something new; else None."""
    notices: tuple[str, ...] = ()
    """Remarks for the user about the request, one line each."""
