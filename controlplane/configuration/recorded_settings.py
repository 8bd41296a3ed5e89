"""The settings under which a journal's run is continued or examined here.

A journal that this user wrote keeps its own settings. Any other journal never loosens what this machine allows: limits
and walls come from the user's flags, environment and controlplane.toml, and the user has to accept by name whatever the
journal would have imported, read or reached.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from controlplane.configuration.run_settings import ModelSettings, RunSettings
from controlplane.configuration.setting_sources import PROFILE, resolve
from controlplane.configuration.trial_settings import pack_names, settings_of
from controlplane.errors import UsageError, did_you_mean
from controlplane.journal.journal_content import Journal
from controlplane.journal.journal_file import CONFIG_FILE
from controlplane.solver import SOLVERS
from gates.rules import REGISTERED

USERS_OWN: Final = (
    *("walls", "step_time", "trial_time", "run_time", "run_cost", "trial_cost", "max_tokens_run", "concurrency"),
    *("workers", "channel", "send_keys", "cache", "model_timeout", "model_retries", "poll_time", "on_interrupt"),
    *("prices", "model_patience"),
)
"""Settings that are never taken from somebody else's journal: the user's own apply."""
ASKED_FOR: Final = (
    *("benchmark", "set", "agent", "rules", "base_url", "api_key_env", "model_headers", "model_body", "role"),
)
"""Settings taken from somebody else's journal only if the user has the same, or accepts them by name."""
PROMPTS: Final = frozenset({"prompt", "hints"})
"""Settings whose texts are the journal's, whatever the files hold now."""
_HARMLESS_BENCHMARK: Final = "ecom"
"""The benchmark that reads no files and uses no network."""
_SHOWN_CHARS: Final = 60


def settings_here(
    journal: Journal, given: Mapping[str, object] | None = None, accepted: Collection[str] = ()
) -> RunSettings:
    """Return the settings of a journal's run as they apply here, with those `given` by flag.

    `accepted` names settings to take from somebody else's journal. Raises `UsageError` naming settings
    that still have to be accepted.
    """
    recorded, flags = settings_of(journal), dict(given or {})
    if "model" in flags:
        flags |= _of_another_model(journal, recorded, flags)
    if journal.is_own:
        return recorded.model_copy(update=flags)
    _check_names(accepted)
    local = resolve({}, os.environ, Path.cwd()).settings
    own = {name: getattr(local, name) for name in USERS_OWN if name not in accepted}
    settings = recorded.model_copy(update=own | flags)
    asked = {
        name: getattr(settings, name)
        for name in ASKED_FOR
        if name not in flags and name not in accepted and getattr(settings, name) != getattr(local, name)
    }
    if settings.agent in SOLVERS:
        asked.pop("agent", None)
    if settings.benchmark.partition(":")[0] == _HARMLESS_BENCHMARK:
        asked = {name: value for name, value in asked.items() if name not in ("benchmark", "set")}
    if "rules" not in accepted and "rules" not in flags:
        asked.pop("rules", None)
        packs = unknown_packs(journal, local.rules)
        asked |= {"rules": ",".join(packs)} if packs else {}
    if asked:
        raise UsageError(_remedy(journal, asked))
    return settings


def _of_another_model(journal: Journal, recorded: RunSettings, flags: Mapping[str, object]) -> dict[str, object]:
    """Return the settings of the model that `flags` name, as `run` would resolve them.

    A run of this user keeps its endpoint, key and parameters, except for those that a flag or the model's profile sets;
    it keeps its prices only if no model has replied.
    """
    found = resolve({name: flags[name] for name in ("model", "base_url") if name in flags}, os.environ, Path.cwd())
    unset = set() if recorded.base_url else {CONFIG_FILE, "environment"}
    kept = {
        name
        for name in ModelSettings.model_fields
        if journal.is_own
        and not (found.sources[name] in {"flag", *unset} or found.sources[name].startswith(PROFILE))
        and not (name == "prices" and journal.summary.spent.replies)
    }
    return {name: getattr(found.settings, name) for name in ModelSettings.model_fields if name not in {*kept, *PROMPTS}}


def rerun_settings_here(journal: Journal) -> RunSettings:
    """Return the settings for rerunning recorded scripts: as recorded, except for time limits of somebody else's."""
    recorded = settings_of(journal)
    if journal.is_own:
        return recorded
    local = resolve({}, os.environ, Path.cwd()).settings
    return recorded.model_copy(update={name: getattr(local, name) for name in ("step_time", "trial_time")})


def packs_here(journal: Journal, accepted: Collection[str] = ()) -> tuple[str, ...]:
    """Return the rule packs of a journal's run, which are modules to import. In somebody else's journal, raises
    `UsageError` for a pack that is neither ours nor named by the user."""
    if not journal.is_own and "rules" not in accepted:
        _check_names(accepted)
        local = resolve({}, os.environ, Path.cwd()).settings
        if packs := unknown_packs(journal, local.rules):
            raise UsageError(_remedy(journal, {"rules": ",".join(packs)}))
    return journal.opened.packs


def unknown_packs(journal: Journal, rules: str) -> list[str]:
    """Return the packs of a journal's run that have no short name and are not in the setting `rules`."""
    known = {*REGISTERED, *pack_names(rules, tuple)}
    return [name for name in journal.opened.packs if name not in known]


def _check_names(accepted: Collection[str]) -> None:
    known = (*ASKED_FOR, *USERS_OWN)
    for name in accepted:
        if name not in known:
            msg = f"--accept {name}: there is no such setting to accept{did_you_mean(name, known)}"
            raise UsageError(msg)


def _remedy(journal: Journal, asked: Mapping[str, object]) -> str:
    texts = {name: repr(value) for name, value in asked.items()}
    cut = {name: f"{text[:_SHOWN_CHARS]}…" if len(text) > _SHOWN_CHARS else text for name, text in texts.items()}
    shown = ", ".join(f"{name} {text}" for name, text in cut.items())
    why = "it was changed since you wrote it" if journal.index.foreign_line else "you did not write it on this machine"
    flags = " ".join(f"--accept {name}" for name in asked)
    return f"{journal.run} names settings that you have not set yourself ({shown}), and {why}; if you trust it: {flags}"
