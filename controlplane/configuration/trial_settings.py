"""Turns the settings of a run, given or recorded, into those of its trials."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.loop import (
    BudgetLimits,
    InitialPromptLimits,
    LoopSettings,
    PromptError,
    Prompts,
    default_prompts,
    read_prompts,
    read_text,
)
from agent.retry import RetryBudget, RunBudget, Spending, SpendingLimits
from controlplane.configuration.named_modules import load_packs
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import Unreachable, UsageError, about_setting, did_you_mean
from gates.rules import REGISTERED
from gates.verdict import Enforcement, GatePolicy, parse_gates
from sandbox import ForkServer, Limits, SandboxBroken, Wall, missing_wall, parse_walls


def gate_policy(gates: str, rules: str, packs: Iterable[str] = ()) -> GatePolicy:
    """Return the enforcement of gates, rules and packs under the settings `gates` and `rules`.

    Raises `UsageError` for a malformed text, and for an unknown gate, rule or pack.
    """
    packs = tuple(packs)
    with about_setting("rules"):
        load_packs([name for name in packs if name not in REGISTERED])
    overrides: dict[str, Enforcement] = {}
    for name, text in (
        ("gates", gates),
        ("rules", ",".join(["all", *(part for part in _parts(rules) if "=" in part)])),
    ):
        with about_setting(name):
            try:
                found = parse_gates(text)
            except ValueError as error:
                msg = f"--{name}: {error}"
                raise UsageError(msg) from error
            if not found:
                continue
            from gates.judging import rule_keys  # Every gate and rule; few runs set one of them.

            known = sorted(rule_keys(load_packs(packs)))
            if unknown := next((key for key in found if key not in known), ""):
                msg = f"--{name}: there is no gate or rule {unknown!r}{did_you_mean(unknown, known)}"
                raise UsageError(msg)
        overrides |= found
    return GatePolicy(overrides)


def pack_names(rules: str, of_benchmark: Callable[[], Iterable[str]]) -> tuple[str, ...]:
    """Return the rule packs that the setting `rules` names; `of_benchmark` returns the benchmark's.

    An enforcement (`ecom=ask`, `ecom/policy=off`) also names its pack.
    """
    named = [part for part in _parts(rules) if "=" not in part]
    packs = [] if "none" in named else [*of_benchmark()] if "auto" in named or not named else []
    packs += [part for part in named if part not in ("auto", "none")]
    set_for = (part.partition("=")[0].partition("/")[0] for part in _parts(rules) if "=" in part)
    return tuple(dict.fromkeys([*packs, *(name for name in set_for if name in REGISTERED)]))


def _parts(rules: str) -> list[str]:
    return [part.strip() for part in rules.split(",") if part.strip()]


def loop_settings(settings: RunSettings) -> LoopSettings:
    """Return the settings of every trial. Raises `UsageError`."""
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
    with about_setting("prompt"), _as_usage_error("--prompt: " if settings.prompt else ""):
        prompts = read_prompts(Path(settings.prompt)) if settings.prompt else default_prompts()
    with about_setting("hints"), _as_usage_error("--hints: "):
        hints = read_text(Path(settings.hints)) if settings.hints else ""
    return prompts.model_copy(update={"hints": hints})


@contextmanager
def _as_usage_error(option: str) -> Iterator[None]:
    try:
        yield
    except PromptError as error:
        msg = f"{option}{error}"
        raise UsageError(msg) from error


def check_walls(server: ForkServer, walls: frozenset[Wall]) -> None:
    """Wait for the server; raise `UsageError` unless all of `walls` work, `Unreachable` if it does not start."""
    try:
        missing = missing_wall(server, walls)
    except SandboxBroken as error:
        raise Unreachable(str(error)) from error
    if missing:
        raise UsageError(missing)
