"""What the settings of a run, typed in or recorded, say about each of its trials."""

from __future__ import annotations

from pydantic import ValidationError

from agent.loop import BudgetLimits, InitialPromptLimits, LoopSettings
from agent.retry import RetryBudget, RunBudget, Spending, SpendingLimits
from controlplane.configuration.run_settings import RECORDED, RunSettings
from controlplane.errors import UsageError
from controlplane.journal.journal_content import Journal
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
