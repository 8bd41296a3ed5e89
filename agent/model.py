"""The interface of models, and models that wrap others.

`Model` is the interface. `RoleModels` chooses a model by role, `PricedModel`
adds costs, `CachedModel` keeps replies in files, and `ScriptedModel` reads
its replies from a file.

The file of a scripted model is TOML, for tests, demonstrations and bug reports. It is a
list of `[[reply]]` tables:

- What the reply is: `code` (with optional `state`, `plan`, `done`), or `text`, which is
  sent unchanged, or `calls` of tools.
- Which requests it answers: `when` and `system` are RE2 patterns that must match
  somewhere in the first message or the system prompt. `task` names one task, and `role`
  one kind of request.

A trial gets its matching replies in the order of the file, one for each turn.
A file recorded from a run also has the `seed` of the run's environments,
and the `scores` of its tasks.
"""

from __future__ import annotations

import hashlib
import json
import math
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import StrEnum
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Final, NotRequired, TypeAlias, TypedDict
from urllib.parse import urlsplit

import re2
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    InstanceOf,
    SkipValidation,
    ValidationError,
)

from controlplane.sandbox.files import read_whole, write_whole
from controlplane.sandbox.interface import bounds

# Parts of requests and replies -----------------------------------------------------------------

TOOL_NAME: Final = "execute_script"
"""The tool that a model may call to return its action.

An action is the object `{state, plan, done, code}` with the script of one turn;
see `controlplane.agent.reply.reply`. A model that calls no tools writes the action
as the text of its reply."""

Thought: TypeAlias = dict[str, Any]
"""One item of a model's thinking. It goes back to the endpoint exactly as the endpoint sent it."""


class Frozen(BaseModel):
    """Immutable data that accepts only its declared fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ReplyPart(Frozen):
    """Base class for the parts of a reply that a user's own model creates.

    A wrong call such as `Reply("yes")` is a mistake in the user's program. It raises a
    `TypeError` that lists the fields, instead of pydantic's `ValidationError`.
    """

    def __init__(self, *values: object, **fields: Any) -> None:
        """Raise `TypeError` for positional values, and for unknown or missing fields."""
        model_fields = type(self).model_fields
        missing: list[str] = []
        for name, field_info in model_fields.items():
            if field_info.is_required() and name not in fields:
                missing.append(name)
        unknown = [name for name in fields if name not in model_fields]
        if not (values or missing or unknown):
            super().__init__(**fields)
            return

        faults: list[str] = []
        if values:
            faults.append("takes its values by name")
        if missing:
            faults.append(f"needs {', '.join(missing)}")
        if unknown:
            faults.append(f"has no {', '.join(unknown)}")
        msg = (
            f"{type(self).__name__} {', and '.join(faults)}. "
            f"Its fields are {', '.join(model_fields)}"
        )
        raise TypeError(msg)

    # This mark tells pydantic that `model_validate` need not call this `__init__`. So data
    # from a file or an endpoint still gets pydantic's errors.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined] # set on a function


class Received(BaseModel):
    """Data that an outside program sends. Unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


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


class ReplyMode(StrEnum):
    """The form in which a model is asked for an action."""

    SCHEMA = "schema"
    """JSON text constrained by a schema."""
    TOOL = "tool"
    """The arguments of the single tool `execute_script`."""
    JSON = "json"
    """JSON text."""
    TEXT = "text"
    """Plain text that should be JSON."""


class ToolCall(ReplyPart):
    """One tool call of a reply."""

    name: str
    """The tool's name, as the model wrote it."""
    arguments: str
    """The raw JSON text."""
    id: str = ""
    """The endpoint's id of the call, which the tool's result repeats; may be empty."""


def object_schema(
    properties: dict[str, dict[str, object]], required: Sequence[str] | None = None
) -> dict[str, object]:
    """Return the JSON schema of an object with exactly
    these properties, all required by default."""
    names = list(properties) if required is None else list(required)
    return {
        "type": "object",
        "additionalProperties": False,
        "required": names,
        "properties": properties,
    }


class Tool(ReplyPart):
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
    """The id of the call whose result a tool's message holds."""
    thinking: NotRequired[Sequence[Thought]]
    """An assistant's `Reply.thinking`. It is sent back if the endpoint's protocol asks for it."""


Count: TypeAlias = Annotated[int, Field(ge=0, le=bounds.MOST_NUMBER)]
Amount: TypeAlias = Annotated[float, Field(ge=0, le=bounds.MOST_NUMBER)]


