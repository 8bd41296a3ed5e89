"""Determines the value of each setting of a new run if several sources offer one.

For example, controlplane.toml says `concurrency = 4`, the environment has
CONTROLPLANE_CONCURRENCY=2, and the user types `--concurrency 16`: it is 16, and its
source is `flag`. `resolve` has the order of the sources.

The module `recorded_settings` is about a run that is continued or played again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, get_args

from pydantic import ValidationError

from controlplane.configuration.config_file import (
    CONFIG_VARIABLE,
    ConfigFile,
    config_path,
    read_config,
)
from controlplane.configuration.model_settings import ModelSettings, Profile
from controlplane.configuration.run_settings import Role, RunSettings, first_fault
from controlplane.errors import UsageError, did_you_mean, nearest_name
from controlplane.journal.journal_files import CONFIG_FILE, RUNS_DIR, journals_folder
from controlplane.journal.run_events import EARLIER_SETTING_NAMES, todays_setting_name

# Settings that environment variables give.
#
# `CONTROLPLANE_CONCURRENCY=4` sets `concurrency`. The model and its address have the names that
# other programs use: `MODEL_ID` and `OPENAI_BASE_URL`.

_VARIABLE_PREFIX: Final = "CONTROLPLANE_"
_VARIABLES: Final = {"model": "MODEL_ID", "base_url": "OPENAI_BASE_URL"}
"""Settings whose environment variable does not consist of the prefix and the setting's name."""
_OTHER_VARIABLES: Final = frozenset(
    {"CONTROLPLANE_CALLED_AS", "CONTROLPLANE_SERVE_KEY", CONFIG_VARIABLE}
)
"""Variables of the product that are not settings."""
_SETTINGS_WITHOUT_VARIABLE: Final = frozenset({"set", "role"})
"""Settings that are mappings, which the text of one variable cannot express."""


_LIKELY_MISSPELT: Final = 0.85
"""The least similarity (0 to 1, difflib) at which a variable counts as a misspelled setting."""


def variable_of(name: str) -> str:
    """Return the environment variable of a setting, such as `CONTROLPLANE_SEED` of `seed`."""
    return _VARIABLES.get(name, _VARIABLE_PREFIX + name.upper())


