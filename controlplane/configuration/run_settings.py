"""The settings of a run: one field each, with its check, its help, and what may be done with it.

Where a value comes from is in `setting_sources`; what a folder's configuration may set,
in `config_file`; what a recorded run keeps, in `recorded_settings`.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
from collections.abc import Iterable
from enum import Enum, auto
from string import ascii_letters, digits
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
)

from controlplane.agent.limits.call_limit import DEFAULT_MAX_CALLS
from controlplane.agent.model import Prices
from controlplane.errors import did_you_mean
from controlplane.journal.journal_files import RUNS_DIR, with_home
from controlplane.sandbox.interface import bounds


class Use(Enum):
    """What may be done with a setting.

    A field of the settings names its uses
    in its annotation, as in `Annotated[int, ASK]`.
    """

    UNTRUSTED = auto()
    """controlplane.toml may set it before the user trusts that file, because no value does harm.

    A harmless setting starts no program and imports no module. It names no address,
    key, price, isolation layer or place to write. It makes no run send more or longer
    requests than by default.
    """
    NO_FLAG = auto()
    """Only controlplane.toml and the environment set it; the command line has no flag for it."""
    ASK = auto()
    """`ask` offers it as an option."""
    SERVED = auto()
    """`mcp` offers it as an option."""
    RESUMABLE = auto()
    """A resumed run may have another value than the recorded one."""
    SPENDING = auto()
    """It limits what a run spends."""
    RECORDED_TEXT = auto()
    """It names a file whose text the journal holds: a recorded run keeps that text."""


# Short names, since almost every field has two or three uses.


UNTRUSTED: Final = Use.UNTRUSTED
NO_FLAG: Final = Use.NO_FLAG
ASK: Final = Use.ASK
SERVED: Final = Use.SERVED
RESUMABLE: Final = Use.RESUMABLE
SPENDING: Final = Use.SPENDING
RECORDED_TEXT: Final = Use.RECORDED_TEXT


def settings_with(use: Use) -> tuple[str, ...]:
    """Return the names of the settings with this use, in the order of their fields."""
    names = []
    for name, field in RunSettings.model_fields.items():
        if use in field.metadata:
            names.append(name)
    return tuple(names)


# Checks of single values

HEADER_NAME_CHARS: Final = frozenset(f"{ascii_letters}{digits}!#$%&'*+.^_`|~-")
"""The characters of a header's name (RFC 9110, token)."""
SECRET_WORDS: Final = ("auth", "cookie", "token", "secret", "key")
"""A header whose name contains one of these may hold a secret."""
BODY_FIELDS_OF_THE_LOOP: Final = frozenset(
    {
        "model",
        "messages",
        "input",
        "tools",
        "tool_choice",
        "response_format",
        "text",
        "stream",
        "n",
    }
)
"""Fields of a request's body that the run fills in, so that `model_body` cannot set them."""
THREADS: Final = "threads"
"""The place of workers that are threads of this process."""
LOCAL_CLUSTER: Final = "dask:local:"
"""Begins the place of workers that are processes of this machine, such as `dask:local:4`."""
MAX_LOCAL_WORKERS: Final = 100
LAST: Final = "last"
"""The word by which commands mean the latest run."""


def check_endpoint_url(url: str) -> str:
    """Return the base URL of an endpoint without surrounding spaces.

    Raises `ValueError` if it is no HTTP address, holds a secret, or ends with the path
    of a call.
    """
    url = url.strip()
    if not url:
        return url
    if not url.isprintable() or " " in url:
        msg = "the address of an endpoint must not contain spaces or line breaks"
        raise ValueError(msg)

    parts = urlsplit(url)
    is_http = parts.scheme in ("http", "https")
    has_valid_port = parts.port is None or parts.port > 0
    if not is_http or not parts.hostname or not has_valid_port:
        msg = (
            "the address of an endpoint begins with http:// or https:// and names a host, "
            "as http://127.0.0.1:8080/v1"
        )
        raise ValueError(msg)
    if parts.username or parts.password or parts.query or parts.fragment:
        msg = (
            "an address with a user, a password or a query is refused, because the journal "
            "records it; give the key in OPENAI_API_KEY"
        )
        raise ValueError(msg)
    if parts.path.rstrip("/").endswith(("/completions", "/responses")):
        msg = (
            "the address of an endpoint ends before /chat/completions or /responses, "
            "usually with /v1"
        )
        raise ValueError(msg)
    return url


