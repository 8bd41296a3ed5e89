"""The model protocol: requests, replies, errors. Vendors' endpoints, players and scripts all speak it."""

from __future__ import annotations

import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, Final, NotRequired, TypeAlias, TypedDict

from pydantic import BaseModel, ConfigDict, Field, InstanceOf, SkipValidation

TOOL_NAME: Final = "execute_script"
"""The single tool whose arguments are the action, if a reply is a tool call."""

TRY: Final[ContextVar[int]] = ContextVar("TRY", default=1)
"""The number of the asking trial among those of its task, from 1: a cache keeps the replies of tries apart."""

TASK: Final[ContextVar[str]] = ContextVar("TASK", default="")
"""The id of the asking trial's task: a file of replies may have some for one task alone."""

DEADLINE: Final[ContextVar[float]] = ContextVar("DEADLINE", default=math.inf)
"""The moment, by `time.monotonic`, at which the time of the asking trial is over: no request outlives it."""

ASKING: Final[ContextVar[bool]] = ContextVar("ASKING", default=False)
"""A trial's session asks for one reply, which it will record and count; the reply ends it."""

Thought: TypeAlias = dict[str, Any]
"""One item of a model's thinking, as its endpoint sent it and wants it back; never looked into."""


class Frozen(BaseModel):
    """Data that never changes, and has only the declared fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Received(BaseModel):
    """Data that others send; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Capabilities(Frozen):
    """Features that one model at one endpoint refuses. Each counts as accepted until it is refused."""

    endpoint: str
    """The address, without the parts that may be secret."""
    model: str
    """The model's id there."""
    takes_schema: bool = True
    """It can constrain a reply by a JSON schema."""
    takes_strict: bool = True
    """It accepts the mark `strict` beside a JSON schema."""
    takes_bounds: bool = True
    """It accepts bounds on lengths in a JSON schema."""
    takes_json: bool = True
    """It can constrain a reply to a JSON object."""
    takes_tools: bool = True
    """It accepts tools."""
    takes_named_tool: bool = True
    """It can be made to call a certain tool."""
    takes_required_tool: bool = True
    """It can be made to call any tool."""
    length_field: str = "max_tokens"
    """The name of the bound on a reply's tokens; empty if the endpoint accepts none."""
    refused: tuple[str, ...] = ()
    """Other parameters that it refused, in order."""


class ReplyMode(StrEnum):
    """The form of the action in a reply: three ways to ask for one JSON object, and one tool."""

    SCHEMA = "schema"
    """JSON text constrained by a schema."""
    TOOL = "tool"
    """The arguments of the single tool `execute_script`."""
    JSON = "json"
    """JSON text."""
    TEXT = "text"
    """Plain text that should be JSON."""


class ToolCall(Frozen):
    """One tool call of a reply; `arguments` is the raw JSON text."""

    name: str
    """The tool's name, as the model wrote it."""
    arguments: str
    """The raw JSON text."""
    id: str = ""
    """The endpoint's id of the call, which the tool's answer names; may be empty."""


def object_schema(properties: dict[str, dict[str, object]], required: Sequence[str] | None = None) -> dict[str, object]:
    """Return the JSON schema of an object with these properties and no others; by default it needs all of them."""
    names = list(properties) if required is None else list(required)
    return {"type": "object", "additionalProperties": False, "required": names, "properties": properties}


class Tool(Frozen):
    """A tool that a model may call."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON schema of the arguments."""


class Message(TypedDict):
    """One message of a conversation. `role` is system, user, assistant or tool."""

    role: str
    content: str
    tool_calls: NotRequired[Sequence[ToolCall]]
    """The calls that an assistant made."""
    tool_call_id: NotRequired[str]
    """The id of the call that a tool's message answers."""
    thinking: NotRequired[Sequence[Thought]]
    """An assistant's `Reply.thinking`, which goes back if the endpoint's protocol asks for it."""


MOST: Final = 10**15
"""No number of ours is larger; times are milliseconds."""
Count: TypeAlias = Annotated[int, Field(ge=0, le=MOST)]
Amount: TypeAlias = Annotated[float, Field(ge=0, le=MOST)]


class Usage(Frozen):
    """Tokens of one call, as the endpoint counted them; all 0 if no endpoint was asked."""

    prompt_tokens: Count = 0
    """Tokens of the request."""
    completion_tokens: Count = 0
    """Tokens of the reply."""
    cached_tokens: Count = 0
    """Tokens of the request that a prompt cache held."""
    reasoning_tokens: Count = 0
    """Tokens of the reply that are reasoning."""
    estimated: bool = False
    """True if the endpoint's count was missing or absurd, so that tokens are estimated from bytes."""


