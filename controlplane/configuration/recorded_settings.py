"""The settings of a recorded run: as it began, and as it is continued or played again here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from controlplane.configuration.run_settings import (
    ModelSettings,
    RunSettings,
    Use,
    first_fault,
    settings_with,
)
from controlplane.configuration.setting_sources import (
    DEFAULT,
    ENVIRONMENT,
    FLAG,
    PROFILE,
    RECORDED,
    Resolved,
    resolve,
    winning_source,
)
from controlplane.errors import UsageError
from controlplane.journal.journal_files import CONFIG_FILE

if TYPE_CHECKING:
    from controlplane.journal.journal_reader import Journal

LIMITS_OF_A_STEP: Final = ("step_time", "trial_time")
"""Settings that bound how long this machine works for a recorded script."""


def check_own(journal: Journal, *, is_trusted: bool) -> None:
    """Raise `UsageError` unless every event of a journal has this user's mark, or the user trusts
    it."""
    if not (journal.is_own or is_trusted):
        msg = (
            f"{journal.run} can only be read: {journal.fault_of_marks}; "
            "if you trust all that it holds, add --trust"
        )
        raise UsageError(msg)


def settings_of(journal: Journal) -> RunSettings:
    """Return the settings that a journal's run started with. Raises `UsageError` if they are not
    valid."""
    values = {}
    for setting in journal.opened.settings:
        if setting.name in RunSettings.model_fields:
            values[setting.name] = setting.value
    try:
        return RunSettings.model_validate(values)
    except ValidationError as error:
        name = error.errors()[0]["loc"][0]
        msg = (
            f"{journal.path} was recorded with a {name} that this version does not accept; "
            "start a new run"
        )
        raise UsageError(msg) from error


def settings_here(journal: Journal, flags: Mapping[str, object]) -> RunSettings:
    """Return the settings with which a journal's run is continued or played again here.

    `flags` are those that the user gives now: they decide the settings that they name. All other settings are the
    recorded ones, except those for requests of models (`ModelSettings`):

    - An endpoint's address that the run had from the environment follows the environment.
    - Another model (`--model`) brings what its profile names. If the run had no endpoint's address, the environment
      and controlplane.toml also decide what they name today.

    Raises `UsageError` naming the flag.
    """
    recorded = settings_of(journal)
    now = _resolved_now(flags)
    values: dict[str, Any] = recorded.model_dump()
    for name in RunSettings.model_fields:
        if name in ModelSettings.model_fields:
            if _source_here(name, journal, recorded, now, flags) != RECORDED:
                values[name] = getattr(now.settings, name)
        elif name in flags:
            values[name] = flags[name]
    return _validated(values)


def _source_here(
    name: str,
    journal: Journal,
    recorded: RunSettings,
    now: Resolved,
    flags: Mapping[str, object],
) -> str:
    """Return the source that decides a setting for requests: `RECORDED`, or its source in a new run.

    `now` are the settings that a new run would have.
    """
    source_now = now.sources[name]
    # The journal holds the texts themselves, and their files may have changed since.
    if name in settings_with(Use.RECORDED_TEXT) and source_now != FLAG:
        return RECORDED

    has_another_model = "model" in flags
    offered = [source_now]
    if not has_another_model or _fits_another_model(name, source_now, journal, recorded):
        offered.append(RECORDED)

    profile = ""
    source_of_model = now.sources["model"]
    if has_another_model and source_of_model.startswith(PROFILE):
        profile = source_of_model

    recorded_from = DEFAULT
    for setting in journal.opened.settings:
        if setting.name == name:
            recorded_from = setting.source
    return winning_source(name, offered, profile=profile, recorded_from=recorded_from)


def _fits_another_model(
    name: str, source_now: str, journal: Journal, recorded: RunSettings
) -> bool:
    """Say whether the recorded value of a setting for requests may hold for another model, too."""
    # The prices of a model that has replied are not those of another.
    if name == "prices" and journal.summary.spent.replies:
        return False
    # If the run had no endpoint's address, another model is asked where this session says.
    is_of_this_session = source_now in (ENVIRONMENT, CONFIG_FILE)
    return bool(recorded.base_url) or not is_of_this_session


def _resolved_now(flags: Mapping[str, object]) -> Resolved:
    """Return the settings that a new run would have, as far as they concern the model."""
    named = {}
    for name in ModelSettings.model_fields:
        if name in flags:
            named[name] = flags[name]
    return resolve(named, os.environ, Path.cwd())


def _validated(values: Mapping[str, Any]) -> RunSettings:
    try:
        return RunSettings.model_validate(values)
    except ValidationError as error:
        (name, *_), text = first_fault(error)
        msg = f"--{name.replace('_', '-')}: {text}"
        raise UsageError(msg) from error


def replay_settings_here(journal: Journal) -> RunSettings:
    """Return the settings for running recorded scripts again: as recorded, but somebody else's
    journal does not decide how long this machine works."""
    recorded = settings_of(journal)
    if journal.is_own:
        return recorded
    local = resolve({}, os.environ, Path.cwd()).settings
    return recorded.model_copy(update={name: getattr(local, name) for name in LIMITS_OF_A_STEP})
