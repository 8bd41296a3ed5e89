"""Models: the protocol, models by role, prices, a cache of replies, and a model whose replies are read from a file.

The file of a scripted model, for tests, demonstrations and bug reports, is TOML, a list of `[[reply]]` tables. A reply
has `code` (with optional `state`, `plan`, `done`), or `text`, which is sent unchanged, or `calls` of tools. `when` and
`system`, regular expressions of RE2, limit a reply to trials in whose first message or system prompt they are found,
`task` to the trials of one task, and `role` to one kind of request; a trial gets its matching replies in the order of
the file, one per turn. A recording of a run also holds the `seed` of its worlds and the `scores` of its tasks.
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
"""The tool by which a model may hand over an action. An action is the object `{state, plan, done, code}` with the script
of one turn, see `controlplane.agent.reply`; other models write it as the text of their reply."""

Thought: TypeAlias = dict[str, Any]
"""One item of a model's thinking, as its endpoint sent it and wants it back; never looked into."""


class Frozen(BaseModel):
    """Data that never changes, and has only the declared fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ReplyPart(Frozen):
    """A part of a reply that a user's program may make, as in a model of its own.

    A wrong call such as `Reply("yes")` is a mistake in that program, so it raises `TypeError` with a text that lists
    the fields, where pydantic would list what is wrong with the data.
    """

    def __init__(self, *values: object, **fields: Any) -> None:
        """Raises `TypeError` for values without a name, and for unknown and missing fields."""
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

    # `model_validate` of a class with an `__init__` of its own calls that. This mark, which pydantic's own `__init__`
    # has, prevents it: data from a file or an endpoint get pydantic's errors.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]


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
    """The form in which a model is asked for an action: as JSON text, in three ways, or as a tool call."""

    SCHEMA = "schema"
    """JSON text constrained by a schema."""
    TOOL = "tool"
    """The arguments of the single tool `execute_script`."""
    JSON = "json"
    """JSON text."""
    TEXT = "text"
    """Plain text that should be JSON."""


class ToolCall(ReplyPart):
    """One tool call of a reply; `arguments` is the raw JSON text."""

    name: str
    """The tool's name, as the model wrote it."""
    arguments: str
    """The raw JSON text."""
    id: str = ""
    """The endpoint's id of the call, which the tool's answer names; may be empty."""


def object_schema(
    properties: dict[str, dict[str, object]], required: Sequence[str] | None = None
) -> dict[str, object]:
    """Return the JSON schema of an object with these properties and no others; by default it needs all of them."""
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
    """The id of the call that a tool's message answers."""
    thinking: NotRequired[Sequence[Thought]]
    """An assistant's `Reply.thinking`, which goes back if the endpoint's protocol asks for it."""


Count: TypeAlias = Annotated[int, Field(ge=0, le=bounds.MOST_NUMBER)]
Amount: TypeAlias = Annotated[float, Field(ge=0, le=bounds.MOST_NUMBER)]


class Usage(ReplyPart):
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
    """Source of the cost: `vendor`, `profile` (the owner's prices), `genai-prices`, or `list price` (the
    maker's, at a gateway that may charge otherwise); empty if it is unknown."""
    provider: str = ""
    """The provider behind a gateway; empty if the endpoint does not say."""
    reply_mode: str = ""
    """The requested form: `schema`, `tool`, `json` or `text`; empty if the model offers no choice."""
    cached: bool = False
    """True if it is from the cache of replies: it cost nothing, and its tokens are 0."""


class Reply(ReplyFields, ReplyPart):
    """The result of one call of a model."""

    text: str
    learned: Capabilities | None = None
    """The features that the endpoint accepts, if this reply taught them."""
    notices: tuple[str, ...] = ()
    """Remarks for the user on how the reply came about, one line each."""


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
    """If a benchmark asked in a call, the call has not failed: the error leaves the whole step."""

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
        """True if every other trial meets it, too (the endpoint is down, the key is wrong): the run should pause."""
        self.retry_after_s = retry_after_s
        """The seconds after which the endpoint asks to be asked again; None if it does not say."""
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