class Usage(ReplyPart):
    """Tokens of one request and its reply, as the endpoint counted them; 0 without an endpoint."""

    prompt_tokens: Count = 0
    """Tokens of the request."""
    completion_tokens: Count = 0
    """Tokens of the reply."""
    cached_tokens: Count = 0
    """Tokens of the request that came from a prompt cache."""
    reasoning_tokens: Count = 0
    """Tokens of the reply that are reasoning."""
    estimated: bool = False
    """True if the endpoint's count was missing or absurd.
    The tokens are then estimated from bytes."""


class ReplyFields(Frozen):
    """The fields that a reply shares with its event in the journal."""

    tool_calls: tuple[ToolCall, ...] = ()
    """Its tool calls, in order. An event leaves out the call that holds the action."""
    reasoning: InstanceOf[str] = ""
    """The part of its reasoning that the endpoint shows."""
    thinking: tuple[SkipValidation[Thought], ...] = ()
    """Its thinking, which goes back to the endpoint with
    the next request; empty if the protocol needs none."""
    usage: Usage = Usage()
    """Tokens of the call."""
    finish_reason: str = "stop"
    """The endpoint's reason for the end, such as `stop`; `length`
    if the reply was cut off, `content_filter` if it was withheld."""
    native_finish_reason: str = ""
    """The vendor's own reason for the end, if that differs from `finish_reason`."""
    cost_usd: Amount | None = None
    """Cost in USD; null if it is unknown."""
    cost_source: str = ""
    """Source of the cost: `vendor`, `profile` (the owner's prices), `genai-prices`,
    or `list price` (the maker's, at a gateway that may charge otherwise);
    empty if it is unknown."""
    provider: str = ""
    """The provider behind a gateway; empty if the endpoint does not say."""
    reply_mode: str = ""
    """The requested form: `schema`, `tool`, `json`
    or `text`; empty if the model offers no choice."""
    cached: bool = False
    """True if it comes from the cache of replies. Its cost and its tokens are then 0."""


class Reply(ReplyFields, ReplyPart):
    """The result of one call of a model."""

    text: str
    learned: Capabilities | None = None
    """The features that the endpoint accepts, if this request showed a new one; else None."""
    notices: tuple[str, ...] = ()
    """Remarks for the user about the request, one line each."""


# Errors ----------------------------------------------------------------------------------------
#
# ModelError
# ├── BadReply            the endpoint's reply is malformed
# ├── RetriesExhausted    the run has used up its retries
# ├── OutOfBudget         the trial or its run has spent what it may
# ├── OutOfTime           the trial's time was over before the reply came
# └── Abandoned           the reply is no longer wanted


class ModelError(Exception):
    """A model gave no reply."""

    leaves_step = True
    """True, so that an error inside an environment call
    ends the whole step instead of failing the call."""

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        affects_all: bool = False,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        """True if the failure is transient: the same request may succeed later."""
        self.affects_all = affects_all
        """True if all trials meet the error, as with a wrong key. The run should pause."""
        self.retry_after_s = retry_after_s
        """Seconds that the endpoint asks to wait before the next request; None if it names none."""
        self.paid: Reply | None = None
        """A reply that was paid for before the error; None if there is none."""


class BadReply(ModelError):
    """The endpoint's reply is malformed. Asking again may help."""


class RetriesExhausted(ModelError):
    """The run has used up its retries."""


class OutOfBudget(ModelError):
    """The trial or its run has spent its whole budget."""


class OutOfTime(ModelError):
    """The trial's time was over before the reply came."""


class Abandoned(ModelError):
    """The trial was told to stop while it waited for the reply."""


# Requests --------------------------------------------------------------------------------------


@dataclass(slots=True)
class ReplyPermit:
    """Allows one reply to a request of a trial.

    The trial's session (the object that runs and records the trial) counts
    one reply for each request. Without the permit, a solver could get further
    replies that are not counted.
    """

    is_used: bool = False

    def use(self) -> bool:
        """Use the permit. Return False if it was used before."""
        was_used = self.is_used
        self.is_used = True
        return not was_used


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
    tools: Sequence[Tool] = ()
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
    """Allows one reply; None outside of a session."""


# Models ----------------------------------------------------------------------------------------


