"""The settings of a run, of a model and of a model's profile, with the checks of their values.

Secrets are not settings: keys and secret values of headers are in environment variables. The code that needs one reads
it there, and nothing stores it.
"""

from __future__ import annotations

import json
from string import ascii_letters, digits
from typing import Annotated, Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

from agent.model import Prices
from controlplane.journal.journal_lines import RUNS_DIR, with_home

LONGEST_S: Final = 1_000_000
"""The longest time that may be set: every system timer can count it in milliseconds."""
_HEADER_SIGNS: Final = frozenset(f"{ascii_letters}{digits}!#$%&'*+.^_`|~-")
_SECRET_WORDS: Final = ("auth", "cookie", "token", "secret", "key")
_OURS: Final = frozenset(
    {"model", "messages", "input", "tools", "tool_choice", "response_format", "text", "stream", "n"}
)
"""Fields of a request's body that only the loop sets."""


def _without_secrets(url: str) -> str:
    url = url.strip()
    if not url.isprintable() or " " in url:
        msg = "the address of an endpoint must not contain spaces or line breaks"
        raise ValueError(msg)
    parts = urlsplit(url)
    port_is_a_number = parts.port is None or parts.port > 0
    if url and (parts.scheme not in ("http", "https") or not parts.hostname or not port_is_a_number):
        msg = "the address of an endpoint begins with http:// or https:// and names a host, as http://127.0.0.1:8080/v1"
        raise ValueError(msg)
    if parts.username or parts.password or parts.query or parts.fragment:
        msg = (
            "an address with a user, a password or a query is refused, because the journal records it; "
            "give the key in OPENAI_API_KEY"
        )
        raise ValueError(msg)
    if parts.path.rstrip("/").endswith(("/completions", "/responses")):
        msg = "the address of an endpoint ends before /chat/completions or /responses, usually with /v1"
        raise ValueError(msg)
    return url


def _names_a_variable(name: str) -> str:
    if not (name.isascii() and name.isidentifier()):
        msg = "this is not a variable's name (letters, digits, underscores); put the key itself into the variable"
        raise ValueError(msg)
    return name


def _object(value: object) -> object:
    """Return an object, parsed if it is JSON text. Raises `ValueError` for anything else."""
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else {}
        except (ValueError, RecursionError) as error:
            msg = f"""this is not a JSON object such as '{{"name": "value"}}' ({error})"""
            raise ValueError(msg) from None
    if not isinstance(value, dict):
        msg = """a JSON object is needed, such as '{"name": "value"}'"""
        raise ValueError(msg)  # noqa: TRY004 - pydantic reports it as a fault of the value
    return value


def _object_or_none(value: object) -> object:
    return None if value in (None, "") else _object(value)


def variable_in(value: str) -> str:
    """Return the environment variable that a header's value `$VARIABLE` names; empty if it names none."""
    name = value.removeprefix("$")
    return name if name != value and name.isascii() and name.replace("_", "").isalnum() else ""


def _headers(headers: dict[str, str]) -> dict[str, str]:
    for name, value in headers.items():
        if not name or not _HEADER_SIGNS.issuperset(name) or not (value.isascii() and value.isprintable()):
            msg = f"{name!r} with its value is not a header"
            raise ValueError(msg)
        if any(word in name.lower() for word in _SECRET_WORDS) and not variable_in(value):
            msg = f"{name} may hold a secret: put it into a variable, and give $VARIABLE, as settings are journalled"
            raise ValueError(msg)
    return headers


def _body(body: dict[str, JsonValue]) -> dict[str, JsonValue]:
    for name in body:
        if name in _OURS:
            msg = f"{name} cannot be set here: the run sets it"
            raise ValueError(msg)
    return body


EndpointUrl: TypeAlias = Annotated[str, AfterValidator(_without_secrets)]
VariableName: TypeAlias = Annotated[str, AfterValidator(_names_a_variable)]


