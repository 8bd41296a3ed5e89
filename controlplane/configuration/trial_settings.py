"""What the settings of a run, typed in or recorded, say about each of its trials."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from agent.loop import (
    BudgetLimits,
    InitialPromptLimits,
    LoopSettings,
    PromptError,
    Prompts,
    default_prompts,
    read_hints,
    read_prompts,
)
from agent.retry import RetryBudget, RunBudget, Spending, SpendingLimits
from controlplane.configuration.run_settings import RECORDED, RunSettings
from controlplane.errors import UsageError, about_setting
from controlplane.journal.journal_content import Journal
from controlplane.journal.run_events import HINTS
from gates import ALL_GATES
from sandbox import Limits, parse_walls


def parse_gates(text: str) -> frozenset[int]:
    """Return the gates that `all`, `none` or a list of numbers switches on. Raises `UsageError`."""
    if text in ("all", "none"):
        return ALL_GATES if text == "all" else frozenset()
    try:
        numbers = frozenset(int(each) for each in text.split(","))
    except ValueError:
        numbers = frozenset({-1})
    if not numbers <= ALL_GATES:
        msg = f"--gates takes all, none or numbers from 1 to 8 as 1,4,8; not {text!r}"
        raise UsageError(msg)
    return numbers


def loop_settings(settings: RunSettings) -> LoopSettings:
    """Return what the settings say about every trial. Raises `UsageError`."""
    try:
        walls = parse_walls(settings.walls)
    except ValueError as error:
        raise UsageError(str(error)) from error
    return LoopSettings(
        budget=BudgetLimits(max_steps=settings.max_steps, trial_time_s=settings.trial_time),
        context_tokens=settings.role.get("solve", settings).max_context_tokens,
        opening=InitialPromptLimits(total_chars=settings.opening_chars),
        limits=Limits(step_wall_s=min(settings.step_time, settings.trial_time)),
        walls=walls,
        patience_s=settings.model_patience,
        switches_reply_mode=settings.reply_mode == "auto",
    )


def run_budget(settings: RunSettings) -> RunBudget:
    """Return what all trials of a run with these settings may spend together."""
    limits = SpendingLimits(
        cost_usd=settings.run_cost,
        tokens=settings.max_tokens_run,
        time_s=settings.run_time,
        trial_cost_usd=settings.trial_cost,
    )
    return RunBudget(RetryBudget(settings.model_retries * settings.concurrency), Spending(limits))


def settings_of(journal: Journal) -> RunSettings:
    """Return the settings that a journal's run was started with. Raises `UsageError` if they are no longer valid."""
    values = {each.name: each.value for each in journal.opened.settings if each.name in RunSettings.model_fields}
    try:
        return RunSettings.model_validate(values, context=RECORDED)
    except ValidationError as error:
        name = error.errors()[0]["loc"][0]
        msg = f"{journal.path} was recorded with a {name} that this version does not take; start a new run"
        raise UsageError(msg) from error


def prompts_named_by(settings: RunSettings) -> Prompts:
    """Return the prompt texts of a new run. Raises `UsageError` naming the setting, the file and what is wrong."""
    with about_setting("prompt"), _as_usage_error("--prompt: " if settings.prompt else ""):
        prompts = read_prompts(Path(settings.prompt)) if settings.prompt else default_prompts()
    with about_setting("hints"), _as_usage_error("--hints: "):
        hints = read_hints(Path(settings.hints)) if settings.hints else ""
    return prompts.model_copy(update={"hints": hints})


def recorded_prompts(journal: Journal) -> Prompts | None:
    """Return the prompt texts that a journal's run was started with; None if it holds none, as older ones do.

    What this version asks for beside them is the product's own.
    """
    texts = {each.name: each.text for each in journal.prompts}
    hints = texts.pop(HINTS, "")
    return Prompts(texts={**default_prompts().texts, **texts}, hints=hints) if texts else None


@contextmanager
def _as_usage_error(option: str) -> Iterator[None]:
    try:
        yield
    except PromptError as error:
        msg = f"{option}{error}"
        raise UsageError(msg) from error
