"""The settings of a run, each with the source its value came from: flag, environment, controlplane.toml, default.

Secrets are no settings: `OPENAI_API_KEY` and its like are read from the environment by what needs them, and stored
nowhere.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo
from pydantic_core import ErrorDetails

from controlplane.errors import UsageError
from controlplane.loading import nearest

CONFIG_FILE: Final = "controlplane.toml"
_PREFIX: Final = "CONTROLPLANE_"
LONGEST_S: Final = 1_000_000
"""The longest time that may be set, which every timer of the system can still count in milliseconds."""
NO_SETTINGS: Final = frozenset({"CONTROLPLANE_CALLED_AS", "CONTROLPLANE_SERVE_KEY"})
"""Variables that other parts read: how `start` was called, and the key of `serve`."""
ENVIRONMENT_NAMES: Final = {"model": "MODEL_ID", "base_url": "OPENAI_BASE_URL"}
"""Settings whose environment variable is not `CONTROLPLANE_` and their name."""


def _without_secrets(url: str) -> str:
    """Return the address of an endpoint. Raises `ValueError` for one that is none, or that holds what may be a key."""
    url = url.strip()
    if not url.isprintable() or " " in url:
        msg = "the address of an endpoint holds no spaces and no line breaks"
        raise ValueError(msg)
    parts = urlsplit(url)
    port_is_a_number = parts.port is None or parts.port > 0
    if url and (parts.scheme not in ("http", "https") or not parts.hostname or not port_is_a_number):
        msg = "the address of an endpoint begins with http:// or https:// and names a host, as http://127.0.0.1:8080/v1"
        raise ValueError(msg)
    if parts.username or parts.password or parts.query or parts.fragment:
        msg = (
            "an address with a user, a password or a query is not taken, because it is written into the journal; "
            "give the key in OPENAI_API_KEY"
        )
        raise ValueError(msg)
    if parts.path.rstrip("/").endswith("/completions"):
        msg = "the address of an endpoint ends before /chat/completions, mostly in /v1"
        raise ValueError(msg)
    return url


LONGEST_NAME: Final = 200
"""Characters of a run's name at most."""


RECORDED: Final = {"is_recorded": True}
"""The context in which settings are read from a journal: its run keeps the name that it has."""


def _of_one_line(name: str, info: ValidationInfo) -> str:
    """Return the name of a run without spaces around it. Raises `ValueError` for one that no list could show."""
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
        msg = "a run cannot be named 'last', which is how commands call the run that was written to last"
        raise ValueError(msg)
    return name


EndpointUrl: TypeAlias = Annotated[str, AfterValidator(_without_secrets)]