class ModelSettings(BaseModel):
    """The settings for requests to one model. The sentence under each field is its help."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    model: str = ""
    """The model's id at its endpoint."""
    base_url: EndpointUrl = ""
    """Base URL of an OpenAI-compatible endpoint, including /v1. Empty for OpenAI itself."""
    api_key_env: VariableName = "OPENAI_API_KEY"
    """The environment variable that holds the model's key."""
    api: Literal["chat", "responses"] = "chat"
    """The protocol: chat completions, or the Responses API."""
    reply_mode: Literal["auto", "schema", "tool", "json", "text"] = "auto"
    """The form of replies: JSON under a schema, a tool's arguments, plain JSON, text; auto: the best that works."""
    reasoning_effort: str = ""
    """Effort of a reasoning model, such as none, low, medium or high; the endpoint's default if not given."""
    temperature: float | None = Field(None, ge=0)
    """The sampling temperature; the endpoint's default if not given."""
    top_p: float | None = Field(None, gt=0, le=1)
    """Sample from the likeliest tokens of this total probability; the endpoint's default if not given."""
    sampling_seed: int | None = None
    """The endpoint's sampling seed; none if not given."""
    max_output_tokens: int | None = Field(None, ge=1)
    """Maximum number of tokens in a reply."""
    max_context_tokens: int | None = Field(None, ge=500)
    """Maximum tokens of request and reply together; the model is told when few are left, and nothing is cut."""
    model_timeout: float = Field(180.0, gt=0, le=LONGEST_S)
    """Seconds that one request to the model may take."""
    model_patience: float = Field(300.0, ge=0, le=LONGEST_S)
    """Seconds for which a step retries a transiently failing model before the run pauses."""
    model_headers: Annotated[dict[str, str], BeforeValidator(_object), AfterValidator(_headers)] = Field(
        default_factory=dict
    )
    """Additional request headers, as JSON; a value $VARIABLE is read from the environment and never shown."""
    model_body: Annotated[dict[str, Any], BeforeValidator(_object), AfterValidator(_body)] = Field(default_factory=dict)
    """Additional fields of every request's body, as JSON."""
    thinking_back: Literal["auto", "reasoning_content", "none"] = "auto"
    """Thinking returned to the model: what its protocol asks for (auto), each reply's reasoning_content, or none."""
    prompt: Annotated[str, AfterValidator(with_home)] = ""
    """A folder of prompt texts that replace the product's own (prompts/); the journal keeps them."""
    hints: Annotated[str, AfterValidator(with_home)] = ""
    """A text file appended to the system prompt; the journal keeps it."""
    prices: Annotated[Prices | None, BeforeValidator(_object_or_none)] = None
    """USD per million tokens, as JSON: input, output and, optionally, cached."""


ENVIRONMENT_NAMES: Final = {"model": "MODEL_ID", "base_url": "OPENAI_BASE_URL"}
"""Settings whose environment variable is not `CONTROLPLANE_` and the setting's name."""
MOST_LOCAL_WORKERS: Final = 100
LONGEST_NAME: Final = 200
"""Most characters of a run's name."""


def _of_one_line(name: str) -> str:
    """Return the name of a run without surrounding spaces. Raises `ValueError` for a name that lists cannot show."""
    name = name.strip()
    if len(name) > LONGEST_NAME:
        msg = f"a run's name has at most {LONGEST_NAME} characters; this one has {len(name):,}"
        raise ValueError(msg)
    if not name.isprintable():
        msg = "a run's name must not contain line breaks or control characters"
        raise ValueError(msg)
    if name == "last":
        msg = "a run cannot be named 'last': commands use that word for the latest run"
        raise ValueError(msg)
    return name


THREADS: Final = "threads"
LOCAL_CLUSTER: Final = "dask:local:"


def _names_workers(text: str) -> str:
    count = text.removeprefix(LOCAL_CLUSTER)
    parts = urlsplit(address if "://" in (address := text.removeprefix("dask:")) else f"tcp://{address}")
    is_local = text.startswith(LOCAL_CLUSTER) and count.isdecimal() and 0 < int(count) <= MOST_LOCAL_WORKERS
    is_remote = text.startswith("dask:") and parts.scheme in ("tcp", "tls") and parts.hostname and parts.port
    if text in ("auto", THREADS):  # `auto` chose between threads and forked processes until there were only threads.
        return THREADS
    if is_local or (is_remote and not text.startswith(LOCAL_CLUSTER)):
        return text
    msg = (
        f"trials run on {THREADS}, on {LOCAL_CLUSTER}N (1 to {MOST_LOCAL_WORKERS} local processes), or "
        f"on dask:tls://HOST:PORT, not on {text!r}"
    )
    raise ValueError(msg)


class Profile(ModelSettings):
    """A named model in `[profiles.NAME]` of controlplane.toml; settings that it leaves out are the run's."""

    model: str
    """The model's id at its endpoint."""
    base_url: EndpointUrl = ""
    """The endpoint; the run's own if not given."""
    api_key_env: VariableName = "OPENAI_API_KEY"
    """The environment variable that holds the key."""


Role: TypeAlias = Literal["solve", "classify", "parse", "check_draft", "review", "format", "grade", "user"]


