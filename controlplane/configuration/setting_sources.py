"""Determines the value of each setting if several sources offer one.

`winning_source` defines the precedence. `resolve` applies it to a new run, and the module
`recorded_settings` to a run that is continued or played again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
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
from controlplane.configuration.run_settings import (
    ModelSettings,
    Profile,
    Role,
    RunSettings,
    first_fault,
)
from controlplane.errors import UsageError, did_you_mean, nearest_name
from controlplane.journal.journal_files import CONFIG_FILE, RUNS_DIR, journals_folder

FLAG: Final = "flag"
PROFILE: Final = "profile "
"""The source of a setting from a profile is this and the profile's name."""
ENVIRONMENT: Final = "environment"
RECORDED: Final = "recorded run"
DEFAULT: Final = "default"

VARIABLE_PREFIX: Final = "CONTROLPLANE_"
VARIABLES: Final = {"model": "MODEL_ID", "base_url": "OPENAI_BASE_URL"}
"""Settings whose environment variable does not consist of the prefix and the setting's name."""
VARIABLES_OF_NO_SETTING: Final = frozenset(
    {"CONTROLPLANE_CALLED_AS", "CONTROLPLANE_SERVE_KEY", CONFIG_VARIABLE}
)
SETTINGS_WITHOUT_VARIABLE: Final = frozenset({"set", "role"})
"""Settings that are mappings, which the text of one variable cannot express."""


def winning_source(
    name: str, offered: Collection[str], *, profile: str = "", recorded_from: str | None = None
) -> str:
    """Return the source that decides the setting `name`, of those that `offered` a value.

    - `profile`: the source for the profile, if the model's name is that of a profile.
    - `recorded_from`: the source of the recorded value of a continued run; None for a new run.

    The precedence, highest first:

    1. for `model`, the profile: its model id replaces the profile's name that the user gave; 2. a
    flag: it is the user's most specific wish; 3. the profile: its settings belong to its model; 4.
    the recorded run: it continues as it began. An exception is an endpoint's address that came from
    the environment: the current environment decides it, since servers move between sessions; 5. the
    environment, then controlplane.toml, then the default: the more specific one first.
    """
    if profile in offered and name == "model":
        return profile
    if FLAG in offered:
        return FLAG
    if profile in offered:
        return profile
    if RECORDED in offered:
        endpoint_may_have_moved = name == "base_url" and recorded_from == ENVIRONMENT
        if endpoint_may_have_moved and ENVIRONMENT in offered:
            return ENVIRONMENT
        return RECORDED
    for source in (ENVIRONMENT, CONFIG_FILE):
        if source in offered:
            return source
    return DEFAULT


@dataclass(frozen=True, slots=True)
class Resolved:
    """The settings of a run with their sources, and the other content of controlplane.toml."""

    settings: RunSettings
    sources: Mapping[str, str]
    """The source of each setting: `flag`, `environment`, `controlplane.toml`, `default`, or
    `profile NAME`."""
    profiles: Mapping[str, Profile]
    """The profiles that `--model` may name."""
    mcp: Mapping[str, object] = field(default_factory=dict)
    """The MCP servers of controlplane.toml by name."""


def resolve(flags: Mapping[str, object], environ: Mapping[str, str], folder: Path) -> Resolved:
    """Return all settings of a new run. `flags` holds only the flags that the user gave.

    Raises `UsageError`, whose message names the source and the setting.
    """
    path = config_path(folder)
    config = read_config(path)
    offers: dict[str, Mapping[str, Any]] = {
        CONFIG_FILE: config.run,
        ENVIRONMENT: settings_in_environment(environ),
        FLAG: flags,
    }
    _check_names(offers, path)

    # 1. Resolve each setting on its own, without profiles.
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for name in RunSettings.model_fields:
        offered = [source for source, offer in offers.items() if name in offer]
        source = winning_source(name, offered)
        sources[name] = source
        if source != DEFAULT:
            values[name] = offers[source][name]
    role_profiles = _profiles_of_roles(values.pop("role", {}), config, path)
    if role_profiles and sources["role"] == DEFAULT:
        sources["role"] = CONFIG_FILE  # They come from its table [roles].
    _check_runs_folder(values, sources["runs_dir"])
    settings = _validated(values, sources, path)

    # 2. The profile of the role `solve` replaces the model, unless `--model` has precedence.
    playing_profile = role_profiles.pop("solve", None)
    model_flag_beats_file = sources["model"] == FLAG and sources["role"] != FLAG
    if playing_profile is not None and not model_flag_beats_file:
        settings = settings.model_copy(update={"model": playing_profile})
        sources["model"] = sources["role"]

    # 3. Take the models of other roles from their profiles.
    models_of_roles = {}
    for role, profile_name in role_profiles.items():
        models_of_roles[role] = _model_settings(settings, config.profiles[profile_name])
    settings = settings.model_copy(update={"role": models_of_roles})

    # 4. If the model's name is that of a profile, apply the profile's settings.
    profile = config.profiles.get(settings.model)
    if profile is not None:
        profile_source = PROFILE + settings.model
        from_profile = _values_from_profile(profile, profile_source, sources)
        settings = settings.model_copy(update=from_profile)
        sources.update(dict.fromkeys(from_profile, profile_source))
    return Resolved(settings, sources, config.profiles, config.mcp)


