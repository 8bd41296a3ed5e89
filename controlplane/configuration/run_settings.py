"""The settings of a run: their fields and checks, their sources, and those that a journal holds.

Sources are flags, the environment, controlplane.toml with its profiles, and defaults. Until the user trusts the content
of a configuration that lies in a folder, it sets only what cannot run, send or spend. A journal with this user's mark
on every event is acted on with its own settings; any other is only read until the user trusts it. Secrets are in
environment variables and never stored.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import ipaddress
import json
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import ascii_letters, digits
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias, get_args
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

from controlplane.agent.model import Prices
from controlplane.errors import OLDER_SETTINGS, UsageError, did_you_mean, nearest_name
from controlplane.journal.journal_lines import (
    CONFIG_FILE,
    RUNS_DIR,
    journal_id,
    journals_folder,
    open_regular,
    private_bytes,
    state_path,
    with_home,
)
from controlplane.sandbox.interface import bounds

if TYPE_CHECKING:
    from controlplane.journal.journal_reader import Journal

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
    if url and (
        parts.scheme not in ("http", "https") or not parts.hostname or not port_is_a_number
    ):
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
        if (
            not name
            or not _HEADER_SIGNS.issuperset(name)
            or not (value.isascii() and value.isprintable())
        ):
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
    model_timeout: float = Field(180.0, gt=0, le=bounds.LONGEST_S)
    """Seconds that one request to the model may take."""
    model_patience: float = Field(300.0, ge=0, le=bounds.LONGEST_S)
    """Seconds for which a step retries a transiently failing model before the run pauses."""
    model_headers: Annotated[dict[str, str], BeforeValidator(_object), AfterValidator(_headers)] = (
        Field(default_factory=dict)
    )
    """Additional request headers, as JSON; a value $VARIABLE is read from the environment and never shown."""
    model_body: Annotated[dict[str, Any], BeforeValidator(_object), AfterValidator(_body)] = Field(
        default_factory=dict
    )
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


def _of_one_line(name: str) -> str:
    """Return the name of a run without surrounding spaces. Raises `ValueError` for a name that lists cannot show."""
    name = name.strip()
    if len(name) > bounds.MOST_NAME_CHARS:
        msg = f"a run's name has at most {bounds.MOST_NAME_CHARS} characters; this one has {len(name):,}"
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
    if text in (
        "auto",
        THREADS,
    ):  # `auto` chose between threads and forked processes until there were only threads.
        return THREADS
    count, address = text.removeprefix(LOCAL_CLUSTER), text.removeprefix("dask:")
    if count != text and count.isdecimal() and 0 < int(count) <= MOST_LOCAL_WORKERS:
        return text
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    if (
        count != text
        or address == text
        or parts.scheme not in ("tcp", "tls")
        or not (parts.hostname and parts.port)
    ):
        msg = (
            f"trials run on {THREADS}, on {LOCAL_CLUSTER}N (1 to {MOST_LOCAL_WORKERS} local processes), or "
            f"on dask:tls://HOST:PORT, not on {text!r}"
        )
        raise ValueError(msg)
    if parts.scheme == "tcp" and not _is_loopback(parts.hostname):
        msg = (
            f"the cluster at {address} has no TLS, which only loopback may lack; start it with certificates "
            f"and name it as dask:tls://{parts.netloc}"
        )
        raise ValueError(msg)
    return text


def _is_loopback(host: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


class Profile(ModelSettings):
    """A named model in `[profiles.NAME]` of controlplane.toml; settings that it leaves out are the run's."""

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
    trial_time: float = Field(900.0, gt=0, le=bounds.LONGEST_S)
    """Time limit of a trial, in wall-clock seconds; it bounds requests to models, too. A trial past it that
    gives no sign for a minute and the time of a step is given up."""
    step_time: float = Field(60.0, gt=0, le=bounds.LONGEST_S)
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
    run_time: float | None = Field(None, gt=0, le=bounds.LONGEST_S)
    """Time limit of the run from its start or resumption, in wall-clock seconds."""
    max_tokens_run: int | None = Field(None, ge=1)
    """Token limit of all trials together, requests and replies."""
    poll_time: float = Field(60.0, ge=0, le=bounds.LONGEST_S)
    """Seconds to wait for scores after the run is submitted."""
    set: dict[str, str] = Field(default_factory=dict)
    """Options of the benchmark, as KEY=VALUE; may be repeated."""