class Model(ABC):
    """Replies to conversations. Many threads may call it at once."""

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
        min_temperature: float | None = None,
    ) -> Reply:
        """Return the reply to a request with these fields of `ModelRequest`.

        Raises `ModelError`.
        """
        request = ModelRequest(
            messages,
            role=role,
            schema=schema,
            tools=tools,
            tool_choice=tool_choice,
            min_temperature=min_temperature,
        )
        return self.reply_to(request)


class RoleModels(Model):
    """Passes each request to the model of its role, or to the main model if the role has none."""

    def __init__(self, main: Model, by_role: Mapping[str, Model]) -> None:
        self.name = main.name
        self._main = main
        self._by_role = dict(by_role)

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply of the model for the request's role. Raises `ModelError`."""
        return self._by_role.get(request.role, self._main).reply_to(request)


# Models of benchmarks --------------------------------------------------------------------------


BENCHMARK_ROLES: Final = ("grade", "user")
"""The roles in which benchmarks ask models, to grade a trial or to play a user."""
REVIEWER: Final = "reviewer"
"""The role of requests to a second reader of answers; `--role review=PROFILE` names its model."""
ASIDE_ROLES: Final = (*BENCHMARK_ROLES, REVIEWER)
"""The roles of side requests: requests outside of the solver's conversation."""
ASK_ASIDE: Final[ContextVar[Callable[[ModelRequest], Reply] | None]] = ContextVar(
    "ASK_ASIDE", default=None
)
"""The function that answers a benchmark's request, from the trial's journal or by asking a model.

It is set only in the thread that plays or grades the trial. Elsewhere it is None."""


class BenchmarkModel(Model):
    """A model that a benchmark asks in one role, such as `grade`.

    A benchmark creates it before any trial starts, so it belongs to no trial. Each
    request is answered by the function in `ASK_ASIDE`, which is set in the thread of the
    current trial, and records the reply there.
    """

    def __init__(self, role: str) -> None:
        """Raise `ValueError` if `role` is not one of `BENCHMARK_ROLES`."""
        if role not in BENCHMARK_ROLES:
            roles = " or ".join(repr(known_role) for known_role in BENCHMARK_ROLES)
            msg = f"a benchmark asks models to {roles}, not {role!r}"
            raise ValueError(msg)
        self.name = role

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply, which is recorded in the trial's journal. Raises `ModelError`."""
        ask = ASK_ASIDE.get()
        if ask is None:
            msg = f"the model {self.name!r} is asked while a trial is played or graded, in the thread that does so"
            raise RuntimeError(msg)
        return ask(replace(request, role=self.name))


# Prices ----------------------------------------------------------------------------------------

OPENAI_URL: Final = "https://api.openai.com/v1"
TOKENS_PER_PRICE: Final = 1_000_000
"""The number of tokens that a price is for."""


class Prices(Frozen, allow_inf_nan=False):
    """Prices of a model's tokens, in USD per million."""

    input: float = Field(ge=0)
    """Tokens of requests."""
    output: float = Field(ge=0)
    """Tokens of replies, reasoning included."""
    cached: float | None = Field(None, ge=0)
    """Tokens of requests that come from the provider's
    prompt cache; by default the same as `input`."""

    def cost_usd_of(self, usage: Usage) -> float:
        """Return the cost of these tokens in USD."""
        cached_tokens = min(usage.cached_tokens, usage.prompt_tokens)
        cached_price = self.input if self.cached is None else self.cached
        request_cost = (usage.prompt_tokens - cached_tokens) * self.input
        request_cost += cached_tokens * cached_price
        return (request_cost + usage.completion_tokens * self.output) / TOKENS_PER_PRICE


