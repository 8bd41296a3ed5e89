"""The settings of a run, each with the source its value came from: flag, environment, controlplane.toml, default.

Secrets are no settings: `OPENAI_API_KEY` and its like are read from the environment by what needs them, and stored
nowhere.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from controlplane.errors import UsageError
from controlplane.loading import nearest

CONFIG_FILE: Final = "controlplane.toml"
ENVIRONMENT_NAMES: Final = {"model": "MODEL_ID", "base_url": "OPENAI_BASE_URL"}
"""Settings whose environment variable is not `CONTROLPLANE_` and their name."""


class RunSettings(BaseModel):
    """Everything that shapes a run. The sentence under each field is its help."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    benchmark: str = "ecom"
    """The benchmark: NAME or NAME:ARGUMENT; a registered name (ecom, bitgn), or an importable module."""
    model: str = ""
    """Who plays: baseline, scripted:FILE, a profile's name, or a model's id. Empty for the benchmark's own player."""
    base_url: str = ""
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
    repeats: int = Field(1, ge=1)
    """How often each task is tried, each time in another world."""
    seed: int = 0
    """The seed of the run: the same seed gives the same worlds."""
    max_steps: int = Field(35, ge=1)
    """Steps of a trial before it is told to answer at once; five more follow."""
    trial_time: float = Field(900.0, gt=0)
    """Wall-clock seconds that a trial may take."""
    step_time: float = Field(60.0, gt=0)
    """Wall-clock seconds that one script may take, its calls included; never more than the trial's."""
    opening_chars: int = Field(120_000, ge=0)
    """Characters of documents and listings that the first message may show; what is cut does not count as read."""
    name: str = ""
    """A name for the run, shown in lists and sent to the platform."""
    runs_dir: str = "runs"
    """The folder of the journals."""
    walls: str = "language,process,kernel"
    """The walls around scripts."""
    require_walls: bool = False
    """Refuse to run where a wall that was asked for does not stand."""
    reply_mode: Literal["schema", "json", "text", "tool"] = "schema"
    """How a model's reply travels: JSON under a schema, plain JSON, text, or the arguments of a tool."""
    max_output_tokens: int | None = Field(None, ge=1)
    """At most so many tokens a reply."""
    temperature: float | None = Field(None, ge=0)
    """The sampling temperature; the endpoint's own where it is not given."""
    model_timeout: float = Field(180.0, gt=0)
    """Seconds that one request to the model may take."""
    model_patience: float = Field(300.0, ge=0)
    """Seconds that a step waits for a model that fails in passing before the run is paused."""
    model_retries: int = Field(50, ge=0)
    """Retries that a run has for each trial it runs at a time; every reply gives one back. Then it is paused."""
    poll_time: float = Field(60.0, ge=0)
    """Seconds to wait for scores after the run was submitted."""
    on_interrupt: Literal["leave", "finish"] = "leave"
    """After Ctrl-C: leave running trials open after their step, or finish them."""
    set: dict[str, str] = Field(default_factory=dict)
    """Options of the benchmark, as KEY=VALUE; may be given more than once."""


class Profile(BaseModel):
    """A model under a name of one's own, in `[profiles.NAME]` of controlplane.toml."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    model: str
    """The model's id at its endpoint."""
    base_url: str = ""
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
    config = _read_config(folder / CONFIG_FILE)
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
                msg = f"{source}: [run] has no setting {name!r}{nearest(name, RunSettings.model_fields)}"
                raise UsageError(msg)
            values[name] = value
            sources[name] = source
    try:
        return Resolved(RunSettings.model_validate(values), sources, config.profiles)
    except ValidationError as error:
        fault = error.errors()[0]
        name = str(fault["loc"][0])
        msg = f"{name.replace('_', '-')} ({sources.get(name, '?')}): {fault['msg']}, not {fault['input']!r}"
        raise UsageError(msg) from error


def _from_environment(environ: Mapping[str, str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name in RunSettings.model_fields:
        value = environ.get(ENVIRONMENT_NAMES.get(name, f"CONTROLPLANE_{name.upper()}"), "")
        if value and name != "set":
            found[name] = value
    return found


def _read_config(path: Path) -> ConfigFile:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ConfigFile()
    except (OSError, UnicodeDecodeError) as error:
        msg = f"cannot read {path}: {error}"
        raise UsageError(msg) from error
    try:
        return ConfigFile.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        msg = f"{path} is no TOML: {error}"
        raise UsageError(msg) from error
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(str(each) for each in fault["loc"])
        line = _line_of(text, str(fault["loc"][-1]))
        msg = f"{path}{line}: {where}: {fault['msg']}"
        raise UsageError(msg) from error


def _line_of(text: str, key: str) -> str:
    """Return `, line N` for the line that sets or heads `key`; TOML's own reader keeps no positions."""
    for number, line in enumerate(text.splitlines(), start=1):
        bare = line.strip()
        if bare.split("=")[0].strip().strip('"') == key or bare.strip("[]").split(".")[-1] == key:
            return f", line {number}"
    return ""