def _settings_in_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that environment variables set.

    Raises `UsageError` for a variable with the product's
    prefix that looks like a misspelled setting.
    """
    settings_by_variable = {}
    for name in RunSettings.model_fields:
        if name not in _SETTINGS_WITHOUT_VARIABLE:
            settings_by_variable[variable_of(name)] = name
    # An unknown variable is passed over: a limit in it must not get lost.
    for earlier_name, name in EARLIER_SETTING_NAMES.items():
        settings_by_variable[variable_of(earlier_name)] = name
    for variable in sorted(environ):
        _check_spelling(variable, settings_by_variable)

    values = {}
    for variable, name in settings_by_variable.items():
        if environ.get(variable):
            values[name] = environ[variable]
    return values


def _check_spelling(variable: str, settings_by_variable: Mapping[str, str]) -> None:
    """Raise `UsageError` for a misspelt variable, such as `CONTROLPLANE_CONCURENCY`.

    It sets nothing, begins as the product's variables do, and resembles one of them.
    """
    if not variable.startswith(_VARIABLE_PREFIX):
        return
    if variable in settings_by_variable or variable in _OTHER_VARIABLES:
        return

    # The model's variable is MODEL_ID, but users also try CONTROLPLANE_MODEL: suggest MODEL_ID.
    suggestions = {}
    for known_variable, setting in settings_by_variable.items():
        suggestions[known_variable] = known_variable
        suggestions[_VARIABLE_PREFIX + setting.upper()] = known_variable
    nearest = nearest_name(variable, suggestions, least=_LIKELY_MISSPELT)
    if nearest:
        msg = (
            f"the environment has {variable}, which sets nothing; "
            f"did you mean {suggestions[nearest]}?"
        )
        raise UsageError(msg)


FLAG: Final = "flag"
PROFILE_PREFIX: Final = "profile "
"""Begins the source of a setting that comes from a profile, such as `profile fast`."""
ENVIRONMENT: Final = "environment"
DEFAULT: Final = "default"


@dataclass(frozen=True, slots=True)
class Resolved:
    """The settings of a run with their sources, and the other content of controlplane.toml."""

    settings: RunSettings
    sources: Mapping[str, str]
    """The source of each setting: `flag`, `environment`,
    `controlplane.toml`, `default`, or `profile NAME`."""
    profiles: Mapping[str, Profile]
    """The profiles that `--model` may name. A profile is a named set of settings for one model."""
    mcp: Mapping[str, object] = field(default_factory=dict)
    """The MCP servers of controlplane.toml by name."""


def resolve(
    flags: Mapping[str, object], environ: Mapping[str, str], folder: Path
) -> Resolved:
    """Return all settings of a new run. `flags` holds only the flags that the user gave.

    The first of these sources that has a setting decides its value:

    1. A flag: it is the user's most specific wish.
    2. The profile, if `--model` names one: it has the settings of its model.
    3. The environment.
    4. controlplane.toml.
    5. The default.

    Raises `UsageError`, whose message names the source and the setting.
    """
    path = config_path(folder)
    config = read_config(path)
    offers: dict[str, Mapping[str, Any]] = {
        CONFIG_FILE: _with_todays_names(config.run),
        ENVIRONMENT: _settings_in_environment(environ),
        FLAG: _with_todays_names(flags),
    }
    # Flags and variables exist only for known settings.
    for name in offers[CONFIG_FILE]:
        if name not in RunSettings.model_fields:
            hint = did_you_mean(name, RunSettings.model_fields)
            msg = f"{path}: [run] has no setting {name!r}{hint}"
            raise UsageError(msg)

    # Choose without profiles first, since this tells which profile is meant.
    values: dict[str, Any] = {}
    sources = dict.fromkeys(RunSettings.model_fields, DEFAULT)
    for source, offer in offers.items():  # A later one has precedence.
        values |= offer
        sources |= dict.fromkeys(offer, source)
    profile_names = _profile_names_by_role(values.pop("role", {}), config, path)
    if profile_names and sources["role"] == DEFAULT:
        sources["role"] = CONFIG_FILE  # They come from its table [roles].
    # A folder of journals that a flag or the environment names is the user's choice. Another one
    # must not be a link to outside the working folder.
    runs_dir = values.get("runs_dir", RUNS_DIR)
    if sources["runs_dir"] in (DEFAULT, CONFIG_FILE) and isinstance(runs_dir, str):
        journals_folder(runs_dir)  # It raises the error. The folder is not needed here.
    settings = _validated(values, sources, path)

    # The profile of the model that solves the tasks overrides all sources but flags.
    overrides: dict[str, Any] = {}
    solver_profile = _solver_profile(settings.model, profile_names, sources)
    if solver_profile in config.profiles:
        overrides = _overrides(config.profiles[solver_profile], sources)
        for name in overrides:
            sources[name] = PROFILE_PREFIX + solver_profile

    # Every other role with a profile has settings of its own.
    overrides["role"] = {}
    for role, profile_name in profile_names.items():
        if role != "solve":
            profile = config.profiles[profile_name]
            overrides["role"][role] = _model_settings(settings, profile)

    return Resolved(
        settings.model_copy(update=overrides), sources, config.profiles, config.mcp
    )


def _with_todays_names(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by setting: `{"max_tokens_run": 9}` -> `{"run_tokens": 9}`."""
    return {todays_setting_name(name): value for name, value in values.items()}