class PricedModel(Model):
    """Wraps a model, and adds the cost to each reply if it is known."""

    def __init__(
        self, model: Model, *, base_url: str = "", prices: Prices | None = None
    ) -> None:
        """`base_url` is the endpoint's address, which identifies the vendor; empty for OpenAI."""
        self.name = model.name
        self._model = model
        self._base_url = base_url or OPENAI_URL
        self._prices = prices

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the model's reply with its cost. Raises `ModelError`."""
        try:
            return self._priced(self._model.reply_to(request))
        except ModelError as error:
            if error.paid is not None:
                error.paid = self._priced(error.paid)
            raise

    def _priced(self, reply: Reply) -> Reply:
        cost = self.cost_of(reply)
        return reply.model_copy(
            update={"cost_usd": cost.usd, "cost_source": cost.source}
        )

    def cost_of(self, reply: Reply) -> Cost:
        """Return the cost of a reply, from the first source that knows it.

        In this order: `profile` (the owner's prices), `vendor` (the endpoint
        reports the cost), `genai-prices` (the vendor's public price), `list price`
        (that of the model's maker).
        """
        usage = reply.usage
        has_tokens = usage.prompt_tokens + usage.completion_tokens > 0
        if self._prices is not None and has_tokens:
            return Cost(self._prices.cost_usd_of(usage), "profile")
        if reply.cost_usd is not None:
            return Cost(reply.cost_usd, "vendor")
        if not has_tokens:
            return Cost(None, "")  # Without tokens, no price tells the cost.
        cost_usd = _public_cost(usage, self.name, self._base_url)
        if cost_usd is not None:
            return Cost(cost_usd, "genai-prices")
        cost_usd = _list_cost(usage, self.name, self._base_url)
        if cost_usd is not None:
            return Cost(cost_usd, LIST_PRICE)
        return Cost(None, "")


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a reply and its source."""

    usd: float | None
    """None if it is unknown."""
    source: str
    """See `ReplyFields.cost_source`."""


LIST_PRICE: Final = "list price"
"""The source of a cost at the maker's list price. A gateway may charge a different price."""


@dataclass(frozen=True, slots=True)
class PublicPrice:
    """The price of a model at an address, from the table of `genai-prices`."""

    usd: float
    """The price of a million tokens of requests plus a million tokens of replies."""
    is_gateway: bool
    """True if the address belongs to no vendor in the table, so the actual price may differ."""


def public_price(model: str, base_url: str = "") -> PublicPrice | None:
    """Return the price of a model from `genai-prices`; None if its table lacks the model."""
    million = Usage(prompt_tokens=TOKENS_PER_PRICE, completion_tokens=TOKENS_PER_PRICE)
    vendor_usd = _public_cost(million, model, base_url or OPENAI_URL)
    if vendor_usd is not None:
        return PublicPrice(vendor_usd, is_gateway=False)
    list_usd = _list_cost(million, model, base_url or OPENAI_URL)
    if list_usd is not None:
        return PublicPrice(list_usd, is_gateway=True)
    return None


def _list_cost(usage: Usage, model: str, base_url: str) -> float | None:
    """Return the cost at the list price of the model's maker, for a gateway on the internet.

    Gateways put the maker before the model's name, as in `openai/gpt-5-mini`. Returns
    None for an address in a private network, or if the model is unknown.
    """
    host = urlsplit(base_url).hostname or ""
    is_private_name = "." not in host or host.endswith((".local", ".internal", ".lan"))
    if is_private_name:
        return None
    # The table may have the model with or without its maker.
    for name in (model, model.rpartition("/")[2]):
        cost_usd = _public_cost(usage, name, base_url, any_vendor=True)
        if cost_usd is not None:
            return cost_usd
    return None


def _public_cost(
    usage: Usage, model: str, base_url: str, *, any_vendor: bool = False
) -> float | None:
    """Return the cost at the prices of the vendor at this address.

    With `any_vendor`, the prices are those of the model's own maker. Returns None if
    `genai-prices` does not know the vendor or the model.
    """
    if _is_own_machine(base_url):
        return None  # The user's own server has no public price.
    import genai_prices  # imported late: it loads a table of 4 MB, which only some runs need

    counted = genai_prices.Usage(
        input_tokens=usage.prompt_tokens,
        cache_read_tokens=min(usage.cached_tokens, usage.prompt_tokens),
        output_tokens=usage.completion_tokens,
    )
    try:
        if any_vendor:
            price = genai_prices.calc_price(counted, model)
        else:
            price = genai_prices.calc_price(counted, model, provider_api_url=base_url)
    except (LookupError, ValueError):
        return None
    return float(price.total_price)


def _is_own_machine(base_url: str) -> bool:
    """Return True if the host of a URL is a private IP address: `http://127.0.0.1:8000/v1`."""
    host = urlsplit(base_url).hostname or ""
    try:
        return not ip_address(host).is_global
    except ValueError:
        return False  # The host is a name, such as a vendor's.


# The cache of replies --------------------------------------------------------------------------