# Requests --------------------------------------------------------------------------------------


@dataclass(slots=True)
class ReplyPermit:
    """Permits one reply to a request of a trial, since the trial's session records and counts one.

    A solver that asked a model several times for one request would have replies that nobody counts.
    """

    is_used: bool = False

    def use(self) -> bool:
        """Use the permit; return False if it was used before."""
        was_used = self.is_used
        self.is_used = True
        return not was_used


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to a model. The session of the asking trial fills in the fields that name it."""

    messages: Sequence[Message]
    role: str = "solve"
    """What the reply is for: `solve` for the next step of a solver, `grade` for a grader, and so on. The settings may
    name another model for each role (`--role ROLE=PROFILE`)."""
    schema: Mapping[str, object] | None = None
    """The text must fit it; `{}` for any JSON object, None for plain text."""
    tools: Sequence[Tool] = ()
    """The tools that the model may call, several at once if it can."""
    tool_choice: str | None = None
    """None for its own choice, `required` for any call, or a tool's name."""
    min_temperature: float | None = None
    """The lowest temperature of this request, whatever the settings say; None to leave it to them."""
    task_id: str = ""
    """The id of the asking trial's task; empty outside of a trial."""
    trial_id: str = ""
    """The id of the asking trial; empty outside of a trial."""
    try_number: int = 1
    """The number of the asking trial among those of its task, from 1: a cache keeps the replies of
    tries apart."""
    deadline: float = math.inf
    """The moment, by `time.monotonic`, at which the trial's time is over: no request outlives it."""
    permit: ReplyPermit | None = None
    """Permits one reply; None if no session will record it."""


# Models ----------------------------------------------------------------------------------------


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
        min_temperature: float | None = None,
    ) -> Reply:
        """Return the reply to a request of these parts, see `ModelRequest`. Raises `ModelError`."""
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
    """Hands each request to the model of its role; roles without a model use the main model."""

    def __init__(self, main: Model, by_role: Mapping[str, Model]) -> None:
        self.name = main.name
        self._main = main
        self._by_role = dict(by_role)

    def reply_to(self, request: ModelRequest) -> Reply:
        """Ask the model of the request's role. Raises `ModelError`."""
        return self._by_role.get(request.role, self._main).reply_to(request)


# Models of benchmarks --------------------------------------------------------------------------


BENCHMARK_ROLES: Final = ("grade", "user")
"""The roles in which benchmarks ask models; no reply of theirs is a solver's."""
REVIEWER: Final = "reviewer"
"""The role of requests to a second reader of answers; `--role review=PROFILE` names its model."""
ASIDE_ROLES: Final = (*BENCHMARK_ROLES, REVIEWER)
"""The roles whose requests are no part of a solver's conversation."""
ASK_ASIDE: Final[ContextVar[Callable[[ModelRequest], Reply] | None]] = ContextVar(
    "ASK_ASIDE", default=None
)
"""Gives the reply to a benchmark's request: the one that the trial's journal has, else a model's. It is set in the
thread that plays or grades the trial, and None elsewhere."""


class BenchmarkModel(Model):
    """A model as a benchmark has it, in one role, such as `grade`.

    It is made before there is a trial, and used in calls of the environment and in graders. So it finds the trial by
    the thread that it is called from (`ASK_ASIDE`), and the trial's session records the reply.
    """

    def __init__(self, role: str) -> None:
        """Raises `ValueError` for a role that benchmarks do not have."""
        if role not in BENCHMARK_ROLES:
            roles = " or ".join(repr(known_role) for known_role in BENCHMARK_ROLES)
            msg = f"a benchmark asks models to {roles}, not {role!r}"
            raise ValueError(msg)
        self.name = role

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply, which the trial's journal keeps. Raises `ModelError`."""
        ask = ASK_ASIDE.get()
        if ask is None:
            msg = f"the model {self.name!r} is asked while a trial is played or graded, in the thread that does so"
            raise RuntimeError(msg)
        return ask(replace(request, role=self.name))


