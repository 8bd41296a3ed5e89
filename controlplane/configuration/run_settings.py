"""The settings of a run, such as `--concurrency 8`.

Each setting is one field, with its type, its default, its check and its help. The
options of commands, the environment variables and the reference are made from these
fields, so a new setting is one new field.

`setting_sources` chooses the value of each setting among flag, environment and file.
"""

from __future__ import annotations

import contextlib
import ipaddress
from collections.abc import Iterable
from typing import Annotated, Final, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, ValidationError

from controlplane.agent.limits.trial_limits import DEFAULT_LIMITS
from controlplane.agent.model import Prices
from controlplane.configuration.model_settings import (
    ASK,
    RESUMABLE,
    SERVED,
    SPENDING,
    UNTRUSTED,
    ModelSettings,
    Profile,
    Use,
    UserPath,
)
from controlplane.errors import did_you_mean
from controlplane.journal.journal_files import RUNS_DIR
from controlplane.sandbox.interface import bounds

# The name that a user gives a run: `run --name monday`, and then `show monday`.

LAST: Final = "last"
"""The word by which commands mean the latest run."""


def _check_run_name(name: str) -> str:
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


_RunName: TypeAlias = Annotated[str, AfterValidator(_check_run_name)]


# Where the trials of a run work, the setting `--workers`.
#
# - `threads`: in threads of this process.
# - `dask:local:4`: in four processes of this machine, a cluster of Dask.
# - `dask:tls://host:8786`: on a cluster of Dask, which has a scheduler at this address.

THREADS: Final = "threads"
"""The place of workers that are threads of this process."""
LOCAL_CLUSTER: Final = "dask:local:"
"""Begins the place of workers that are processes of this machine, such as `dask:local:4`."""
_MAX_LOCAL_WORKERS: Final = 100


def _check_workers(text: str) -> str:
    """Return the place if it is one of those above.

    Raises `ValueError` for anything else, and for a scheduler on another machine
    without TLS.
    """
    is_place = text == THREADS
    if text.startswith(LOCAL_CLUSTER):
        # Check the length first: `int` raises an error for thousands of digits.
        count = text.removeprefix(LOCAL_CLUSTER)
        is_number = count.isdecimal() and len(count) <= len(str(_MAX_LOCAL_WORKERS))
        is_place = is_number and 1 <= int(count) <= _MAX_LOCAL_WORKERS
    elif text.startswith("dask:"):
        is_place = _is_scheduler(text.removeprefix("dask:"))
    if is_place:
        return text

    msg = (
        f"trials run on {THREADS}, on {LOCAL_CLUSTER}N (1 to {_MAX_LOCAL_WORKERS} local processes), "
        f"or on dask:tls://HOST:PORT, not on {text!r}"
    )
    raise ValueError(msg)


def _is_scheduler(address: str) -> bool:
    """Return True for the address of a scheduler: `tls://host:8786`, or `localhost:8786`.

    Without a scheme, it is one without TLS (`tcp://`). Raises `ValueError` for such a
    scheduler on another machine, whose connections anybody could read and change.
    """
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    if parts.scheme not in ("tcp", "tls") or not parts.hostname or not parts.port:
        return False
    if parts.scheme == "tcp" and not _is_loopback(parts.hostname):
        msg = (
            f"the cluster at {address} has no TLS, which only loopback may lack; "
            f"start it with certificates and name it as dask:tls://{parts.netloc}"
        )
        raise ValueError(msg)
    return True


def _is_loopback(host: str) -> bool:
    """Return True if a host is this machine: `localhost` or `127.0.0.1`."""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


_WorkerPlace: TypeAlias = Annotated[str, AfterValidator(_check_workers)]


# The settings.

Role: TypeAlias = Literal[
    "solve", "classify", "parse", "check_draft", "review", "format", "grade", "user"
]


SERVER_OPTIONS: Final = ("mcp", "mcp_config", "allow", "deny")
"""The options that name MCP servers and their tools, beside the settings. No journal has them."""