def check_variable_name(name: str) -> str:
    """Return the name of an environment variable.

    Raises `ValueError` for anything else, such as a key itself.
    """
    if not (name.isascii() and name.isidentifier()):
        msg = (
            "this is not a variable's name (letters, digits, underscores); "
            "put the key itself into the variable"
        )
        raise ValueError(msg)
    return name


def parse_object(value: object) -> object:
    """Return a mapping, parsed if it is JSON text. Raises `ValueError` for anything else."""
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else {}
        except (ValueError, RecursionError) as error:
            msg = (
                f"""this is not a JSON object such as '{{"name": "value"}}' ({error})"""
            )
            raise ValueError(msg) from None
    if not isinstance(value, dict):
        msg = """a JSON object is needed, such as '{"name": "value"}'"""
        raise ValueError(msg)  # noqa: TRY004 - pydantic reports it as a fault of the value
    return value


def parse_optional_object(value: object) -> object:
    """Return what `parse_object` returns; None for an empty value."""
    if value in (None, ""):
        return None
    return parse_object(value)


def variable_in(value: str) -> str:
    """Return the variable's name in a header's value such as `$TOKEN`; empty if there is none."""
    if not value.startswith("$"):
        return ""
    name = value[1:]
    is_name = name.isascii() and name.replace("_", "").isalnum()
    return name if is_name else ""


def check_headers(headers: dict[str, str]) -> dict[str, str]:
    """Return request headers.

    Raises `ValueError` for one that cannot be sent, and for one that may hold a secret,
    since the journal records all settings.
    """
    for name, value in headers.items():
        is_name = bool(name) and HEADER_NAME_CHARS.issuperset(name)
        is_value = value.isascii() and value.isprintable()
        if not is_name or not is_value:
            msg = f"{name!r} with its value is not a header"
            raise ValueError(msg)

        may_be_secret = any(word in name.lower() for word in SECRET_WORDS)
        if may_be_secret and not variable_in(value):
            msg = (
                f"{name} may hold a secret: put it into a variable, and give $VARIABLE, "
                "as settings are journalled"
            )
            raise ValueError(msg)
    return headers