def _validated(
    values: Mapping[str, Any], sources: Mapping[str, str], path: Path
) -> RunSettings:
    """Return checked settings. Raises `UsageError` naming the source of the first wrong one."""
    try:
        return RunSettings.model_validate(values)
    except ValidationError as error:
        keys, fault = first_fault(error)
        name, *inner_keys = keys  # For example, ["prices", "input"].
        source = sources[name]
        if source == FLAG:
            place = f"--{name.replace('_', '-')}"
        elif source == ENVIRONMENT:
            place = variable_of(name)
        else:
            place = f"{path}: {name}"
        msg = ": ".join((place, *inner_keys, fault))
        raise UsageError(msg) from error


# Profiles and roles


def _solver_profile(
    model: str, profile_names: Mapping[str, str], sources: Mapping[str, str]
) -> str:
    """Return the name of the profile for the model that solves the tasks.

    This is the profile of the role `solve`, or else `model`, which may also be a model's id.
    `--role solve=PROFILE` overrides `--model`; the table [roles] of controlplane.toml
    does not.
    """
    if sources["model"] == FLAG and sources["role"] != FLAG:
        return model
    return profile_names.get("solve", model)


def _overrides(profile: Profile, sources: Mapping[str, str]) -> dict[str, Any]:
    """Return the values that a profile sets, except for settings that have a flag.

    The model is among them in any case: in `--model fast`, the flag is the profile's name.
    """
    overrides = {}
    for name, value in _given_fields(profile).items():
        if sources[name] != FLAG or name == "model":
            overrides[name] = value
    return overrides


def _given_fields(profile: Profile) -> dict[str, Any]:
    """Return the settings that a profile sets explicitly."""
    return {name: getattr(profile, name) for name in profile.model_fields_set}


def _model_settings(settings: RunSettings, profile: Profile) -> ModelSettings:
    """Return the settings of a role's model: those of its profile, and else the run's own."""
    values = {name: getattr(settings, name) for name in ModelSettings.model_fields}
    values |= _given_fields(profile)
    # Both sources are checked already, and a second check would parse their values once more.
    return ModelSettings.model_construct(**values)


def _profile_names_by_role(
    roles_in_settings: object, config: ConfigFile, path: Path
) -> dict[str, str]:
    """Return the name of each role's profile, if it has one: `{"review": "fast"}`.

    `roles_in_settings` are the values of `--role ROLE=PROFILE`, which override those of
    the table [roles]. If it is not a mapping, it gives no roles.
    """
    overriding: dict[str, str] = {}
    if isinstance(roles_in_settings, dict):
        for role, profile_name in roles_in_settings.items():
            overriding[str(role)] = str(profile_name)
    profile_names: dict[str, str] = {
        str(role): name for role, name in config.roles.items()
    }
    profile_names.update(overriding)

    roles = get_args(Role)
    for role, name in profile_names.items():
        place = "--role" if role in overriding else f"{path}: roles.{role}"
        if role not in roles:
            msg = f"{place}: there is no role {role!r}{did_you_mean(role, roles)}"
            raise UsageError(msg)
        if name not in config.profiles:
            msg = f"{place}: there is no profile {name!r}{did_you_mean(name, config.profiles)}"
            raise UsageError(msg)
    return profile_names


# Faults that show later


def name_the_file(error: UsageError, sources: Mapping[str, str]) -> UsageError:
    """Return an error about a flag as one about controlplane.toml if the value came from there.

    Code that finds a fault in a setting does not know the setting's source: its message
    begins with the flag, such as `--gates: there is no gate 99`. If controlplane.toml
    has that value, this becomes `controlplane.toml: gates: there is no gate 99`.

    Any other error is returned unchanged.
    """
    text = str(error)
    if not text.startswith("--"):
        return error
    flag = text.partition(":")[0].partition(" ")[0]  # `--gates 99: ...` also occurs.
    setting = flag.removeprefix("--").replace("-", "_")
    source = sources.get(setting, "")
    if source == CONFIG_FILE or source.startswith(PROFILE_PREFIX):
        return UsageError(f"{config_path(Path.cwd())}: {text.removeprefix('--')}")
    return error