CACHE_VERSION: Final = 1
"""The version of a cache's keys and files. It is a part of each
key, so replies that another version kept are not found."""
FREE_REPLY: Final[Mapping[str, object]] = {
    "cached": True,
    "cost_usd": 0.0,
    "cost_source": "",
    "usage": Usage(),
}
"""The changed fields of a reply from the cache: it costs nothing."""


class CachedModel(Model):
    """Wraps a model, and keeps its replies in files.

    Many threads and processes may use the same folder at once.
    """

    def __init__(
        self, model: Model, folder: Path, settings: Mapping[str, object]
    ) -> None:
        """`settings` holds what shapes a reply besides the request: model, address, parameters.

        It must not hold secrets, because it becomes part of the cache's keys.
        """
        self.name = model.name
        self._model = model
        self._folder = folder
        self._settings = dict(settings)

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the cached reply, or ask the model and cache its reply. Raises `ModelError`."""
        path = self._path_of(request)
        kept = self._kept_reply(path)
        if kept is not None:
            return kept
        reply = self._model.reply_to(request)
        is_empty = not reply.text.strip() and not reply.tool_calls
        if is_empty:
            return reply  # An empty reply is not kept, so that the next try asks again.
        return self._keep(reply, path)

    def _path_of(self, request: ModelRequest) -> Path:
        """Return the path of the reply's file. Its name is a hash of all that shapes the reply."""
        key_parts = [
            CACHE_VERSION,
            self._settings,
            request.try_number,
            request.messages,
            request.role,
            request.schema,
            request.tools,
            request.tool_choice,
            request.min_temperature,
        ]
        # `json.dumps` escapes lone surrogates, which UTF-8 cannot encode.
        text = json.dumps(key_parts, sort_keys=True, default=_plain)
        key = hashlib.sha256(text.encode()).hexdigest()
        return self._folder / key[:2] / f"{key}.json"

    def _kept_reply(self, path: Path) -> Reply | None:
        """Return the reply in a file of the cache; None if the file cannot be read."""
        try:
            # `read_whole` opens regular files only. A named pipe would block.
            found = read_whole(path, self._folder, bounds.MOST_LINE_BYTES)
            if found is None:
                return None
            data, _ = found  # bytes and file mode
            kept = Reply.model_validate(json.loads(data))
        except (OSError, ValueError, RecursionError):
            return None
        return kept.model_copy(update=FREE_REPLY)

    def _keep(self, reply: Reply, path: Path) -> Reply:
        """Write a reply to the cache and return it.

        If the write fails, add a notice for the user.
        """
        kept = reply.model_copy(update={"notices": (), "learned": None})
        try:
            write_whole(
                path, json.dumps(kept.model_dump(mode="json")).encode(), mode=0o600
            )
        except OSError as error:
            notice = f"a reply could not be kept in the cache {self._folder}: {error.strerror}"
            return reply.model_copy(update={"notices": (*reply.notices, notice)})
        return reply


def _plain(value: object) -> object:
    """Return a value that JSON can hold: the fields of a `Tool`, or else the value as text."""
    return value.model_dump() if isinstance(value, BaseModel) else str(value)


# Replies from a file ---------------------------------------------------------------------------


def _checked_pattern(pattern: str) -> str:
    """Return `pattern` unchanged. Raises `ValueError` if it is not a regular expression of RE2."""
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError):
        msg = f"is not a regular expression of RE2 ({pattern!r})"
        raise ValueError(msg) from None
    return pattern


Pattern = Annotated[str, AfterValidator(_checked_pattern)]
"""A regular expression of RE2."""


@dataclass(frozen=True, slots=True)
class ScriptedConversation:
    """The parts of a conversation on which the next scripted reply depends."""

    system_prompt: str
    first_message: str
    """The first message of the user."""
    turn: int
    """The number of replies so far."""

    @classmethod
    def of(cls, messages: Sequence[Message]) -> ScriptedConversation:
        """Return the parts of these messages."""
        first = 0
        for position, message in enumerate(messages):
            if message["role"] == "user":
                first = position
                break
        turn = 0
        for message in messages[first:]:
            if message["role"] == "assistant":
                turn += 1
        system_prompt = "\n".join(message["content"] for message in messages[:first])
        return cls(system_prompt, messages[first]["content"], turn)