CONFIG_VARIABLE: Final = "CONTROLPLANE_CONFIG"
"""Names the configuration file to use instead of the working folder's; what the user names is trusted."""
HARMLESS: Final = frozenset(
    {
        "same_scripts",
        *("limit", "seed", "max_steps", "concurrency", "name", "fallback", "initial_prompt_chars"),
        *(
            "trial_time",
            "step_time",
            "run_time",
            "run_cost",
            "trial_cost",
            "max_tokens_run",
            "poll_time",
        ),
        *(
            "model_timeout",
            "model_patience",
            "model_retries",
            "max_output_tokens",
            "max_context_tokens",
        ),
        *("temperature", "top_p", "sampling_seed", "reasoning_effort", "reply_mode"),
    }
)
"""Settings of `[run]` that start no program, import no module, and name no address, key, price, layer or place to
write; `runs_dir` is one if it lies below the folder."""
_TRUSTED_FILES: Final = "controlplane/trusted-files"


def _hash_line(path: Path, content: bytes) -> bytes:
    """Return the hash of a file's place and content: beside another file the same content names other modules."""
    return hashlib.sha256(os.fsencode(_place(path)) + b"\0" + content).hexdigest().encode()


def _place(path: Path) -> Path:
    """Return where a file lies; a link lies where it is, as its neighbours are those that it names."""
    return path.parent.resolve() / path.name


def is_trusted(path: Path, content: bytes) -> bool:
    """Say whether the user trusts a configuration: by place and content, by naming it, or as the home folder's own."""
    named = os.environ.get(CONFIG_VARIABLE)
    with contextlib.suppress(OSError, RuntimeError):  # there is no home folder
        if (named and _place(path) == _place(Path(named))) or _place(
            path
        ).parent == Path.home().resolve():
            return True
    return _hash_line(path, content) in private_bytes(_TRUSTED_FILES, 1 << 20).split()


def config_bytes(path: Path) -> bytes:
    """Return the content of a configuration. Raises `OSError` for anything but a file of a configuration's size."""
    with open_regular(path) as file:
        content = file.read(bounds.MOST_TEXT_BYTES + 1)
    if len(content) > bounds.MOST_TEXT_BYTES:
        raise OSError(errno.EFBIG, f"it is larger than {bounds.MOST_TEXT_BYTES:,} bytes")
    return content


def trust(path: Path, content: bytes) -> None:
    """Trust this content of the file at `path` from now on. Raises `OSError` if the state folder cannot be written."""
    with open_regular(
        state_path(_TRUSTED_FILES, makes=True), os.O_WRONLY | os.O_APPEND | os.O_CREAT
    ) as file:
        file.write(_hash_line(path, content) + b"\n")


def _current(settings: Mapping[str, Any], place: str = "") -> dict[str, Any]:
    """Return settings under their present names; say in a line about each older name what has replaced it."""
    for name in settings.keys() & OLDER_SETTINGS.keys() if place else ():
        _print_once(f"{place}: {name} is now {OLDER_SETTINGS[name]}")
    return {OLDER_SETTINGS.get(name, name): value for name, value in settings.items()}


def _is_harmless(name: str, value: object) -> bool:
    """Say whether a setting of `[run]` applies without trust, or is unknown and refused later."""
    if name == "runs_dir":
        return (
            isinstance(value, str)
            and not value.startswith(("/", "~"))
            and ".." not in Path(value).parts
        )
    return name in HARMLESS or name not in RunSettings.model_fields


_PREFIX: Final = "CONTROLPLANE_"
PROFILE: Final = "profile "