class ReplyFields(Frozen):
    """What a reply and its journalled event hold alike."""

    tool_calls: tuple[ToolCall, ...] = ()
    """Its tool calls, in order; those of an event lack the one that carries the action."""
    reasoning: InstanceOf[str] = ""
    """The part of its reasoning that the endpoint shows."""
    thinking: tuple[SkipValidation[Thought], ...] = ()
    """Its thinking as it goes back to the endpoint with the next request; empty if the protocol asks for none."""
    usage: Usage = Usage()
    """Tokens of the call."""
    finish_reason: str = "stop"
    """The endpoint's word for why it ended; `length` if it was cut off, `content_filter` if it was withheld."""
    native_finish_reason: str = ""
    """The vendor's own word for it, if that differs."""
    cost_usd: Amount | None = None
    """Cost in USD; null if it is unknown."""
    cost_source: str = ""
    """Source of the cost: `vendor`, `profile` (the owner's prices) or `genai-prices`; empty if it is unknown."""
    provider: str = ""
    """The provider behind a gateway; empty if the endpoint does not say."""
    reply_mode: str = ""
    """The requested form: `schema`, `tool`, `json` or `text`; empty if the model offers no choice."""
    cached: bool = False
    """True if it is from the cache of replies: it cost nothing, and its tokens are 0."""


class Reply(ReplyFields):
    """The result of one call of a model."""

    text: str
    learned: Capabilities | None = None
    """The features that the endpoint accepts, if this reply taught them."""
    notices: tuple[str, ...] = ()
    """Remarks for the user on how the reply came about, one line each."""


class ModelError(Exception):
    """A model gave no reply.

    `retryable` tells a transient failure from one that the same call would meet again; `affects_all` says that every
    other trial meets it too (the endpoint is down, the key is wrong), so the run should pause.
    """

    leaves_step = False
    """True if a benchmark asked, in a call that has not failed: the error leaves the whole step."""

    def __init__(
        self, message: str, *, retryable: bool = False, affects_all: bool = False, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.affects_all = affects_all
        self.retry_after_s = retry_after_s
        self.paid: Reply | None = None
        """A reply that was paid for on the way to the error."""


class BadReply(ModelError):
    """The endpoint's reply is malformed. Asking again may help."""


class RetriesExhausted(ModelError):
    """The run has used up its retries."""


class OutOfBudget(ModelError):
    """The trial, or its run, has spent what its owner allows."""


class OutOfTime(ModelError):
    """The trial's time was over before the reply came."""


class Abandoned(ModelError):
    """The trial was told to stop while it waited for the reply."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to a model."""

    messages: Sequence[Message]
    role: str = "solve"
    """The purpose."""
    schema: Mapping[str, object] | None = None
    """The text must fit it; `{}` for any JSON object, None for plain text."""
    tools: Sequence[Tool] = ()
    """The tools that the model may call, several at once if it can."""
    tool_choice: str | None = None
    """None for its own choice, `required` for any call, or a tool's name."""


class Model(ABC):
    """Something that answers a conversation. Called from many threads at once."""

    name: str
    """The name that journals and tables show."""

    @abstractmethod
    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply to a request. Raises `ModelError`."""

    def complete(
        self,
        messages: Sequence[Message],
        role: str = "solve",
        schema: Mapping[str, object] | None = None,
        tools: Sequence[Tool] = (),
        tool_choice: str | None = None,
    ) -> Reply:
        """Return the reply to a request of these parts, see `ModelRequest`. Raises `ModelError`."""
        return self.reply_to(ModelRequest(messages, role, schema, tools, tool_choice))


BENCHMARK_ROLES: Final = ("grade", "user")
"""The roles in which benchmarks ask models; no reply of theirs is a solver's."""
REVIEWER: Final = "reviewer"
"""The role of requests to a second reader of answers; `--role review=PROFILE` names its model."""
ASIDE_ROLES: Final = (*BENCHMARK_ROLES, REVIEWER)
"""The roles whose requests are no part of a solver's conversation."""
ASK_ASIDE: Final[ContextVar[Callable[[ModelRequest], Reply] | None]] = ContextVar("ASK_ASIDE", default=None)
"""Asks for the benchmark of the trial that this thread plays, or grades: answered from its record first."""


class BenchmarkModel(Model):
    """The model of one role. Called from the thread that plays a trial, in a call of its environment or its grader."""

    def __init__(self, role: str) -> None:
        """Raises `ValueError` for a role that benchmarks do not have."""
        if role not in BENCHMARK_ROLES:
            msg = f"a benchmark asks models to {' or '.join(map(repr, BENCHMARK_ROLES))}, not {role!r}"
            raise ValueError(msg)
        self.name = role

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply, which the trial's journal keeps. Raises `ModelError`."""
        ask = ASK_ASIDE.get()
        if ask is None:
            msg = f"the model {self.name!r} is asked while a trial is played or graded, in the thread that does so"
            raise RuntimeError(msg)
        return ask(replace(request, role=self.name))


def request_key(role: str, texts: object) -> str:
    """Return what identifies a request among those of its trial: its role, and its messages in their recorded form."""
    return hashlib.sha256(f"{role}\0{texts!r}".encode("utf-8", "replace")).hexdigest()
