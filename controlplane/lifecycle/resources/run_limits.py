"""The limits of a run and of each of its trials, as the settings set them."""

from __future__ import annotations

from typing import Final

from controlplane.agent.limits.spending import Spending
from controlplane.agent.limits.spending_limits import SpendingLimits
from controlplane.agent.loop import BudgetLimits, LoopSettings
from controlplane.agent.retry.run_budget import RetryBudget, RunBudget
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import as_usage_error
from controlplane.sandbox import Limits, parse_isolation

MOST_EXTRA_STEPS: Final = 5
"""A trial that has no answer after its last step is reminded to answer, and gets some more steps for
that: a seventh of its steps, but at most this many."""
PROSE_REPLIES: Final = 10
"""A trial ends after this many unusable replies in a row if the last one is prose, not a script."""
PROSE_REPLIES_TO_QUESTION: Final = 2
"""The same for a question about files. Its user waits for the answer, and can read one in prose."""


def loop_settings(settings: RunSettings) -> LoopSettings:
    """Return the limits of each trial and of its scripts. Raises `UsageError`."""
    with as_usage_error("--isolation", ValueError):
        isolation = parse_isolation(settings.isolation)
    is_question = settings.benchmark.partition(":")[0] == "files"
    # The solver's model may have settings of its own, by `--role solve=PROFILE`.
    solve_settings = settings.role.get("solve", settings)
    return LoopSettings(
        budget=BudgetLimits(
            settings.max_steps,
            extra_steps=min(MOST_EXTRA_STEPS, settings.max_steps // 7),
            prose_replies=PROSE_REPLIES_TO_QUESTION if is_question else PROSE_REPLIES,
            same_scripts=settings.same_scripts,
            trial_time_s=settings.trial_time,
        ),
        context_tokens=solve_settings.max_context_tokens,
        initial_prompt_chars=settings.initial_prompt_chars,
        limits=Limits(step_wall_s=min(settings.step_time, settings.trial_time)),
        isolation=isolation,
        patience_s=settings.model_patience,
        switches_reply_mode=settings.reply_mode == "auto",
        replies_in_fences=solve_settings.reply_mode == "text",
    )


def run_budget(settings: RunSettings) -> RunBudget:
    """Return the budget of a run with these settings, which all its trials share."""
    limits = SpendingLimits(
        cost_usd=settings.run_cost,
        tokens=settings.max_tokens_run,
        time_s=settings.run_time,
    )
    return RunBudget(
        RetryBudget(settings.model_retries * settings.concurrency), Spending(limits)
    )