class RunSettings(BaseModel):
    """Everything that shapes a run. The sentence under each field is its help."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)

    benchmark: str = "ecom"
    """The benchmark: NAME or NAME:ARGUMENT; a registered name (ecom, bitgn), or an importable module."""
    model: str = ""
    """Who plays: baseline, scripted:FILE, a profile's name, or a model's id. Empty for the benchmark's own player."""
    base_url: EndpointUrl = ""
    """Base URL of an OpenAI-compatible endpoint, with its /v1. Empty for OpenAI's own."""
    agent: str = "cited"
    """The solver: cited, or an importable module."""
    gates: str = "all"
    """Which gates reject: all, none, or numbers as 1,4,8."""
    rules: str = "auto"
    """Rule packs beside the gates: auto for those the benchmark names, none, or names as ecom,my.module."""
    concurrency: int = Field(8, ge=1, le=500)
    """How many trials run at a time."""
    limit: int | None = Field(None, ge=1)
    """At most so many trials."""
    repeats: int = Field(1, ge=1, le=1000)
    """How often each task is tried, each time in another world."""
    seed: int = 0
    """The seed of the run: the same seed gives the same worlds."""
    max_steps: int = Field(35, ge=1)
    """Steps of a trial before it is told to answer at once; five more follow."""
    trial_time: float = Field(900.0, gt=0, le=LONGEST_S)
    """Wall-clock seconds that a trial may take."""
    step_time: float = Field(60.0, gt=0, le=LONGEST_S)
    """Wall-clock seconds that one script may take, its calls included; never more than the trial's."""
    opening_chars: int = Field(120_000, ge=0)
    """Characters of documents and listings that the first message may show; what is cut does not count as read."""
    name: Annotated[str, AfterValidator(_of_one_line)] = ""
    """A name for the run, shown in lists and sent to the platform."""
    runs_dir: str = "runs"
    """The folder of the journals."""
    walls: str = "language,process,kernel"
    """The walls around scripts."""
    require_walls: bool = False
    """Refuse to run where a wall that was asked for does not stand."""
    api_key_env: str = "OPENAI_API_KEY"
    """The environment variable that holds the model's key."""
    reply_mode: Literal["schema", "json", "text", "tool"] = "schema"
    """How a model's reply travels: JSON under a schema, plain JSON, text, or the arguments of a tool."""
    max_output_tokens: int | None = Field(None, ge=1)
    """At most so many tokens a reply."""
    temperature: float | None = Field(None, ge=0)
    """The sampling temperature; the endpoint's own where it is not given."""
    model_timeout: float = Field(180.0, gt=0, le=LONGEST_S)
    """Seconds that one request to the model may take."""
    model_patience: float = Field(300.0, ge=0, le=LONGEST_S)
    """Seconds that a step waits for a model that fails in passing before the run is paused."""
    model_retries: int = Field(50, ge=0)
    """Retries that a run has for each trial it runs at a time; every reply gives one back. Then it is paused."""
    poll_time: float = Field(60.0, ge=0, le=LONGEST_S)
    """Seconds to wait for scores after the run was submitted."""
    on_interrupt: Literal["leave", "finish"] = "leave"
    """After Ctrl-C: leave running trials open after their step, or finish them."""
    set: dict[str, str] = Field(default_factory=dict)
    """Options of the benchmark, as KEY=VALUE; may be given more than once."""


class Profile(BaseModel):
    """A model under a name of one's own, in `[profiles.NAME]` of controlplane.toml."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)

    model: str
    """The model's id at its endpoint."""
    base_url: EndpointUrl = ""
    """The endpoint; the run's own where it is empty."""
    api_key_env: str = "OPENAI_API_KEY"
    """The environment variable that holds the key."""
    reply_mode: Literal["schema", "json", "text", "tool"] | None = None
    """How its replies travel; the run's own where it is not given."""
    max_output_tokens: int | None = None
    """At most so many tokens a reply."""
    temperature: float | None = None
    """The sampling temperature."""


