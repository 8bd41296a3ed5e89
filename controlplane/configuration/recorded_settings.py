"""The settings of a recorded run: as it began, and as it is continued or played again here.

`resume RUN --model qwen3` continues with the recorded settings, but another model. The
recorded prices and endpoint may then be wrong: they belong to the recorded model. This
module says which recorded settings still apply.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from controlplane.configuration.model_settings import ModelSettings, Use
from controlplane.configuration.run_settings import (
    RunSettings,
    first_fault,
    settings_with,
)
from controlplane.configuration.setting_sources import (
    DEFAULT,
    ENVIRONMENT,
    FLAG,
    PROFILE_PREFIX,
    Resolved,
    resolve,
)
from controlplane.errors import UsageError
from controlplane.journal.journal_files import CONFIG_FILE

if TYPE_CHECKING:
    from controlplane.journal.journal_reader import Journal

_SCRIPT_TIME_LIMITS: Final = ("step_time", "trial_time")
"""Settings that bound how long this machine works for a recorded script."""


def check_own(journal: Journal, *, is_trusted: bool) -> None:
    """Raise `UsageError` for a journal that somebody else may have written, unless it `is_trusted`.

    Raise it, too, for a journal with events that this version does not know: what they tell may
    decide how its run goes on.

    The product marks each event that it writes with a key of this user. A journal is
    the user's own if all its events have such a mark.
    """
    if not (journal.is_own or is_trusted):
        msg = (
            f"{journal.run} can only be read: {journal.fault_of_marks}; "
            "if you trust all that it holds, add --trust"
        )
        raise UsageError(msg)
    if journal.unknown_types:
        names = ", ".join(f"`{name}`" for name in journal.unknown_types)
        msg = (
            f"{journal.run} can only be read: this version does not know its events {names}; "
            "use the version that wrote it"
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
        settings = RunSettings.model_validate(values)
    except ValidationError as error:
        name = error.errors()[0]["loc"][0]
        msg = (
            f"{journal.path} was recorded with a {name} that this version does not accept; "
            "start a new run"
        )
        raise UsageError(msg) from error
    return settings.with_defaults(
        setting.name for setting in journal.opened.settings if setting.source == DEFAULT
    )


def settings_here(journal: Journal, flags: Mapping[str, object]) -> RunSettings:
    """Return the settings with which a journal's run is continued or played again here.

    `flags` are the options that the user gives now, by setting. They win. All other settings
    are as recorded, except some that are about requests to models (`ModelSettings`): those that
    fit the recorded model alone, if the user names another, and an address that has moved.

    Raises `UsageError` naming the flag of a wrong value.
    """
    recorded = settings_of(journal)
    # The settings that a new run would have today, with the model that `flags` name. There,
    # `--model fast` may name a profile, whose model and address are meant.
    request_flags = {}
    for name in ModelSettings.model_fields:
        if name in flags:
            request_flags[name] = flags[name]
    today = resolve(request_flags, os.environ, Path.cwd())

    values: dict[str, Any] = recorded.model_dump()
    # Servers move between sessions: a run that began with `OPENAI_BASE_URL=http://a/v1` is continued
    # at the address that the variable has today. An address from a flag or a file stays.
    recorded_sources = {item.name: item.source for item in journal.opened.settings}
    was_variable = recorded_sources.get("base_url") == ENVIRONMENT
    if was_variable and today.sources["base_url"] == ENVIRONMENT:
        values["base_url"] = today.settings.base_url
    if "model" in flags:
        values |= _settings_for_other_model(journal, recorded, today)
    for name in RunSettings.model_fields:
        if name in ModelSettings.model_fields:
            if today.sources[name] == FLAG:
                values[name] = getattr(today.settings, name)
        elif name in flags:
            values[name] = flags[name]

    try:
        settings = RunSettings.model_validate(values)
    except ValidationError as error:
        keys, fault = first_fault(error)
        name = keys[0]
        msg = f"--{name.replace('_', '-')}: {fault}"
        raise UsageError(msg) from error
    unchosen = RunSettings.model_fields.keys() - recorded.model_fields_set
    return settings.with_defaults(unchosen - flags.keys())


def _settings_for_other_model(
    journal: Journal, recorded: RunSettings, today: Resolved
) -> dict[str, Any]:
    """Return today's values of the settings that do not fit the model the user names now.

    For example, a run of the recorded player, which needs no endpoint, is continued by
    `resume --model qwen3`: the endpoint's address is then that of the environment, and the
    temperature stays as recorded.
    """
    # Once a model has replied, the recorded prices are that model's.
    has_replied = journal.summary.spent.replies > 0
    values: dict[str, Any] = {}
    for name in ModelSettings.model_fields:
        # The journal has the texts of these files (prompts, hints), which may have changed.
        if name in settings_with(Use.RECORDED_TEXT):
            continue
        source = today.sources[name]
        is_of_profile = source.startswith(PROFILE_PREFIX)
        is_old_price = name == "prices" and has_replied
        # A run without an address has recorded no endpoint that the other model could use.
        is_of_endpoint = source in (ENVIRONMENT, CONFIG_FILE) and not recorded.base_url
        if is_of_profile or is_old_price or is_of_endpoint:
            values[name] = getattr(today.settings, name)
    return values


def replay_settings_here(journal: Journal) -> RunSettings:
    """Return the settings for running recorded scripts again.

    They are as recorded, but the time limits of somebody else's journal are replaced by
    this user's, so that a journal cannot keep this machine at work.
    """
    recorded = settings_of(journal)
    if journal.is_own:
        return recorded
    local = resolve({}, os.environ, Path.cwd()).settings
    local_limits = {name: getattr(local, name) for name in _SCRIPT_TIME_LIMITS}
    return recorded.model_copy(update=local_limits)
