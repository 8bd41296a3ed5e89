"""The settings of a recorded run: as it began, and as it is continued or played again here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from controlplane.configuration.model_settings import ModelSettings
from controlplane.configuration.run_settings import RunSettings, settings_with
from controlplane.configuration.setting_faults import first_fault
from controlplane.configuration.setting_sources import (
    DEFAULT,
    ENVIRONMENT,
    FLAG,
    PROFILE_PREFIX,
    Resolved,
    resolve,
)
from controlplane.configuration.setting_uses import Use
from controlplane.errors import UsageError
from controlplane.journal.journal_files import CONFIG_FILE

if TYPE_CHECKING:
    from controlplane.journal.journal_reader import Journal

SCRIPT_TIME_LIMITS: Final = ("step_time", "trial_time")
"""Settings that bound how long this machine works for a recorded script."""


def check_own(journal: Journal, *, is_trusted: bool) -> None:
    """Raise `UsageError` for a journal that somebody else may have written, unless it `is_trusted`.

    The product marks each event that it writes with a key of this user. A journal is
    the user's own if all its events have such a mark.
    """
    if not (journal.is_own or is_trusted):
        msg = (
            f"{journal.run} can only be read: {journal.fault_of_marks}; "
            "if you trust all that it holds, add --trust"
        )
        raise UsageError(msg)


def settings_of(journal: Journal) -> RunSettings:
    """Return the settings that a journal's run started with.

    Raises `UsageError` if they are not valid.
    """
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

    Settings that `flags` name, as the user gives them now, have the flags' values. All
    others are as recorded, except some for requests to models (`ModelSettings`):

    - An endpoint's address that came from the environment is read from the environment
      again, since servers move between sessions.
    - With `--model fast`, where `fast` is a profile, the profile decides all that it sets.
    - With any other model, `_KeptSettings` says which settings are not kept.

    A setting that is not kept is as in a new run. Raises `UsageError` naming the flag.
    """
    recorded = settings_of(journal)
    new = _settings_of_new_run(flags)
    kept = _KeptSettings(journal, recorded, new, has_other_model="model" in flags)
    values: dict[str, Any] = recorded.model_dump()
    for name in RunSettings.model_fields:
        if name not in ModelSettings.model_fields:
            if name in flags:
                values[name] = flags[name]
        elif name not in kept:
            values[name] = getattr(new.settings, name)
    return _validated(values)


@dataclass(frozen=True, slots=True)
class _KeptSettings:
    """The names of the settings for requests to models that stay as recorded."""

    journal: Journal
    recorded: RunSettings
    new: Resolved
    """The settings that a new run would have."""
    has_other_model: bool
    """True if the user names another model now."""

    def __contains__(self, name: str) -> bool:
        """Return True if a setting stays as recorded, False if it is that of a new run."""
        source = self.new.sources[name]
        if source == FLAG:
            return False
        # The journal has the texts of these files (prompts, hints), which may have changed.
        if name in settings_with(Use.RECORDED_TEXT):
            return True
        if self.has_other_model:
            if source.startswith(PROFILE_PREFIX):
                return False
            if self._belongs_to_recorded_model(name, source):
                return False

        # Servers move between sessions, so an address from the environment is read anew.
        if name == "base_url" and _recorded_source(name, self.journal) == ENVIRONMENT:
            return source != ENVIRONMENT
        return True

    def _belongs_to_recorded_model(self, name: str, source: str) -> bool:
        """Return True if a recorded setting must not be used for requests to another model."""
        # If a model has replied, the recorded prices are that model's.
        has_replied = self.journal.summary.spent.replies > 0
        if name == "prices" and has_replied:
            return True
        # If the run recorded no endpoint's address, it does not say where a model is.
        # What the environment and controlplane.toml set today then applies
        # to the other model.
        is_set_today = source in (ENVIRONMENT, CONFIG_FILE)
        return is_set_today and not self.recorded.base_url


def _recorded_source(name: str, journal: Journal) -> str:
    """Return where a recorded setting came from when its run started."""
    for setting in journal.opened.settings:
        if setting.name == name:
            return setting.source
    return DEFAULT


def _settings_of_new_run(flags: Mapping[str, object]) -> Resolved:
    """Return the settings that a new run would have, with the flags that concern requests."""
    request_flags = {}
    for name in ModelSettings.model_fields:
        if name in flags:
            request_flags[name] = flags[name]
    return resolve(request_flags, os.environ, Path.cwd())


def _validated(values: Mapping[str, Any]) -> RunSettings:
    """Return checked settings. Raises `UsageError` naming the flag of the first wrong one."""
    try:
        return RunSettings.model_validate(values)
    except ValidationError as error:
        (name, *_), text = first_fault(error)
        msg = f"--{name.replace('_', '-')}: {text}"
        raise UsageError(msg) from error


def replay_settings_here(journal: Journal) -> RunSettings:
    """Return the settings for running recorded scripts again.

    They are as recorded, but the time limits of somebody else's journal are replaced by
    this user's, so that a journal cannot keep this machine at work.
    """
    recorded = settings_of(journal)
    if journal.is_own:
        return recorded
    local = resolve({}, os.environ, Path.cwd()).settings
    local_limits = {name: getattr(local, name) for name in SCRIPT_TIME_LIMITS}
    return recorded.model_copy(update=local_limits)