def _values_from_profile(
    profile: Profile, profile_source: str, sources: Mapping[str, str]
) -> dict[str, Any]:
    """Return the settings of the model's profile that have precedence over their `sources` so
    far."""
    values = {}
    for name, value in _given_fields(profile).items():
        offered = [profile_source, sources[name]]
        if winning_source(name, offered, profile=profile_source) == profile_source:
            values[name] = value
    return values


def _check_names(offers: Mapping[str, Mapping[str, Any]], path: Path) -> None:
    for offer in offers.values():
        for name in offer:
            if name not in RunSettings.model_fields:
                hint = did_you_mean(name, RunSettings.model_fields)
                msg = f"{path}: [run] has no setting {name!r}{hint}"
                raise UsageError(msg)


def _check_runs_folder(values: Mapping[str, Any], source: str) -> None:
    """Raise `UsageError` if the folder of journals is a link to outside the working folder.

    A folder that a flag or the environment names is exempt, since the user chose it.
    """
    named = values.get("runs_dir", RUNS_DIR)
    if source in (DEFAULT, CONFIG_FILE) and isinstance(named, str):
        journals_folder(named)


def _validated(values: Mapping[str, Any], sources: Mapping[str, str], path: Path) -> RunSettings:
    try:
        return RunSettings.model_validate(values)
    except ValidationError as error:
        (name, *inside), text = first_fault(error)
        match sources[name]:
            case "flag":
                place = f"--{name.replace('_', '-')}"
            case "environment":
                place = variable_of(name)
            case _:
                place = f"{path}: {name}"
        msg = ": ".join((place, *inside, text))
        raise UsageError(msg) from error


# Profiles and roles


def _given_fields(profile: Profile) -> dict[str, Any]:
    """Return the settings that a profile sets explicitly."""
    return {name: getattr(profile, name) for name in profile.model_fields_set}


def _model_settings(settings: RunSettings, profile: Profile) -> ModelSettings:
    """Return the run's settings of its model, overridden by those of a profile."""
    values = {name: getattr(settings, name) for name in ModelSettings.model_fields}
    values |= _given_fields(profile)
    return ModelSettings.model_construct(**values)


def _profiles_of_roles(given: object, config: ConfigFile, path: Path) -> dict[str, str]:
    """Return the profile's name for each role. Flags override controlplane.toml."""
    from_flags: dict[str, str] = {}
    if isinstance(given, dict):
        for role, name in given.items():
            from_flags[str(role)] = str(name)
    named: dict[str, str] = {str(role): name for role, name in config.roles.items()}
    named |= from_flags

    roles = get_args(Role)
    for role, name in named.items():
        place = "--role" if role in from_flags else f"{path}: roles.{role}"
        if role not in roles:
            msg = f"{place}: there is no role {role!r}{did_you_mean(role, roles)}"
            raise UsageError(msg)
        if name not in config.profiles:
            msg = f"{place}: there is no profile {name!r}{did_you_mean(name, config.profiles)}"
            raise UsageError(msg)
    return named


# The environment

LIKELY_MISSPELT: Final = 0.85
"""The least similarity (0 to 1, difflib) at which a variable counts as a misspelled setting."""


def variable_of(name: str) -> str:
    """Return the environment variable of a setting."""
    return VARIABLES.get(name, VARIABLE_PREFIX + name.upper())


def settings_in_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that environment variables set.

    Raises `UsageError` for a variable with the product's prefix that looks like a misspelled
    setting.
    """
    settings_by_variable = {}
    for name in RunSettings.model_fields:
        if name not in SETTINGS_WITHOUT_VARIABLE:
            settings_by_variable[variable_of(name)] = name
    for variable in sorted(environ):
        _check_spelling(variable, settings_by_variable)

    values = {}
    for variable, name in settings_by_variable.items():
        if environ.get(variable):
            values[name] = environ[variable]
    return values


def _check_spelling(variable: str, settings_by_variable: Mapping[str, str]) -> None:
    """Raise `UsageError` if a variable sets nothing, and its name resembles one that does."""
    if not variable.startswith(VARIABLE_PREFIX):
        return
    if variable in settings_by_variable or variable in VARIABLES_OF_NO_SETTING:
        return
    # For a setting with a special variable (MODEL_ID), suggest that for its regular name, too.
    variables_by_spelling = {}
    for right, name in settings_by_variable.items():
        variables_by_spelling[right] = right
        variables_by_spelling[VARIABLE_PREFIX + name.upper()] = right
    nearest = nearest_name(variable, variables_by_spelling, least=LIKELY_MISSPELT)
    if nearest:
        meant = variables_by_spelling[nearest]
        msg = f"the environment has {variable}, which sets nothing; did you mean {meant}?"
        raise UsageError(msg)


# Faults that show later


def name_the_file(error: UsageError, sources: Mapping[str, str]) -> UsageError:
    """Return an error about a flag as one about controlplane.toml if the value came from there.

    Any other error is returned unchanged.
    """
    text = str(error)
    if not text.startswith("--"):
        return error
    flag = text.partition(":")[0].partition(" ")[0]
    setting = flag.removeprefix("--").replace("-", "_")
    source = sources.get(setting, "")
    if source == CONFIG_FILE or source.startswith(PROFILE):
        return UsageError(f"{config_path(Path.cwd())}: {text.removeprefix('--')}")
    return error
