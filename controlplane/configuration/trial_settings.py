"""Turns the settings of a run, given or recorded, into those of its trials.

A journal with this user's mark on every event is acted on with its own settings. Any other journal is only read, unless
the user trusts it: then it counts as the user's own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from agent.loop import (
    BudgetLimits,
    LoopSettings,
    PromptError,
    Prompts,
    default_prompts,
    read_prompts,
    read_text,
)
from agent.retry import RetryBudget, RunBudget, Spending, SpendingLimits
from controlplane.configuration.named_modules import load_rule_sets
from controlplane.configuration.run_settings import ModelSettings, RunSettings
from controlplane.configuration.setting_sources import PROFILE, resolve
from controlplane.errors import Unreachable, UsageError, as_usage_error, did_you_mean
from controlplane.journal.journal_lines import CONFIG_FILE
from controlplane.journal.run_events import HINTS, RunPrompts
from controlplane.older_names import RENAMED_RULES, RETIRED_RULE_SETS, RETIRED_RULES
from gates.rules import REGISTERED
from gates.verdict import ALL_GATES, ENFORCEMENTS, Enforcement, GatePolicy
from sandbox import ForkServer, Layer, Limits, SandboxBroken, missing_layer, parse_isolation

if TYPE_CHECKING:
    from controlplane.journal.journal_reader import Journal


def parse_gates(text: str) -> dict[str, Enforcement]:
    """Return the overrides of `all`, `none`, `1,4,8` (these alone) or `6=off,6/unmade-change=off,ecom/return=ask`.

    Raises `ValueError` that names the first invalid part.
    """
    parts = [part.strip() for part in text.split(",")]
    chosen = {part for part in parts if "=" not in part}
    overrides: dict[str, Enforcement] = {}
    if chosen - {"all"}:
        numbers = set(map(str, ALL_GATES))
        if not chosen <= numbers | {"none"} or ("none" in chosen and len(chosen) > 1):
            wrong = next(iter(sorted(chosen - numbers - {"none"})), text)
            msg = f"{wrong!r} is not a gate: give all, none, or gates from 1 to 8 as 1,4,8"
            raise ValueError(msg)
        overrides |= dict.fromkeys(sorted(numbers - chosen), "off")
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals:
            continue
        enforcement = next((known for known in ENFORCEMENTS if known == value), None)
        if enforcement is None or not key:
            msg = f"{part!r} sets no enforcement: write NAME=block, NAME=ask or NAME=off"
            raise ValueError(msg)
        overrides[RENAMED_RULES.get(key, key)] = enforcement
    return overrides


def gate_policy(gates: str, rules: str, rule_sets: Iterable[str] = ()) -> GatePolicy:
    """Return the enforcement of gates, rules and rule sets under the settings `gates` and `rule_sets`. Raises
    `UsageError` for a malformed text, and for an unknown gate, rule or rule set."""
    rule_sets = tuple(rule_sets)
    load_rule_sets([name for name in rule_sets if name not in REGISTERED])
    overrides: dict[str, Enforcement] = {}
    for name, text in (
        ("gates", gates),
        ("rule-sets", ",".join(["all", *(part for part in _parts(rules) if "=" in part)])),
    ):
        with as_usage_error(f"--{name}", ValueError):
            changes = parse_gates(text)
        if not changes:
            continue
        from gates.judging import rule_keys  # Every gate and rule; few runs set one of them.

        keys = sorted(rule_keys(load_rule_sets(rule_sets)))
        changes = {key: changes[key] for key in changes if key not in RETIRED_RULES}
        if unknown := next((key for key in changes if key not in keys), ""):
            msg = f"--{name}: there is no gate or rule {unknown!r}{did_you_mean(unknown, keys)}"
            raise UsageError(msg)
        overrides |= changes
    return GatePolicy(overrides)


def rule_set_names(rules: str, of_benchmark: Callable[[], Iterable[str]], gates: str = "all") -> tuple[str, ...]:
    """Return the rule sets that the setting `rule_sets` names; `of_benchmark` returns the benchmark's, which the
    setting `gates` switches off with all gates. An enforcement (`ecom=ask`, `ecom/checklist=off`) also names its rule
    set."""
    named = [part for part in _parts(rules) if "=" not in part and part not in RETIRED_RULE_SETS]
    is_off = "none" in named or (gates == "none" and set(named) <= {"auto"})
    rule_sets = [] if is_off else [*of_benchmark()] if "auto" in named or not named else []
    rule_sets += [part for part in named if part not in ("auto", "none")]
    set_for = (part.partition("=")[0].partition("/")[0] for part in _parts(rules) if "=" in part)
    return tuple(dict.fromkeys([*rule_sets, *(name for name in set_for if name in REGISTERED)]))


def _parts(rules: str) -> list[str]:
    return [part.strip() for part in rules.split(",") if part.strip()]


def loop_settings(settings: RunSettings) -> LoopSettings:
    """Return the settings of every trial. Raises `UsageError`."""
    with as_usage_error("--isolation", ValueError):
        isolation = parse_isolation(settings.isolation)
    is_asked = settings.benchmark.partition(":")[0] == "files"  # a person waits, who can read prose
    return LoopSettings(
        budget=BudgetLimits(
            settings.max_steps,
            extra_steps=min(5, settings.max_steps // 7),
            prose_replies=2 if is_asked else 10,
            same_scripts=settings.same_scripts,
            trial_time_s=settings.trial_time,
        ),
        context_tokens=settings.role.get("solve", settings).max_context_tokens,
        initial_prompt_chars=settings.initial_prompt_chars,
        limits=Limits(step_wall_s=min(settings.step_time, settings.trial_time)),
        isolation=isolation,
        patience_s=settings.model_patience,
        switches_reply_mode=settings.reply_mode == "auto",
    )


def run_budget(settings: RunSettings) -> RunBudget:
    """Return the budget that all trials of a run with these settings share."""
    limits = SpendingLimits(
        cost_usd=settings.run_cost,
        tokens=settings.max_tokens_run,
        time_s=settings.run_time,
        trial_cost_usd=settings.trial_cost,
    )
    return RunBudget(RetryBudget(settings.model_retries * settings.concurrency), Spending(limits))


def prompts_named_by(settings: RunSettings) -> Prompts:
    """Return the prompt texts of a new run. Raises `UsageError` naming the setting, the file and what is wrong."""
    with as_usage_error("--prompt", PromptError):
        prompts = read_prompts(Path(settings.prompt)) if settings.prompt else default_prompts()
    with as_usage_error("--hints", PromptError):
        hints = read_text(Path(settings.hints)) if settings.hints else ""
    return prompts.model_copy(update={"hints": hints})


def check_isolation(server: ForkServer, isolation: frozenset[Layer]) -> None:
    """Wait for the server; raise `UsageError` unless every layer of `isolation` works, `Unreachable` if it does not
    start."""
    try:
        missing = missing_layer(server, isolation)
    except SandboxBroken as error:
        raise Unreachable(str(error)) from error
    if missing:
        raise UsageError(missing)


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
        return RunSettings.model_validate(values)
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
    """Return the settings of the model that `flags` name, as `run` would resolve them. The run keeps its endpoint, key
    and parameters, except for those that a flag or the model's profile sets; it keeps its prices only if no model has
    replied."""
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


def rule_sets_here(journal: Journal, *, is_trusted: bool = False) -> tuple[str, ...]:
    """Return the rule sets of a journal's run that may be imported: without trust, only the product's own rule sets of
    somebody else's journal."""
    rule_sets = journal.opened.rule_sets
    return rule_sets if journal.is_own or is_trusted else tuple(name for name in rule_sets if name in REGISTERED)


def recorded_prompts(journal: Journal) -> Prompts | None:
    """Return the prompt texts that a journal's run started with; None if its solver asked no model. Prompts that only
    this version has are the product's own."""
    recorded = (event.texts for event in journal.events_of_run() if isinstance(event, RunPrompts))
    texts = {prompt.name: prompt.text for prompt in next(recorded, ())}
    hints = texts.pop(HINTS, "")
    return Prompts(texts={**default_prompts().texts, **texts}, hints=hints) if texts else None
