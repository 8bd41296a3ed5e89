"""The settings of a recorded run: as it began, and as it is continued or played again here.

`resume RUN --model qwen3` continues with the recorded settings, but another model. The
recorded prices and endpoint may then be wrong: they belong to the recorded model. This
module says which recorded settings still apply.
"""

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
    - With any other model, settings that belong to the recorded model are not kept.

    A setting that is not kept is as in a new run. Raises `UsageError` naming the flag.
    """
    recorded = settings_of(journal)
    new = _settings_of_new_run(flags)
    choice = _RecordedOrNew(journal, recorded, new, has_other_model="model" in flags)
    values: dict[str, Any] = recorded.model_dump()
    for name in RunSettings.model_fields:
        if name not in ModelSettings.model_fields:
            if name in flags:
                values[name] = flags[name]
        elif choice.is_new(name):
            values[name] = getattr(new.settings, name)
    return _validated(values)


@dataclass(frozen=True, slots=True)
class _RecordedOrNew:
    """Chooses, for each setting for requests to models, the recorded value or a new run's.

    For example, a run of the recorded player, which needs no endpoint, is continued by
    `resume --model qwen3`, and the environment now has the address of an endpoint. Then
    the address is that of the environment, and the temperature stays as recorded.
    """

    journal: Journal
    recorded: RunSettings
    new: Resolved
    """The settings that a new run would have today, and the source of each."""
    has_other_model: bool
    """True if the user names another model now."""

    def is_new(self, name: str) -> bool:
        """Return True if a setting is that of a new run, False if it stays as recorded."""
        source_today = self.new.sources[name]
        if source_today == FLAG:
            return True
        # The journal has the texts of these files (prompts, hints), which may have changed.
        if name in settings_with(Use.RECORDED_TEXT):
            return False
        if self.has_other_model:
            if source_today.startswith(PROFILE_PREFIX):
                return True
            if self._belongs_to_recorded_model(name, source_today):
                return True

        # Servers move between sessions: an address that came from the environment is
        # replaced by the one that the environment has today, if it has one.
        if name == "base_url" and _recorded_source(name, self.journal) == ENVIRONMENT:
            return source_today == ENVIRONMENT
        return False

    def _belongs_to_recorded_model(self, name: str, source_today: str) -> bool:
        """Return True if a recorded setting must not be used for requests to another model."""
        # If a model has replied, the recorded prices are that model's.
        has_replied = self.journal.summary.spent.replies > 0
        if name == "prices" and has_replied:
            return True
        # A run without an address, as of the recorded player, has no endpoint that the
        # other model could use. The endpoint's settings of today are then right for it.
        is_set_today = source_today in (ENVIRONMENT, CONFIG_FILE)
        return is_set_today and not self.recorded.base_url


def _recorded_source(name: str, journal: Journal) -> str:
    """Return where a recorded setting came from when its run started."""
    for setting in journal.opened.settings:
        if setting.name == name:
            return setting.source
    return DEFAULT


def _settings_of_new_run(flags: Mapping[str, object]) -> Resolved:
    """Return the settings of a new run with those of `flags` that are about requests to models."""
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
        keys, fault = first_fault(error)
        name = keys[0]
        msg = f"--{name.replace('_', '-')}: {fault}"
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