class ConfigFile(BaseModel):
    """The whole of controlplane.toml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: dict[str, Any] = Field(default_factory=dict)
    profiles: dict[str, Profile] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Resolved:
    """Settings with their sources, and the profiles that `--model` may name."""

    settings: RunSettings
    sources: Mapping[str, str]
    profiles: Mapping[str, Profile]


def resolve(flags: Mapping[str, object], environ: Mapping[str, str], folder: Path) -> Resolved:
    """Resolve all settings by precedence. `flags` holds those given. Raises `UsageError` naming source and key."""
    file = _ConfigText.read(folder / CONFIG_FILE)
    config = file.parsed()
    values: dict[str, object] = {}
    sources: dict[str, str] = dict.fromkeys(RunSettings.model_fields, "default")
    layers = [
        (CONFIG_FILE, dict(config.run)),
        ("environment", _from_environment(environ)),
        ("flag", dict(flags)),
    ]
    for source, layer in layers:
        for name, value in layer.items():
            if name not in RunSettings.model_fields:
                msg = (
                    f"{file.place('run', name)}: [run] has no setting {name!r}{nearest(name, RunSettings.model_fields)}"
                )
                raise UsageError(msg)
            values[name] = value
            sources[name] = source
    try:
        settings = RunSettings.model_validate(values)
    except ValidationError as error:
        fault = error.errors()[0]
        name = str(fault["loc"][0])
        place = {
            "flag": f"--{name.replace('_', '-')}",
            "environment": _variable(name),
            CONFIG_FILE: f"{file.place('run', name)}: {name}",
        }[sources[name]]
        msg = f"{place}: {_fault_text(fault)}"
        raise UsageError(msg) from error
    return Resolved(_with_profile(settings, sources, config.profiles), sources, config.profiles)


def _with_profile(settings: RunSettings, sources: dict[str, str], profiles: Mapping[str, Profile]) -> RunSettings:
    """Put what the profile named by `model` says into the settings, but for what a flag says."""
    profile = profiles.get(settings.model)
    if profile is None:
        return settings
    said = {name: value for name, value in profile.model_dump().items() if value not in (None, "")}
    kept = {name: value for name, value in said.items() if name == "model" or sources[name] != "flag"}
    sources.update(dict.fromkeys(kept, f"profile {settings.model}"))
    return settings.model_copy(update=kept)


def runs_folder(given: str | None = None) -> Path:
    """Return the folder of the journals: the one given, else that of the environment, controlplane.toml, the default.

    Raises `UsageError` where controlplane.toml has to be asked and cannot be read.
    """
    named = given or os.environ.get(_variable("runs_dir"))
    if named:
        return Path(named)
    file = _ConfigText.read(Path.cwd() / CONFIG_FILE)
    named = file.parsed().run.get("runs_dir", RunSettings.model_fields["runs_dir"].default)
    if not isinstance(named, str):
        msg = f"{file.place('run', 'runs_dir')}: runs_dir: a folder is named by a text, not by {named!r}"
        raise UsageError(msg)
    return Path(named)


def _fault_text(fault: ErrorDetails) -> str:
    """Return what is wrong with a value. Faults of our own words do not repeat it: it may hold a secret."""
    if fault["type"] == "value_error":
        return str(fault["ctx"]["error"])
    return f"{fault['msg'].removesuffix('.')}, not {fault['input']!r}"


def _variable(name: str) -> str:
    return ENVIRONMENT_NAMES.get(name, _PREFIX + name.upper())


def _from_environment(environ: Mapping[str, str]) -> dict[str, object]:
    known = {_variable(name): name for name in RunSettings.model_fields if name != "set"}
    for variable in environ:
        if variable.startswith(_PREFIX) and variable not in known and variable not in NO_SETTINGS:
            spellings = {each: each for each in known} | {_PREFIX + name.upper(): each for each, name in known.items()}
            meant = difflib.get_close_matches(variable, spellings, n=1, cutoff=0.85)
            if meant:
                msg = f"the environment has {variable}, which sets nothing; did you mean {spellings[meant[0]]}?"
                raise UsageError(msg)
    return {name: environ[variable] for variable, name in known.items() if environ.get(variable)}


@dataclass(frozen=True, slots=True)
class _ConfigText:
    """The configuration file as text, so that a fault in it can be named with its line."""

    path: Path
    text: str

    @classmethod
    def read(cls, path: Path) -> _ConfigText:
        """Read the file; one that is not there is empty. Raises `UsageError`."""
        try:
            return cls(path, path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return cls(path, "")
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            msg = f"{path}, line {line}: it is not UTF-8 text"
            raise UsageError(msg) from error
        except OSError as error:
            msg = f"cannot read {path}: {error.strerror}"
            raise UsageError(msg) from error

    def parsed(self) -> ConfigFile:
        """Return what the file holds. Raises `UsageError` naming line and key."""
        try:
            return ConfigFile.model_validate(tomllib.loads(self.text))
        except tomllib.TOMLDecodeError as error:
            msg = f"{self.path} is no TOML: {error}"
            raise UsageError(msg) from error
        except ValidationError as error:
            fault = error.errors()[0]
            *table, key = [str(each) for each in fault["loc"] if each != "[key]"]
            known = Profile.model_fields if table else ConfigFile.model_fields
            unknown = f"there is no such key{nearest(key, known)}"
            text = unknown if fault["type"] == "extra_forbidden" else _fault_text(fault)
            msg = f"{self.place('.'.join(table), key)}: {'.'.join([*table, key])}: {text}"
            raise UsageError(msg) from error

    def place(self, table: str, key: str) -> str:
        """Return the file and the line that sets `key` in `table`, or that heads the table; TOML keeps no positions."""
        found, here = 0, ""
        for number, line in enumerate(self.text.splitlines(), start=1):
            bare = line.strip()
            if bare.startswith("["):
                here = bare.split("#")[0].strip().strip("[]").replace('"', "").replace(" ", "")
                if here == ".".join(filter(None, (table, key))) or (here == table and not found):
                    found = number
            elif here == table and bare.split("=")[0].strip().strip("\"'") == key:
                return f"{self.path}, line {number}"
        return f"{self.path}, line {found}" if found else str(self.path)