# Prices ----------------------------------------------------------------------------------------

OPENAI_URL: Final = "https://api.openai.com/v1"
TOKENS_PER_PRICE: Final = 1_000_000
"""Prices are for so many tokens."""


class Prices(Frozen, allow_inf_nan=False):
    """Prices of a model's tokens, in USD per million."""

    input: float = Field(ge=0)
    """Tokens of requests."""
    output: float = Field(ge=0)
    """Tokens of replies, reasoning included."""
    cached: float | None = Field(None, ge=0)
    """Tokens of requests that the provider's prompt cache held; the same as `input` if not given."""

    def cost_usd_of(self, usage: Usage) -> float:
        """Return what these tokens cost."""
        cached_tokens = min(usage.cached_tokens, usage.prompt_tokens)
        cached_price = self.input if self.cached is None else self.cached
        request_cost = (usage.prompt_tokens - cached_tokens) * self.input
        request_cost += cached_tokens * cached_price
        return (request_cost + usage.completion_tokens * self.output) / TOKENS_PER_PRICE


class PricedModel(Model):
    """A model whose replies state their cost, if it is known."""

    def __init__(self, model: Model, *, base_url: str = "", prices: Prices | None = None) -> None:
        """`base_url` is the endpoint's, which identifies the vendor; empty for OpenAI's own."""
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
        return reply.model_copy(update={"cost_usd": cost.usd, "cost_source": cost.source})

    def cost_of(self, reply: Reply) -> Cost:
        """Return the cost of a reply, from the first source that knows it.

        The owner's prices come first, even before what the endpoint says that it charges.
        """
        usage = reply.usage
        is_counted = usage.prompt_tokens + usage.completion_tokens > 0
        if self._prices is not None and is_counted:
            return Cost(self._prices.cost_usd_of(usage), "profile")
        if reply.cost_usd is not None:
            return Cost(reply.cost_usd, "vendor")
        if not is_counted:
            return Cost(None, "")
        cost_usd = _public_cost(usage, self.name, self._base_url)
        if cost_usd is not None:
            return Cost(cost_usd, "genai-prices")
        cost_usd = _list_cost(usage, self.name, self._base_url)
        if cost_usd is not None:
            return Cost(cost_usd, LIST_PRICE)
        return Cost(None, "")


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a reply, and who says so."""

    usd: float | None
    """None if it is unknown."""
    source: str
    """See `ReplyFields.cost_source`."""


LIST_PRICE: Final = "list price"
"""The source of a cost by the maker's list price, at the address of a gateway that may charge otherwise."""


@dataclass(frozen=True, slots=True)
class PublicPrice:
    """What `genai-prices` says of a model at an address."""

    usd: float
    """The price of a million tokens in and a million out."""
    is_gateway: bool
    """The address is not one of the table's vendors: whoever is there may charge otherwise."""


def public_price(model: str, base_url: str = "") -> PublicPrice | None:
    """Return the price of a model by `genai-prices`; None if it does not know the model."""
    million = Usage(prompt_tokens=TOKENS_PER_PRICE, completion_tokens=TOKENS_PER_PRICE)
    vendor_usd = _public_cost(million, model, base_url or OPENAI_URL)
    if vendor_usd is not None:
        return PublicPrice(vendor_usd, is_gateway=False)
    list_usd = _list_cost(million, model, base_url or OPENAI_URL)
    if list_usd is not None:
        return PublicPrice(list_usd, is_gateway=True)
    return None