class ScriptedCall(Frozen):
    """One tool call of a reply in the file."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class ScriptedReply(Frozen):
    """One reply of the file: an action (`code` and the fields beside it), a text, or tool calls."""

    # The requests that it may answer. Replies to the same requests come in the order of the file.
    when: Pattern = ""
    """Must match somewhere in the trial's first message."""
    system: Pattern = ""
    """Must match somewhere in the trial's system prompt."""
    task: str = ""
    """The id of its task; empty for every task."""

    # The fields of an action. The reply's text is their JSON.
    state: str = ""
    plan: tuple[str, ...] = ()
    done: bool = False
    code: str = ""

    text: str = ""
    """The reply's text, in place of an action."""
    calls: tuple[ScriptedCall, ...] = ()
    """The reply's tool calls, in place of an action."""
    role: str = "solve"
    """It answers only requests in this role, such as `grade`."""

    def fits(self, conversation: ScriptedConversation) -> bool:
        """Return True if its patterns match a conversation."""
        has_message = _is_in(self.when, conversation.first_message)
        return has_message and _is_in(self.system, conversation.system_prompt)

    def reply(self, turn: int) -> Reply:
        """Return the reply in a turn, counted from 0."""
        calls: list[ToolCall] = []
        for number, call in enumerate(self.calls):
            calls.append(
                ToolCall(
                    name=call.name,
                    arguments=json.dumps(call.arguments),
                    id=f"scripted_{turn}_{number}",
                )
            )
        if calls or self.text:
            return Reply(text=self.text, tool_calls=tuple(calls))
        action = {
            "state": self.state,
            "plan": list(self.plan),
            "done": self.done,
            "code": self.code,
        }
        return Reply(text=json.dumps(action))


class ScriptFile(Frozen):
    """The whole file of replies: `[[reply]]` tables, and what a recorded run adds."""

    reply: tuple[ScriptedReply, ...]
    seed: int | None = None
    """The seed from which the environments of the recorded run were made."""
    scores: Mapping[str, float] = Field(default_factory=dict)
    """The score of each task in the recorded run."""


class ScriptedModel(Model):
    """A model whose replies come from a file.

    The next reply depends only on the conversation
    so far, so a trial can be resumed at any turn.
    """

    def __init__(
        self,
        replies: Sequence[ScriptedReply],
        name: str = "scripted",
        recording: ScriptFile | None = None,
    ) -> None:
        """`recording` is the file of a recorded run, which also has a seed and scores."""
        self.replies = tuple(replies)
        self.name = name
        self.seed = recording.seed if recording else None
        self.scores: Mapping[str, float] = recording.scores if recording else {}

    @classmethod
    def from_file(cls, path: Path, text: str | None = None) -> ScriptedModel:
        """Return the model whose replies are in a file.

        If `text` is given, it is used as the file's content, and the file is not read.
        Raises `ValueError` with a message of one line.
        """
        try:
            if text is None:
                if path.exists() and not path.is_file():
                    msg = f"the replies file {path} is not a file; a TOML file with [[reply]] tables is needed"
                    raise ValueError(msg)
                text = path.read_text(encoding="utf-8-sig")
            file = ScriptFile.model_validate(tomllib.loads(text))
        except OSError as error:
            msg = f"cannot read the replies file {path}: {error.strerror}"
            raise ValueError(msg) from error
        except ValidationError as error:
            first_fault = error.errors()[0]
            # such as `reply.3.when`
            place = ".".join(str(part) for part in first_fault["loc"])
            msg = f"{path}: {place}: {first_fault['msg']}"
            raise ValueError(msg) from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            msg = f"{path} is not a replies file (TOML with [[reply]] tables): {error}"
            raise ValueError(msg) from error
        return cls(file.reply, f"scripted:{path.name}", file)

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply for this turn.

        Turn 1 gets the first matching reply of the file, turn 2 the second, and so on.
        Raises `ModelError` if the file has no further one.
        """
        conversation = ScriptedConversation.of(request.messages)
        matching: list[ScriptedReply] = []
        for reply in self.replies:
            is_asked = reply.role == request.role and reply.task in (
                "",
                request.task_id,
            )
            if is_asked and reply.fits(conversation):
                matching.append(reply)
        turn = conversation.turn
        if turn >= len(matching):
            msg = f"the replies file has no reply for turn {turn + 1} of this trial"
            raise ModelError(msg)
        return matching[turn].reply(turn)


def _is_in(pattern: str, text: str) -> bool:
    """Return True if a pattern matches somewhere in a text.

    Characters that UTF-8 cannot encode count as `?`.
    """
    return re2.search(pattern, text.encode(errors="replace")) is not None