class ConfigFile(BaseModel):
    """The whole of controlplane.toml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: dict[str, Any] = Field(default_factory=dict)
    profiles: dict[str, Profile] = Field(default_factory=dict)
    roles: dict[Role, str] = Field(default_factory=dict)
    mcp: dict[str, dict[str, Any]] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Resolved:
    """Resolved settings with their sources, and the profiles that `--model` may name."""

    settings: RunSettings
    sources: Mapping[str, str]
    profiles: Mapping[str, Profile]
    mcp: Mapping[str, object] = field(default_factory=dict)
    """The MCP servers of controlplane.toml by name."""


def config_path(folder: Path) -> Path:
    """Return the configuration file: the one that the user names, else that of the working folder `folder`."""
    named = os.environ.get(CONFIG_VARIABLE)
    return Path(named) if named else folder / CONFIG_FILE


def resolve(flags: Mapping[str, object], environ: Mapping[str, str], folder: Path) -> Resolved:
    """Resolve all settings by precedence. `flags` holds the given flags. Raises `UsageError` naming source and key."""
    path = config_path(folder)
    config = _config_of(path)
    flags = _current(flags)
    values: dict[str, object] = {}
    sources = dict.fromkeys(RunSettings.model_fields, "default")
    for source, layer in (
        (CONFIG_FILE, config.run),
        ("environment", _from_environment(environ)),
        ("flag", flags),
    ):
        for name in layer:
            if name not in RunSettings.model_fields:
                msg = f"{path}: [run] has no setting {name!r}{did_you_mean(name, RunSettings.model_fields)}"
                raise UsageError(msg)
        values |= layer
        sources |= dict.fromkeys(layer, source)
    roles = _named_roles(values.pop("role", {}), config, path)
    if sources["runs_dir"] in ("default", CONFIG_FILE) and isinstance(
        named := values.get("runs_dir", RUNS_DIR), str
    ):
        journals_folder(named)
    try:
        settings = RunSettings.model_validate(values)
    except ValidationError as error:
        (name, *inside), text = first_fault(error)
        place = {
            "flag": f"--{name.replace('_', '-')}",
            "environment": _variable(name),
            CONFIG_FILE: f"{path}: {name}",
        }[sources[name]]
        msg = ": ".join((place, *inside, text))
        raise UsageError(msg) from error
    if "solve" in roles and (sources["model"] != "flag" or sources["role"] == "flag"):
        settings = settings.model_copy(update={"model": roles["solve"]})
        sources["model"] = sources["role"] if sources["role"] != "default" else CONFIG_FILE
    shared = {name: getattr(settings, name) for name in ModelSettings.model_fields}
    others = {
        role: ModelSettings.model_construct(**shared | _own_values(config.profiles[name]))
        for role, name in roles.items()
        if role != "solve"
    }
    sources["role"] = CONFIG_FILE if roles and sources["role"] == "default" else sources["role"]
    kept: dict[str, Any] = {}
    if profile := config.profiles.get(settings.model):  # Flags take precedence.
        own = _own_values(profile)
        kept = {
            name: value for name, value in own.items() if name == "model" or sources[name] != "flag"
        }
        sources |= dict.fromkeys(kept, PROFILE + settings.model)
    settings = settings.model_copy(update={"role": others, **kept})
    return Resolved(settings, sources, config.profiles, config.mcp)


def _named_roles(given: object, config: ConfigFile, path: Path) -> dict[str, str]:
    """Return the profile of each role; those `given` by flag override the file's. Raises `UsageError`."""
    flags = (
        {str(role): str(name) for role, name in given.items()} if isinstance(given, dict) else {}
    )
    named = {str(role): name for role, name in config.roles.items()} | flags
    for role, name in named.items():
        place = "--role" if role in flags else f"{path}: roles.{role}"
        if role not in get_args(Role):
            msg = f"{place}: there is no role {role!r}{did_you_mean(role, get_args(Role))}"
            raise UsageError(msg)
        if name not in config.profiles:
            msg = f"{place}: there is no profile {name!r}{did_you_mean(name, config.profiles)}"
            raise UsageError(msg)
    return named


def _own_values(profile: Profile) -> dict[str, Any]:
    return {name: getattr(profile, name) for name in profile.model_fields_set}


def runs_dir_in(path: Path) -> str:
    """Return the journals' folder that the controlplane.toml at `path` names, else the default. Raises `UsageError` if
    the file cannot be read."""
    named = _config_of(path).run.get("runs_dir", RUNS_DIR)
    if not isinstance(named, str):
        msg = f"{path}: runs_dir: a folder is given as text, not as {named!r}"
        raise UsageError(msg)
    return named