def check_body(body: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return additional fields of requests. Raises `ValueError` for one that the loop sets."""
    for name in body:
        if name in BODY_FIELDS_OF_THE_LOOP:
            msg = f"{name} cannot be set here: the run sets it"
            raise ValueError(msg)
    return body


def check_run_name(name: str) -> str:
    """Return the name of a run without surrounding spaces.

    Raises `ValueError` for a name that lists cannot show.
    """
    name = name.strip()
    if len(name) > bounds.MOST_NAME_CHARS:
        msg = (
            f"a run's name has at most {bounds.MOST_NAME_CHARS} characters; "
            f"this one has {len(name):,}"
        )
        raise ValueError(msg)
    if not name.isprintable():
        msg = "a run's name must not contain line breaks or control characters"
        raise ValueError(msg)
    if name == LAST:
        msg = (
            f"a run cannot be named {LAST!r}: commands use that word for the latest run"
        )
        raise ValueError(msg)
    return name


def check_workers(text: str) -> str:
    """Return where trials run: `threads`, `dask:local:N` or `dask:tls://HOST:PORT`.

    Raises `ValueError` for anything else, and for
    a scheduler on another machine without TLS.
    """
    if text in (THREADS, "auto"):  # Journals of earlier runs may have `auto`.
        return THREADS
    if text.startswith(LOCAL_CLUSTER) and _is_worker_count(
        text.removeprefix(LOCAL_CLUSTER)
    ):
        return text
    if text.startswith("dask:") and not text.startswith(LOCAL_CLUSTER):
        address = text.removeprefix("dask:")
        parts = urlsplit(address if "://" in address else f"tcp://{address}")
        if parts.scheme == "tcp" and parts.hostname and parts.port:
            if not _is_loopback(parts.hostname):
                msg = (
                    f"the cluster at {address} has no TLS, which only loopback may lack; "
                    f"start it with certificates and name it as dask:tls://{parts.netloc}"
                )
                raise ValueError(msg)
            return text
        if parts.scheme == "tls" and parts.hostname and parts.port:
            return text

    msg = (
        f"trials run on {THREADS}, on {LOCAL_CLUSTER}N (1 to {MAX_LOCAL_WORKERS} local processes), "
        f"or on dask:tls://HOST:PORT, not on {text!r}"
    )
    raise ValueError(msg)


def _is_worker_count(text: str) -> bool:
    """Return True for a whole number from 1 to `MAX_LOCAL_WORKERS`."""
    # Check the length first: `int` raises an error for thousands of digits.
    if not text.isdecimal() or len(text) > len(str(MAX_LOCAL_WORKERS)):
        return False
    return 1 <= int(text) <= MAX_LOCAL_WORKERS


def _is_loopback(host: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


EndpointUrl: TypeAlias = Annotated[str, AfterValidator(check_endpoint_url)]
VariableName: TypeAlias = Annotated[str, AfterValidator(check_variable_name)]
UserPath: TypeAlias = Annotated[str, AfterValidator(with_home)]
"""A path of the user's, with a leading `~` expanded."""
Headers: TypeAlias = Annotated[
    dict[str, str], BeforeValidator(parse_object), AfterValidator(check_headers)
]
Body: TypeAlias = Annotated[
    dict[str, Any], BeforeValidator(parse_object), AfterValidator(check_body)
]
OptionalPrices: TypeAlias = Annotated[
    Prices | None, BeforeValidator(parse_optional_object)
]
RunName: TypeAlias = Annotated[str, AfterValidator(check_run_name)]
WorkerPlace: TypeAlias = Annotated[str, AfterValidator(check_workers)]


# The settings


class ModelSettings(BaseModel):
    """The settings for requests to one model. The sentence under each field is its help."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    model: Annotated[str, RESUMABLE] = ""
    """The model's id at its endpoint."""
    base_url: Annotated[EndpointUrl, RESUMABLE] = ""
    """Base URL of an OpenAI-compatible endpoint, including /v1. Empty for OpenAI itself."""
    api_key_env: Annotated[VariableName, NO_FLAG] = "OPENAI_API_KEY"
    """The environment variable that holds the model's key."""
    api: Annotated[Literal["chat", "responses"], ASK] = "chat"
    """The protocol: chat completions, or the Responses API."""
    reply_mode: Annotated[
        Literal["auto", "schema", "tool", "json", "text"], UNTRUSTED, ASK
    ] = "auto"
    """The form of replies: JSON under a schema, a tool's
    arguments, plain JSON, text; auto: the best that works."""
    reasoning_effort: Annotated[str, ASK] = ""
    """Effort of a reasoning model, such as none, low,
    medium or high; the endpoint's default if not given."""
    temperature: Annotated[float | None, UNTRUSTED, ASK] = Field(None, ge=0)
    """The sampling temperature; the endpoint's default if not given."""
    top_p: Annotated[float | None, UNTRUSTED, NO_FLAG] = Field(None, gt=0, le=1)
    """Sample from the likeliest tokens of this total
    probability; the endpoint's default if not given."""
    sampling_seed: Annotated[int | None, UNTRUSTED, NO_FLAG] = None
    """The endpoint's sampling seed; none if not given."""
    max_output_tokens: Annotated[int | None, ASK] = Field(None, ge=1)
    """Maximum number of tokens in a reply."""
    max_context_tokens: Annotated[int | None, UNTRUSTED, ASK] = Field(None, ge=500)
    """Maximum tokens of request and reply together;
    the model is told when few are left, and nothing is cut."""
    model_timeout: Annotated[float, UNTRUSTED, ASK] = Field(
        180.0, gt=0, le=bounds.LONGEST_S
    )
    """Seconds that one request to the model may take."""
    model_patience: Annotated[float, UNTRUSTED] = Field(
        300.0, ge=0, le=bounds.LONGEST_S
    )
    """Seconds for which a step retries a transiently failing model before the run pauses."""
    model_headers: Annotated[Headers, NO_FLAG] = Field(default_factory=dict)
    """Additional request headers, as JSON; a value $VARIABLE
    is read from the environment and never shown."""
    model_body: Annotated[Body, NO_FLAG] = Field(default_factory=dict)
    """Additional fields of every request's body, as JSON."""
    thinking_back: Annotated[Literal["auto", "reasoning_content", "none"], NO_FLAG] = (
        "auto"
    )
    """Thinking returned to the model: what its protocol asks
    for (auto), each reply's reasoning_content, or none."""
    prompt: Annotated[UserPath, ASK, RECORDED_TEXT] = ""
    """A folder of prompt texts that replace the product's
    own (prompts/); the journal keeps them."""
    hints: Annotated[UserPath, ASK, RECORDED_TEXT] = ""
    """A text file appended to the system prompt; the journal keeps it."""
    prices: Annotated[OptionalPrices, ASK] = None
    """USD per million tokens, as JSON: input, output and, optionally, cached."""


class Profile(ModelSettings):
    """A named model in `[profiles.NAME]` of controlplane.toml;
    settings that it leaves out are the run's."""

    model: str
    """The model's id at its endpoint."""
    base_url: EndpointUrl = ""
    """The endpoint; the run's own if not given."""
    api_key_env: VariableName = "OPENAI_API_KEY"
    """The environment variable that holds the key."""


Role: TypeAlias = Literal[
    "solve", "classify", "parse", "check_draft", "review", "format", "grade", "user"
]


class RunSettings(ModelSettings):
    """The settings of a run. The sentence under each field is its help."""

    benchmark: str = "ecom"
    """The benchmark: NAME or NAME:ARGUMENT; a registered
    name (ecom, bitgn, folder), or an importable module."""
    model: Annotated[str, RESUMABLE] = ""
    """The player: baseline, recorded, scripted:FILE, a profile,
    or a model's id. Empty: the benchmark's own player."""
    agent: Annotated[str, ASK] = "cited"
    """The solver: cited, exoskeleton, command:PROGRAM
    (a program of yours), or an importable module."""
    parts: Annotated[str, ASK] = ""
    """Parts of the solver to switch off or on, such as
    -classifier,+preflight; other parts keep their defaults."""
    gates: Annotated[str, ASK, SERVED] = "all"
    """Gates to run: all, none, or numbers such as 1,4,8;
    NAME=block, =ask or =off sets one, such as 6=off,5=ask."""
    rule_sets: Annotated[str, ASK, SERVED] = "auto"
    """Rule sets: auto for the benchmark's, none, or names such
    as ecom,my.module:RULE_SET; ecom/counted=off sets a rule."""
    provenance: Annotated[str, ASK, SERVED] = "ask"
    """Calls that change something with a value from read text alone: ask (held once),
    block, strict (and with a value that is nowhere), approve or off; an operation's
    own by send_money=block, =trusted for its results, =only:ARG+ARG for the arguments
    that matter, =keys:ARG for those by which it looks a record up."""
    reads: Annotated[str, ASK, SERVED] = ""
    """Tools that only read, as NAME,NAME, where nothing declares it: their calls are not held."""
    fallback: Annotated[Literal["last", "internal"], UNTRUSTED, ASK, SERVED] = "last"
    """The answer of a trial without an accepted one:
    its last submission, or OUTCOME_ERR_INTERNAL."""
    concurrency: Annotated[int, UNTRUSTED] = Field(8, ge=1, le=500)
    """Maximum number of trials that run at the same time."""
    workers: Annotated[WorkerPlace, RESUMABLE] = THREADS
    """Where trials run: threads, dask:tls://HOST:PORT of a Dask
    scheduler, or dask:local:N for N local processes."""
    limit: Annotated[int | None, UNTRUSTED] = Field(None, ge=1)
    """Maximum number of tasks in a run."""
    repeats: int = Field(1, ge=1, le=1000)
    """Tries of each task in the same world, by which pass@k and pass^k are measured."""
    worlds: int = Field(1, ge=1, le=1000)
    """Worlds of each task: other data, the same kind of request."""
    seed: Annotated[int, UNTRUSTED] = 0
    """The seed of the run: the same seed gives the same worlds."""
    max_steps: Annotated[int, ASK] = Field(35, ge=1)
    """Steps of a trial before the model is told to answer at once;
    then a seventh of that number more, at most five."""
    max_calls: Annotated[int, UNTRUSTED] = Field(DEFAULT_MAX_CALLS, ge=1)
    """Calls that a trial may make; the model is told when a fifth of them is left."""
    same_scripts: int = Field(5, ge=0)
    """Times in a row that a trial may run the same script
    with the same output; then it ends. 0: without a limit."""
    trial_time: Annotated[float, UNTRUSTED, ASK] = Field(
        900.0, gt=0, le=bounds.LONGEST_S
    )
    """Time limit of a trial, in wall-clock seconds; it bounds requests to models,
    too. A trial past it that gives no sign for a minute and the time
    of a step is given up."""
    step_time: Annotated[float, UNTRUSTED, ASK, SERVED] = Field(
        60.0, gt=0, le=bounds.LONGEST_S
    )
    """Time limit of one script with its calls,
    in wall-clock seconds; never more than the trial's."""
    initial_prompt_chars: Annotated[int, ASK] = Field(120_000, ge=0)
    """Maximum characters of documents and listings in the first
    message; text that is cut does not count as read."""
    name: Annotated[RunName, UNTRUSTED, ASK, SERVED] = ""
    """The run's name, shown in lists and sent to the platform."""
    runs_dir: Annotated[UserPath, ASK, SERVED] = RUNS_DIR
    """The folder of the journals."""
    isolation: Annotated[str, ASK, SERVED, RESUMABLE] = "language,process,kernel"
    """Isolation layers that a model's scripts need:
    all, none, or names such as language,process."""
    model_retries: int = Field(50, ge=0)
    """A shared budget of retries of model calls, this many for each
    concurrent trial; every reply restores one. At 0 the run pauses."""
    role: Annotated[dict[Role, ModelSettings], ASK] = Field(default_factory=dict)
    """The profile of a role, as ROLE=PROFILE (solve, classify, parse,
    check_draft, format; review, grade, user); may be repeated."""
    cache: Annotated[UserPath, ASK] = ""
    """A folder that keeps replies, so that a repeated request costs nothing. None if not given."""
    run_cost: Annotated[float | None, UNTRUSTED, ASK, RESUMABLE, SPENDING] = Field(
        None, gt=0
    )
    """Cost limit of the run, in USD; once it is reached
    no trial starts, and running trials stay open."""
    trial_cost: Annotated[float | None, UNTRUSTED, RESUMABLE, SPENDING] = Field(
        None, gt=0
    )
    """Cost limit of each trial, in USD; a trial that reaches it ends by its fallback."""
    run_time: Annotated[float | None, UNTRUSTED, ASK, RESUMABLE, SPENDING] = Field(
        None, gt=0, le=bounds.LONGEST_S
    )
    """Time limit of the run from its start or resumption, in wall-clock seconds."""
    max_tokens_run: Annotated[int | None, UNTRUSTED, ASK, RESUMABLE, SPENDING] = Field(
        None, ge=1
    )
    """Token limit of all trials together, requests and replies."""
    poll_time: Annotated[float, UNTRUSTED] = Field(60.0, ge=0, le=bounds.LONGEST_S)
    """Seconds to wait for scores after the run is submitted."""
    set: dict[str, str] = Field(default_factory=dict)
    """Options of the benchmark, as KEY=VALUE; may be repeated."""


# Faults of values

KEYS: Final = (
    "run",
    "profiles",
    "roles",
    "mcp",
    *Profile.model_fields,
    *Prices.model_fields,
    *get_args(Role),
)
"""All names that controlplane.toml may give a table or a key, at any level.

They are what a misspelt key is compared with.
"""
MAX_KEYS_SHOWN: Final = 12


def first_fault(
    error: ValidationError, names: Iterable[str] = KEYS
) -> tuple[list[str], str]:
    """Return the keys that lead to the first fault, and the fault in words.

    For example, `(["prices", "input"], "it is required")`. `names` are the known keys,
    among which the nearest one to an unknown key is suggested.

    An unknown key comes first: it may be a required one, misspelt. Messages of our own
    validators and about missing keys omit the value, which may be secret.
    """
    faults = error.errors()
    fault = faults[0]
    for candidate in faults:
        if candidate["type"] == "extra_forbidden":
            fault = candidate
            break

    # If a mapping's key itself is wrong, pydantic ends its location with the part `[key]`.
    is_wrong_key = "[key]" in fault["loc"]
    keys = [str(part) for part in fault["loc"] if part != "[key]"]
    if is_wrong_key or fault["type"] == "extra_forbidden":
        return (
            keys,
            f"there is no such key{did_you_mean(keys[-1], names, most=MAX_KEYS_SHOWN)}",
        )
    if fault["type"] == "value_error":
        return keys, str(fault["ctx"]["error"])
    if fault["type"] == "missing":
        return keys, "it is required"
    return keys, f"{fault['msg'].removesuffix('.')}, not {fault['input']!r}"