class RunSettings(ModelSettings):
    """The settings of a run. The text under each field is its help.

    Words in capitals after a field's type say where else the setting may be used:

    - ASK, SERVED: it is also an option of the command `ask`, or of `mcp`.
    - RESUMABLE: a resumed run may have another value.
    - UNTRUSTED: controlplane.toml may set it even if the user has not trusted that file.
    - SPENDING: it limits what the run spends.
    """

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
    """Rule sets: auto for the benchmark's, none, or names such as
    ecom,my.module:RULE_SET; ecom/counted=off switches one rule off."""
    provenance: Annotated[str, ASK, SERVED] = "ask"
    """What happens to a changing call if one of its values stands only in running text,
    which anyone may have written: ask (it is held once, and sent if the model repeats it),
    block (never sent), strict (as block, also for values that stand nowhere),
    approve (the user decides) or off (sent). For one operation: send_money=block,
    send_money=only:recipient+amount (only these arguments are checked),
    get_iban=trusted (its results count as data), get_user=keys:id (it finds
    a record by its id)."""
    reads: Annotated[str, ASK, SERVED] = ""
    """Tools that only read, as NAME,NAME, if the tools do not say so
    themselves. Calls of all other tools may be held."""
    fallback: Annotated[Literal["last", "internal"], UNTRUSTED, ASK, SERVED] = "last"
    """The answer of a trial without an accepted one:
    its last submission, or OUTCOME_ERR_INTERNAL."""
    concurrency: Annotated[int, UNTRUSTED] = Field(8, ge=1, le=500)
    """Maximum number of trials that run at the same time."""
    workers: Annotated[_WorkerPlace, RESUMABLE] = THREADS
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
    max_steps: Annotated[int, ASK] = Field(DEFAULT_LIMITS.max_steps, ge=1)
    """Steps of a trial before the model is told to answer at once. To do
    so it gets a seventh of that number of steps more, at most five."""
    max_calls: Annotated[int, UNTRUSTED] = Field(DEFAULT_LIMITS.max_calls, ge=1)
    """Calls that a trial may make; the model is told when a fifth of them is left."""
    same_scripts: int = Field(DEFAULT_LIMITS.same_scripts, ge=0)
    """Times in a row that a trial may run the same script
    with the same output; then it ends. 0: without a limit."""
    trial_time: Annotated[float, UNTRUSTED, ASK] = Field(
        900.0, gt=0, le=bounds.LONGEST_S
    )
    """Time limit of a trial, in wall-clock seconds, with its requests to models.
    A trial that does not end then is stuck: it is given up once nothing
    happened in it for step_time and a minute."""
    step_time: Annotated[float, UNTRUSTED, ASK, SERVED] = Field(
        60.0, gt=0, le=bounds.LONGEST_S
    )
    """Time limit of one script with its calls,
    in wall-clock seconds; never more than the trial's."""
    initial_prompt_chars: Annotated[int, ASK] = Field(120_000, ge=0)
    """Maximum characters of documents and listings in the first
    message; text that is cut does not count as read."""
    name: Annotated[_RunName, UNTRUSTED, ASK, SERVED] = ""
    """The run's name, shown in lists and sent to the platform."""
    runs_dir: Annotated[UserPath, ASK, SERVED] = RUNS_DIR
    """The folder of the journals."""
    isolation: Annotated[str, ASK, SERVED, RESUMABLE] = "language,process,kernel"
    """Isolation layers that a model's scripts need:
    all, none, or names such as language,process."""
    model_retries: int = Field(1000, ge=0)
    """Retries of failed requests to models, of all trials together.
    A reply gives one back. When none is left, the run pauses."""
    role: Annotated[dict[Role, ModelSettings], ASK] = Field(default_factory=dict)
    """The profile of a role, as ROLE=PROFILE (solve, classify, parse,
    check_draft, format; review, grade, user); may be repeated."""
    cache: Annotated[UserPath, ASK] = ""
    """A folder that keeps replies, so that a known request costs nothing. None if not given."""
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
    run_tokens: Annotated[int | None, UNTRUSTED, ASK, RESUMABLE, SPENDING] = Field(
        None, ge=1
    )
    """Token limit of all trials together, requests and replies."""
    poll_time: Annotated[float, UNTRUSTED] = Field(60.0, ge=0, le=bounds.LONGEST_S)
    """Seconds to wait for scores after the run is submitted."""
    set: dict[str, str] = Field(default_factory=dict)
    """Options of the benchmark, as KEY=VALUE; may be repeated."""

    def with_defaults(self, names: Iterable[str]) -> RunSettings:
        """Return the same settings, of which these were not chosen by anybody.

        A benchmark may have a better value for one of them on this machine: see `concurrency`.
        """
        chosen = self.model_fields_set.difference(names)
        return RunSettings.model_construct(_fields_set=chosen, **dict(self))


def settings_with(use: Use) -> tuple[str, ...]:
    """Return the names of the settings with this use, in the order of their fields."""
    names = []
    for name, field in RunSettings.model_fields.items():
        if use in field.metadata:
            names.append(name)
    return tuple(names)


# The faults of settings, and of other values that are read by pydantic, in words.
#
# For `modle = "x"` in a profile of controlplane.toml, pydantic says "Extra inputs are not
# permitted". The user reads `there is no such key; did you mean 'model'?`.

_KEYS: Final = (
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
_MAX_KEYS_SHOWN: Final = 12


def first_fault(
    error: ValidationError, names: Iterable[str] = _KEYS
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
        if candidate["type"] == "extra_forbidden":  # An unknown key.
            fault = candidate
            break

    # If a mapping's key itself is wrong, pydantic ends its location with the part `[key]`.
    is_wrong_key = "[key]" in fault["loc"]
    keys = [str(part) for part in fault["loc"] if part != "[key]"]
    if is_wrong_key or fault["type"] == "extra_forbidden":
        return (
            keys,
            f"there is no such key{did_you_mean(keys[-1], names, most=_MAX_KEYS_SHOWN)}",
        )
    if fault["type"] == "value_error":
        return keys, str(fault["ctx"]["error"])
    if fault["type"] == "missing":
        return keys, "it is required"
    return keys, f"{fault['msg'].removesuffix('.')}, not {fault['input']!r}"
