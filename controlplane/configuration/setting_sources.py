"""Resolves settings from their sources: flags, the environment, controlplane.toml with its profiles, defaults.

Until the user trusts the content of a configuration that lies in a folder, it sets only what cannot run, send or spend.
Trusted contents are kept by hash in the user's state folder.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent.model import Prices
from controlplane.configuration.run_settings import ENVIRONMENT_NAMES, ModelSettings, Profile, Role, RunSettings
from controlplane.errors import UsageError, did_you_mean, nearest_name
from controlplane.journal.journal_lines import (
    CONFIG_FILE,
    RUNS_DIR,
    journals_folder,
    open_regular,
    private_bytes,
    state_path,
)
from controlplane.older_names import SETTINGS as OLDER_SETTINGS

CONFIG_VARIABLE: Final = "CONTROLPLANE_CONFIG"
"""Names the configuration file to use instead of the working folder's; what the user names is trusted."""
HARMLESS: Final = frozenset(
    {
        "same_scripts",
        *("limit", "seed", "max_steps", "concurrency", "name", "fallback", "initial_prompt_chars"),
        *("trial_time", "step_time", "run_time", "run_cost", "trial_cost", "max_tokens_run", "poll_time"),
        *("model_timeout", "model_patience", "model_retries", "max_output_tokens", "max_context_tokens"),
        *("temperature", "top_p", "sampling_seed", "reasoning_effort", "reply_mode"),
    }
)
"""Settings of `[run]` that start no program, import no module, and name no address, key, price, layer or place to
write; `runs_dir` is one if it lies below the folder."""
_TRUSTED_FILES: Final = "controlplane/trusted-files"
MOST_CONFIG_BYTES: Final = 1_000_000


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
        if (named and _place(path) == _place(Path(named))) or _place(path).parent == Path.home().resolve():
            return True
    return _hash_line(path, content) in private_bytes(_TRUSTED_FILES, 1 << 20).split()


def config_bytes(path: Path) -> bytes:
    """Return the content of a configuration. Raises `OSError` for anything but a file of a configuration's size."""
    with open_regular(path) as file:
        content = file.read(MOST_CONFIG_BYTES + 1)
    if len(content) > MOST_CONFIG_BYTES:
        raise OSError(errno.EFBIG, f"it is larger than {MOST_CONFIG_BYTES:,} bytes")
    return content


def trust(path: Path, content: bytes) -> None:
    """Trust this content of the file at `path` from now on. Raises `OSError` if the state folder cannot be written."""
    with open_regular(state_path(_TRUSTED_FILES, makes=True), os.O_WRONLY | os.O_APPEND | os.O_CREAT) as file:
        file.write(_hash_line(path, content) + b"\n")


def _current(settings: Mapping[str, Any], place: str = "") -> dict[str, Any]:
    """Return settings under their present names; say in a line about each older name what has replaced it."""
    for name in settings.keys() & OLDER_SETTINGS.keys() if place else ():
        _print_once(f"{place}: {name} is now {OLDER_SETTINGS[name]}")
    return {OLDER_SETTINGS.get(name, name): value for name, value in settings.items()}


def _is_harmless(name: str, value: object) -> bool:
    """Say whether a setting of `[run]` applies without trust, or is unknown and refused later."""
    if name == "runs_dir":
        return isinstance(value, str) and not value.startswith(("/", "~")) and ".." not in Path(value).parts
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
    for source, layer in ((CONFIG_FILE, config.run), ("environment", _from_environment(environ)), ("flag", flags)):
        for name in layer:
            if name not in RunSettings.model_fields:
                msg = f"{path}: [run] has no setting {name!r}{did_you_mean(name, RunSettings.model_fields)}"
                raise UsageError(msg)
        values |= layer
        sources |= dict.fromkeys(layer, source)
    roles = _named_roles(values.pop("role", {}), config, path)
    if sources["runs_dir"] in ("default", CONFIG_FILE) and isinstance(named := values.get("runs_dir", RUNS_DIR), str):
        journals_folder(named)
    try:
        settings = RunSettings.model_validate(values)
    except ValidationError as error:
        (name, *inside), text = first_fault(error)
        place = {"flag": f"--{name.replace('_', '-')}", "environment": _variable(name), CONFIG_FILE: f"{path}: {name}"}[
            sources[name]
        ]
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
        kept = {name: value for name, value in own.items() if name == "model" or sources[name] != "flag"}
        sources |= dict.fromkeys(kept, PROFILE + settings.model)
    settings = settings.model_copy(update={"role": others, **kept})
    return Resolved(settings, sources, config.profiles, config.mcp)


def _named_roles(given: object, config: ConfigFile, path: Path) -> dict[str, str]:
    """Return the profile of each role; those `given` by flag override the file's. Raises `UsageError`."""
    flags = {str(role): str(name) for role, name in given.items()} if isinstance(given, dict) else {}
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


KEYS: Final = (*ConfigFile.model_fields, *Profile.model_fields, *Prices.model_fields, *get_args(Role))
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
    variables = {_variable(name): name for name in RunSettings.model_fields if name not in ("set", "role")}
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
    ignored = {"run": left_out, "profiles": config.profiles, "roles": config.roles, "mcp": config.mcp}
    if names := ", ".join(f"{table}.{name}" for table, names in ignored.items() for name in names):
        _print_once(f"{path} does not set {names}: read the file and, if you trust it: controlplane trust")
    return ConfigFile(run=run)