def _list_cost(usage: Usage, model: str, base_url: str) -> float | None:
    """Return the cost by the list price of the model's maker, for a gateway on the internet.

    Gateways name a model with its maker in front, as `openai/gpt-5-mini`.
    """
    host = urlsplit(base_url).hostname or ""
    is_private_name = "." not in host or host.endswith((".local", ".internal", ".lan"))
    if is_private_name:
        return None
    for name in (model, model.rpartition("/")[2]):
        cost_usd = _public_cost(usage, name, base_url, any_vendor=True)
        if cost_usd is not None:
            return cost_usd
    return None


def _public_cost(
    usage: Usage, model: str, base_url: str, *, any_vendor: bool = False
) -> float | None:
    """Return the cost by the prices of the vendor at this address, or, with `any_vendor`, of the model's own maker.

    None if the table of `genai-prices` does not know the vendor or the model.
    """
    if _is_own_machine(base_url):
        return None
    import genai_prices  # a table of 4 MB, which only some runs need

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
    """Say whether an address is a private IP address, such as `http://127.0.0.1:8000/v1`."""
    host = urlsplit(base_url).hostname or ""
    try:
        return not ip_address(host).is_global
    except ValueError:
        return False  # a host's name, which may be a vendor's


# The cache of replies --------------------------------------------------------------------------

CACHE_VERSION: Final = 1
"""The version of the keys and files of a cache. Replies of another version are not found."""
FREE_REPLY: Final[Mapping[str, object]] = {
    "cached": True,
    "cost_usd": 0.0,
    "cost_source": "",
    "usage": Usage(),
}
"""What a reply from the cache says of its cost."""


class CachedModel(Model):
    """A model whose replies are kept in files. Called from many threads and processes at once."""

    def __init__(self, model: Model, folder: Path, settings: Mapping[str, object]) -> None:
        """`settings` holds all that shapes a reply beside the request: model, address, parameters; never a secret."""
        self.name = model.name
        self._model = model
        self._folder = folder
        self._settings = dict(settings)

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the kept reply, which costs nothing, or ask the model and keep its reply. Raises `ModelError`."""
        path = self._path_of(request)
        kept = self._kept_reply(path)
        if kept is not None:
            return kept
        reply = self._model.reply_to(request)
        is_empty = not reply.text.strip() and not reply.tool_calls
        if is_empty:
            return reply  # An empty reply is a mishap that the next try need not meet.
        return self._keep(reply, path)

    def _path_of(self, request: ModelRequest) -> Path:
        """Return the file for the reply to a request: its name is a hash of all that shapes the reply."""
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
        # JSON escapes can express lone surrogates, which UTF-8 cannot encode.
        text = json.dumps(key_parts, sort_keys=True, default=_plain)
        key = hashlib.sha256(text.encode()).hexdigest()
        return self._folder / key[:2] / f"{key}.json"

    def _kept_reply(self, path: Path) -> Reply | None:
        """Return the reply in a file of the cache; None if there is none, or it cannot be read."""
        try:
            # This opens nothing that may block, such as a named pipe.
            found = read_whole(path, self._folder, bounds.MOST_LINE_BYTES)
            if found is None:
                return None
            data, _ = found
            kept = Reply.model_validate(json.loads(data))
        except (OSError, ValueError, RecursionError):
            return None
        return kept.model_copy(update=FREE_REPLY)

    def _keep(self, reply: Reply, path: Path) -> Reply:
        """Write a reply to the cache, and return it; if that fails, with a notice for the user."""
        kept = reply.model_copy(update={"notices": (), "learned": None})
        try:
            write_whole(path, json.dumps(kept.model_dump(mode="json")).encode(), mode=0o600)
        except OSError as error:
            notice = f"a reply could not be kept in the cache {self._folder}: {error.strerror}"
            return reply.model_copy(update={"notices": (*reply.notices, notice)})
        return reply


def _plain(value: object) -> object:
    """Return an object in a request as JSON has it: the fields of a model such as `Tool`, else its text."""
    return value.model_dump() if isinstance(value, BaseModel) else str(value)


# Replies from a file ---------------------------------------------------------------------------


def _checked_pattern(pattern: str) -> str:
    """Return a regular expression of RE2 unchanged. Raises `ValueError` if it is none."""
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


class ScriptedCall(Frozen):
    """One tool call of a reply."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class ScriptedReply(Frozen):
    """One reply of the file: an action (`code` and the fields beside it), a text, or tool calls."""

    # Which requests it may answer. Replies to the same requests are given in the order of the file.
    when: Pattern = ""
    """Limits it to trials in whose first message it is found."""
    system: Pattern = ""
    """Limits it to trials in whose system prompt it is found."""
    task: str = ""
    """The id of its task; empty for every task."""

    # The fields of an action, which the reply's text has as JSON.
    state: str = ""
    plan: tuple[str, ...] = ()
    done: bool = False
    code: str = ""

    text: str = ""
    """The reply's text, in place of an action."""
    calls: tuple[ScriptedCall, ...] = ()
    """The reply's tool calls, in place of an action."""
    role: str = "solve"
    """The role of the requests that it may answer."""

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
    """The whole file."""

    reply: tuple[ScriptedReply, ...]
    seed: int | None = None
    """The seed of the worlds that the replies were given in."""
    scores: Mapping[str, float] = Field(default_factory=dict)
    """The score of each task in the recorded run."""


