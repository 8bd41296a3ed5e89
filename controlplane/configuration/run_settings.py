"""The settings of a run, and a model's profile.

Secrets are not settings: the code that needs `OPENAI_API_KEY` and its like reads them from the environment, and nothing
stores them.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, ValidationInfo

from controlplane.configuration.config_paths import RUNS_DIR, with_home
from controlplane.configuration.model_settings import LONGEST_S, EndpointUrl, ModelSettings, VariableName

ENVIRONMENT_NAMES: Final = {"model": "MODEL_ID", "base_url": "OPENAI_BASE_URL"}
"""Settings whose environment variable has a name of its own instead of `CONTROLPLANE_` and the setting's."""


MOST_LOCAL_WORKERS: Final = 100
LONGEST_NAME: Final = 200
"""The most characters that a run's name may have."""


RECORDED: Final = {"is_recorded": True}
"""The validation context for settings read from a journal: a recorded name is kept as it is."""


def _of_one_line(name: str, info: ValidationInfo) -> str:
    """Return the name of a run without spaces around it. Raises `ValueError` if no list could show it."""
    if info.context == RECORDED:
        return name
    name = name.strip()
    if len(name) > LONGEST_NAME:
        msg = f"a run's name has at most {LONGEST_NAME} characters, and this one has {len(name):,}"
        raise ValueError(msg)
    if not name.isprintable():
        msg = "a run's name holds no line breaks and no control characters"
        raise ValueError(msg)
    if name == "last":
        msg = "a run cannot be named 'last': commands use that word for the last run that was started"
        raise ValueError(msg)
    return name


AUTOMATIC: Final = "auto"
THREADS: Final = "threads"
LOCAL_CLUSTER: Final = "dask:local:"


def _names_workers(text: str) -> str:
    """Return what trials run on. Raises `ValueError` for what is none of the four forms."""
    count = text.removeprefix(LOCAL_CLUSTER)
    parts = urlsplit(address if "://" in (address := text.removeprefix("dask:")) else f"tcp://{address}")
    is_local = text.startswith(LOCAL_CLUSTER) and count.isdecimal() and 0 < int(count) <= MOST_LOCAL_WORKERS
    is_remote = text.startswith("dask:") and parts.scheme in ("tcp", "tls") and parts.hostname and parts.port
    if text in (AUTOMATIC, THREADS) or is_local or (is_remote and not text.startswith(LOCAL_CLUSTER)):
        return text
    msg = (
        f"trials run on {AUTOMATIC}, on {THREADS}, on {LOCAL_CLUSTER}N (1 to {MOST_LOCAL_WORKERS} processes here), or "
        f"on dask:tls://HOST:PORT, not on {text!r}"
    )
    raise ValueError(msg)


class Profile(ModelSettings):
    """A model under a name of your own, in `[profiles.NAME]` of controlplane.toml; the rest of it is the run's."""

    model: str
    """The model's id at its endpoint."""
    base_url: EndpointUrl = ""
    """The endpoint; the run's own if not given."""
    api_key_env: VariableName = "OPENAI_API_KEY"
    """The environment variable that holds the key."""


Role: TypeAlias = Literal["solve", "classify", "parse", "review", "format"]
RoleSettings: TypeAlias = dict[Role, ModelSettings]


class RunSettings(ModelSettings):
    """Everything that shapes a run. The sentence under each field is its help."""

    benchmark: str = "ecom"
    """The benchmark: NAME or NAME:ARGUMENT; a registered name (ecom, bitgn, folder), or an importable module."""
    model: str = ""
    """Who plays: baseline, scripted:FILE, a profile's name, or a model's id. Empty for the benchmark's own player."""
    agent: str = "cited"
    """The solver: cited, exoskeleton, or an importable module."""
    parts: str = ""
    """Parts of the solver to switch off and on, as -classifier,+preflight; the others stay as the solver has them."""
    gates: str = "all"
    """Which gates are asked: all, none, or numbers as 1,4,8; NAME=block, =ask or =off sets one, as 6=off,5=ask."""
    rules: str = "auto"
    """Rule packs: auto for those of the benchmark, none, or names as ecom,my.module; also ecom=ask, ecom/policy=off."""
    fallback: Literal["last", "internal"] = "last"
    """The last word of a trial without an accepted answer: its last submission, or OUTCOME_ERR_INTERNAL."""
    concurrency: int = Field(8, ge=1, le=500)
    """At most so many trials run at a time."""
    workers: Annotated[str, AfterValidator(_names_workers)] = AUTOMATIC
    """What trials run on: auto (a process for each core where the benchmark computes here and no model is asked, else
    threads), threads, dask:tls://HOST:PORT of a Dask scheduler, or dask:local:N for N processes here."""
    channel: str = Field("", pattern=r"^([^\s/:]+(:[0-9]{1,5})?)?$")
    """HOST or HOST:PORT of this machine, as a cluster's workers reach it; found by itself if empty."""
    send_keys: bool = False
    """Send the keys of model and platform to a cluster's workers; else they take them from their own environment."""
    limit: int | None = Field(None, ge=1)
    """At most so many tasks."""
    repeats: int = Field(1, ge=1, le=1000)
    """Tries of each task, each in another world."""
    seed: int = 0
    """The seed of the run: the same seed gives the same worlds."""
    max_steps: int = Field(35, ge=1)
    """Steps of a trial before the model is told to answer at once; five more follow."""
    trial_time: float = Field(900.0, gt=0, le=LONGEST_S)
    """Wall-clock seconds that a trial may take."""
    step_time: float = Field(60.0, gt=0, le=LONGEST_S)
    """Wall-clock seconds that one script may take, its calls included; never more than the trial's."""
    opening_chars: int = Field(120_000, ge=0)
    """Characters of documents and listings that the first message may show; what is cut does not count as read."""
    name: Annotated[str, AfterValidator(_of_one_line)] = ""
    """A name for the run, shown in lists and sent to the platform."""
    runs_dir: Annotated[str, AfterValidator(with_home)] = RUNS_DIR
    """The folder of the journals."""
    walls: str = "language,process,kernel"
    """The walls that scripts of a model need: all, none, or names as language,process. A player by rules needs none."""
    model_retries: int = Field(50, ge=0)
    """Retries of model calls for each concurrent trial; every reply gives one back. At 0 the run is paused."""
    role: RoleSettings = Field(default_factory=dict)
    """The profile of a role, as ROLE=PROFILE (solve, classify, parse, review, format); may be given more than once."""
    cache: Annotated[str, AfterValidator(with_home)] = ""
    """A folder that keeps replies: what was asked before costs nothing. None if not given."""
    run_cost: float | None = Field(None, gt=0)
    """USD that the run may cost; then no trial starts, and running ones end. None for no limit."""
    trial_cost: float | None = Field(None, gt=0)
    """USD that each trial may cost before it ends."""
    run_time: float | None = Field(None, gt=0, le=LONGEST_S)
    """Wall-clock seconds that the run may take from its start or resumption."""
    max_tokens_run: int | None = Field(None, ge=1)
    """Tokens of requests and replies that all trials may take together."""
    poll_time: float = Field(60.0, ge=0, le=LONGEST_S)
    """Seconds to wait for scores after the run was submitted."""
    on_interrupt: Literal["leave", "finish"] = "leave"
    """After Ctrl-C: leave running trials open after their step, or finish them."""
    set: dict[str, str] = Field(default_factory=dict)
    """Options of the benchmark, as KEY=VALUE; may be given more than once."""