def placed(error: UsageError, sources: Mapping[str, str]) -> UsageError:
    """Name the file and the key in place of the flag that an error begins with, if controlplane.toml sets it."""
    flag, text = str(error).partition(":")[0].partition(" ")[0], str(error).removeprefix("--")
    source = sources.get(flag.removeprefix("--").replace("-", "_"), "")
    is_in_file = flag.startswith("--") and source.startswith((CONFIG_FILE, PROFILE))
    return UsageError(f"{config_path(Path.cwd())}: {text}") if is_in_file else error


@functools.cache
def _print_once(line: str) -> None:
    """Print a line once in this process, on standard error, but not among a shell's completions."""
    if "_CONTROLPLANE_COMPLETE" not in os.environ:
        from controlplane.terminal_text import say

        say(line, err=True)


KEYS: Final = (
    *ConfigFile.model_fields,
    *Profile.model_fields,
    *Prices.model_fields,
    *get_args(Role),
)
"""The names that a configuration may give its tables and keys."""


def first_fault(error: ValidationError, names: Iterable[str] = KEYS) -> tuple[list[str], str]:
    """Return the keys that lead to the first fault, and the fault in words. An unknown key comes first: it may be a
    required one, misspelt. Messages of our own validators and about missing keys omit the value, which may be secret.
    """
    faults = error.errors()
    fault = next((fault for fault in faults if fault["type"] == "extra_forbidden"), faults[0])
    keys = [str(part) for part in fault["loc"] if part != "[key]"]
    if fault["type"] == "extra_forbidden" or "[key]" in fault["loc"]:
        return keys, f"there is no such key{did_you_mean(keys[-1], names, most=12)}"
    if fault["type"] == "value_error":
        return keys, str(fault["ctx"]["error"])
    if fault["type"] == "missing":
        return keys, "it is required"
    return keys, f"{fault['msg'].removesuffix('.')}, not {fault['input']!r}"


def _variable(name: str) -> str:
    return ENVIRONMENT_NAMES.get(name, _PREFIX + name.upper())


def _from_environment(environ: Mapping[str, str]) -> dict[str, object]:
    variables = {
        _variable(name): name for name in RunSettings.model_fields if name not in ("set", "role")
    }
    no_settings = {"CONTROLPLANE_CALLED_AS", "CONTROLPLANE_SERVE_KEY", CONFIG_VARIABLE}
    no_settings |= {_variable(name) for name in OLDER_SETTINGS}
    for variable in sorted(environ.keys() - variables.keys() - no_settings):
        if variable.startswith(_PREFIX):
            spellings = {own: own for own in variables} | {
                _PREFIX + name.upper(): own for own, name in variables.items()
            }
            meant = nearest_name(variable, spellings, least=0.85)
            if meant:
                msg = f"the environment has {variable}, which sets nothing; did you mean {spellings[meant]}?"
                raise UsageError(msg)
    older = {_variable(name): name for name in OLDER_SETTINGS}
    given = {name: environ[variable] for variable, name in older.items() if environ.get(variable)}
    return _current(given, "the environment") | {
        name: environ[variable] for variable, name in variables.items() if environ.get(variable)
    }


def _config_of(path: Path) -> ConfigFile:
    """Return what the file at `path` may set, nothing if it is missing; name in one line what it may not until the user
    trusts it. Raises `UsageError`."""
    try:
        content = config_bytes(path)
        config = ConfigFile.model_validate(tomllib.loads(content.decode("utf-8-sig")))
    except FileNotFoundError:
        return ConfigFile()
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}"
        raise UsageError(msg) from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        msg = f"{path}, line {line}: it is not UTF-8 text"
        raise UsageError(msg) from error
    except tomllib.TOMLDecodeError as error:
        msg = f"{path} is not TOML: {error}"
        raise UsageError(msg) from error
    except ValidationError as error:
        keys, text = first_fault(error)
        msg = f"{path}: {'.'.join(keys)}: {text}"
        raise UsageError(msg) from error
    config = config.model_copy(update={"run": _current(config.run, str(path))})
    if is_trusted(path, content):
        return config
    run = {name: value for name, value in config.run.items() if _is_harmless(name, value)}
    left_out = [name for name in config.run if name not in run]
    ignored = {
        "run": left_out,
        "profiles": config.profiles,
        "roles": config.roles,
        "mcp": config.mcp,
    }
    if names := ", ".join(f"{table}.{name}" for table, names in ignored.items() for name in names):
        _print_once(
            f"{path} does not set {names}: read the file and, if you trust it: controlplane trust"
        )
    return ConfigFile(run=run)