class ScriptedModel(Model):
    """Replies from a file, chosen by the conversation alone, so that a trial can be resumed at any turn."""

    def __init__(
        self,
        replies: Sequence[ScriptedReply],
        name: str = "scripted",
        recording: ScriptFile | None = None,
    ) -> None:
        """`recording` is the file of a recorded run, which knows more than the replies."""
        self.replies = tuple(replies)
        self.name = name
        self.seed = recording.seed if recording else None
        self.scores: Mapping[str, float] = recording.scores if recording else {}

    @classmethod
    def from_file(cls, path: Path, text: str | None = None) -> ScriptedModel:
        """Return the model whose replies are in a file.

        With `text`, which is what the file held at an earlier time, `path` is not read. Raises `ValueError` with one
        line that says what is wrong.
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
            place = ".".join(str(part) for part in first_fault["loc"])  # such as `reply.3.when`
            msg = f"{path}: {place}: {first_fault['msg']}"
            raise ValueError(msg) from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            msg = f"{path} is not a replies file (TOML with [[reply]] tables): {error}"
            raise ValueError(msg) from error
        return cls(file.reply, f"scripted:{path.name}", file)

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply for this turn: the first message has the first of the matching replies, and so on.

        Raises `ModelError` if the file has no more.
        """
        # 1. Take the conversation apart: system messages, the user's first message, and the turns.
        messages = request.messages
        first_user_message = 0
        for position, message in enumerate(messages):
            if message["role"] == "user":
                first_user_message = position
                break
        system_prompt = "\n".join(message["content"] for message in messages[:first_user_message])
        first_message = messages[first_user_message]["content"]
        turn = 0
        for message in messages[first_user_message:]:
            if message["role"] == "assistant":
                turn += 1

        # 2. Find the replies of the file that are meant for this trial.
        matching: list[ScriptedReply] = []
        for reply in self.replies:
            has_role = reply.role == request.role
            has_task = reply.task in ("", request.task_id)
            if (
                has_role
                and has_task
                and _is_in(reply.when, first_message)
                and _is_in(reply.system, system_prompt)
            ):
                matching.append(reply)
        if turn >= len(matching):
            msg = f"the replies file has no reply for turn {turn + 1} of this trial"
            raise ModelError(msg)
        return matching[turn].reply(turn)


def _is_in(pattern: str, text: str) -> bool:
    """Say whether a pattern is found in a text, which may have characters that UTF-8 cannot encode."""
    return re2.search(pattern, text.encode(errors="replace")) is not None