class RunSettings(ModelSettings):
    """The settings of a run. The sentence under each field is its help."""

    benchmark: str = "ecom"
    """The benchmark: NAME or NAME:ARGUMENT; a registered name (ecom, bitgn, folder), or an importable module."""
    model: str = ""
    """The player: baseline, recorded, scripted:FILE, a profile, or a model's id. Empty: the benchmark's own player."""
    agent: str = "cited"
    """The solver: cited, exoskeleton, command:PROGRAM (a program of yours), or an importable module."""
    parts: str = ""
    """Parts of the solver to switch off or on, such as -classifier,+preflight; other parts keep their defaults."""
    gates: str = "all"
    """Gates to run: all, none, or numbers such as 1,4,8; NAME=block, =ask or =off sets one, such as 6=off,5=ask."""
    rule_sets: str = "auto"
    """Rule sets: auto for the benchmark's, none, or names such as ecom,my.module:RULE_SET; ecom/counted=off sets a
    rule."""
    provenance: str = "ask"
    """Calls that change something with a value from read text alone: ask (held once), block, approve or off; an
    operation's own by send_money=block, =trusted for its results, =only:ARG+ARG for the arguments that matter."""
    fallback: Literal["last", "internal"] = "last"
    """The answer of a trial without an accepted one: its last submission, or OUTCOME_ERR_INTERNAL."""
    concurrency: int = Field(8, ge=1, le=500)
    """Maximum number of trials that run at the same time."""
    workers: Annotated[str, AfterValidator(_names_workers)] = THREADS
    """Where trials run: threads, dask:tls://HOST:PORT of a Dask scheduler, or dask:local:N for N local processes."""
    limit: int | None = Field(None, ge=1)
    """Maximum number of tasks in a run."""
    repeats: int = Field(1, ge=1, le=1000)
    """Tries of each task in the same world, by which pass@k and pass^k are measured."""
    worlds: int = Field(1, ge=1, le=1000)
    """Worlds of each task: other data, the same kind of request."""
    seed: int = 0
    """The seed of the run: the same seed gives the same worlds."""
    max_steps: int = Field(35, ge=1)
    """Steps of a trial before the model is told to answer at once; then a seventh of that number more, at most five."""
    same_scripts: int = Field(5, ge=0)
    """Times in a row that a trial may run the same script with the same output; then it ends. 0: without a limit."""
    trial_time: float = Field(900.0, gt=0, le=LONGEST_S)
    """Time limit of a trial, in wall-clock seconds; it bounds requests to models, too. A trial past it that
    gives no sign for a minute and the time of a step is given up."""
    step_time: float = Field(60.0, gt=0, le=LONGEST_S)
    """Time limit of one script with its calls, in wall-clock seconds; never more than the trial's."""
    initial_prompt_chars: int = Field(120_000, ge=0)
    """Maximum characters of documents and listings in the first message; text that is cut does not count as read."""
    name: Annotated[str, AfterValidator(_of_one_line)] = ""
    """The run's name, shown in lists and sent to the platform."""
    runs_dir: Annotated[str, AfterValidator(with_home)] = RUNS_DIR
    """The folder of the journals."""
    isolation: str = "language,process,kernel"
    """Isolation layers that a model's scripts need: all, none, or names such as language,process."""
    model_retries: int = Field(50, ge=0)
    """A shared budget of retries of model calls, this many for each concurrent trial; every reply restores one. At 0
    the run pauses."""
    role: dict[Role, ModelSettings] = Field(default_factory=dict)
    """The profile of a role, as ROLE=PROFILE (solve, classify, parse, check_draft, format; review, grade, user); may be
    repeated."""
    cache: Annotated[str, AfterValidator(with_home)] = ""
    """A folder that keeps replies, so that a repeated request costs nothing. None if not given."""
    run_cost: float | None = Field(None, gt=0)
    """Cost limit of the run, in USD; once it is reached no trial starts, and running trials stay open."""
    trial_cost: float | None = Field(None, gt=0)
    """Cost limit of each trial, in USD; a trial that reaches it ends by its fallback."""
    run_time: float | None = Field(None, gt=0, le=LONGEST_S)
    """Time limit of the run from its start or resumption, in wall-clock seconds."""
    max_tokens_run: int | None = Field(None, ge=1)
    """Token limit of all trials together, requests and replies."""
    poll_time: float = Field(60.0, ge=0, le=LONGEST_S)
    """Seconds to wait for scores after the run is submitted."""
    set: dict[str, str] = Field(default_factory=dict)
    """Options of the benchmark, as KEY=VALUE; may be repeated."""