def runs_folder(given: str | None = None) -> Path:
    """Return the journals' folder: the given one, else from the environment, controlplane.toml, or the default.

    Other settings are not loaded: most commands that read a journal do not need them. Raises `UsageError` if
    controlplane.toml is consulted and cannot be read.
    """
    named = given or os.environ.get("CONTROLPLANE_RUNS_DIR")
    file = config_path(Path.cwd())
    if not named and os.path.lexists(file):
        return Path(journals_folder(runs_dir_in(file)))
    return Path(with_home(named) if named else journals_folder(RUNS_DIR))


def run_argument(journal: Path) -> str:
    """Return the RUN argument that names `journal`: its id if it is in the runs folder, else its path."""
    try:
        is_in_runs_folder = journal.parent.absolute() == runs_folder().absolute()
    except UsageError:  # controlplane.toml is broken; commands ignore it if RUN is a path
        is_in_runs_folder = False
    return journal_id(journal) if is_in_runs_folder else str(journal)


PROMPTS: Final = frozenset({"prompt", "hints"})
"""Settings whose texts are the journal's, whatever the files hold now."""


def check_own(journal: Journal, *, is_trusted: bool) -> None:
    """Raise `UsageError` unless every event of a journal has this user's mark, or the user trusts it."""
    if not (journal.is_own or is_trusted):
        msg = f"{journal.run} can only be read: {journal.fault_of_marks}; if you trust all that it holds, add --trust"
        raise UsageError(msg)


def settings_of(journal: Journal) -> RunSettings:
    """Return the settings that a journal's run started with. Raises `UsageError` if they are no longer valid."""
    values = {
        setting.name: setting.value
        for setting in journal.opened.settings
        if setting.name in RunSettings.model_fields
    }
    try:
        return RunSettings.model_validate(values)
    except ValidationError as error:
        name = error.errors()[0]["loc"][0]
        msg = f"{journal.path} was recorded with a {name} that this version does not accept; start a new run"
        raise UsageError(msg) from error


def settings_here(journal: Journal, given: Mapping[str, object] | None = None) -> RunSettings:
    """Return the settings of a journal's run, with those `given` by flag. Raises `UsageError`."""
    recorded, flags = settings_of(journal), dict(given or {})
    if "model" in flags:
        flags |= _of_another_model(journal, recorded, flags)
    return recorded.model_copy(update=flags)


def _of_another_model(
    journal: Journal, recorded: RunSettings, flags: Mapping[str, object]
) -> dict[str, object]:
    """Return the settings of the model that `flags` name, as `run` would resolve them. The run keeps its endpoint, key
    and parameters, except for those that a flag or the model's profile sets; it keeps its prices only if no model has
    replied."""
    resolved = resolve(
        {name: flags[name] for name in ("model", "base_url") if name in flags},
        os.environ,
        Path.cwd(),
    )
    unset = set() if recorded.base_url else {CONFIG_FILE, "environment"}
    kept = {
        name
        for name in ModelSettings.model_fields
        if not (
            resolved.sources[name] in {"flag", *unset} or resolved.sources[name].startswith(PROFILE)
        )
        and not (name == "prices" and journal.summary.spent.replies)
    }
    names = ModelSettings.model_fields.keys() - kept - PROMPTS
    return {name: getattr(resolved.settings, name) for name in names}


def rerun_settings_here(journal: Journal) -> RunSettings:
    """Return the settings for rerunning recorded scripts: as recorded, but for the time limits of somebody else's."""
    recorded = settings_of(journal)
    if journal.is_own:
        return recorded
    local = resolve({}, os.environ, Path.cwd()).settings
    return recorded.model_copy(
        update={name: getattr(local, name) for name in ("step_time", "trial_time")}
    )
