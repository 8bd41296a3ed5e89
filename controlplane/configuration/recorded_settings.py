"""The settings and prompts under which a journal's run is continued or examined here.

A journal with this user's mark on every event is acted on with its own settings. Any other journal is only read, unless
the user trusts it: then it counts as the user's own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from agent.loop import Prompts, default_prompts
from controlplane.configuration.run_settings import RECORDED, ModelSettings, RunSettings
from controlplane.configuration.setting_sources import PROFILE, resolve
from controlplane.errors import UsageError
from controlplane.journal.journal_content import Journal
from controlplane.journal.journal_file import CONFIG_FILE
from controlplane.journal.run_events import HINTS
from gates.rules import REGISTERED

PROMPTS: Final = frozenset({"prompt", "hints"})
"""Settings whose texts are the journal's, whatever the files hold now."""


def check_own(journal: Journal, *, is_trusted: bool) -> None:
    """Raise `UsageError` unless every event of a journal has this user's mark, or the user trusts it."""
    if not (journal.is_own or is_trusted):
        msg = f"{journal.run} can only be read: {journal.fault_of_marks}; if you trust all that it holds, add --trust"
        raise UsageError(msg)


def settings_of(journal: Journal) -> RunSettings:
    """Return the settings that a journal's run started with. Raises `UsageError` if they are no longer valid."""
    values = {
        setting.name: setting.value for setting in journal.opened.settings if setting.name in RunSettings.model_fields
    }
    try:
        return RunSettings.model_validate(values, context=RECORDED)
    except ValidationError as error:
        name = error.errors()[0]["loc"][0]
        msg = f"{journal.path} was recorded with a {name} that this version does not accept; start a new run"
        raise UsageError(msg) from error


def settings_here(journal: Journal, given: Mapping[str, object] | None = None) -> RunSettings:
    """Return the settings of a journal's run, with those `given` by flag. Raises `UsageError`."""
    recorded, flags = settings_of(journal), dict(given or {})
    if "model" in flags:
        flags |= _of_another_model(journal, recorded, flags)
    return recorded.model_copy(update=flags)


def _of_another_model(journal: Journal, recorded: RunSettings, flags: Mapping[str, object]) -> dict[str, object]:
    """Return the settings of the model that `flags` name, as `run` would resolve them.

    The run keeps its endpoint, key and parameters, except for those that a flag or the model's profile sets; it keeps
    its prices only if no model has replied.
    """
    resolved = resolve({name: flags[name] for name in ("model", "base_url") if name in flags}, os.environ, Path.cwd())
    unset = set() if recorded.base_url else {CONFIG_FILE, "environment"}
    kept = {
        name
        for name in ModelSettings.model_fields
        if not (resolved.sources[name] in {"flag", *unset} or resolved.sources[name].startswith(PROFILE))
        and not (name == "prices" and journal.summary.spent.replies)
    }
    names = ModelSettings.model_fields.keys() - kept - PROMPTS
    return {name: getattr(resolved.settings, name) for name in names}


def rerun_settings_here(journal: Journal) -> RunSettings:
    """Return the settings for rerunning recorded scripts: as recorded, but for the time limits of somebody else's."""
    recorded = settings_of(journal)
    if journal.is_own:
        return recorded
    local = resolve({}, os.environ, Path.cwd()).settings
    return recorded.model_copy(update={name: getattr(local, name) for name in ("step_time", "trial_time")})


def packs_here(journal: Journal, *, is_trusted: bool = False) -> tuple[str, ...]:
    """Return the rule packs of a journal's run that may be imported: without trust, only the product's own packs of
    somebody else's journal."""
    packs = journal.opened.packs
    return packs if journal.is_own or is_trusted else tuple(name for name in packs if name in REGISTERED)


def recorded_prompts(journal: Journal) -> Prompts | None:
    """Return the prompt texts that a journal's run started with; None if its solver asked no model.

    Prompts that only this version has are the product's own.
    """
    texts = {prompt.name: prompt.text for prompt in journal.prompts}
    hints = texts.pop(HINTS, "")
    return Prompts(texts={**default_prompts().texts, **texts}, hints=hints) if texts else None
