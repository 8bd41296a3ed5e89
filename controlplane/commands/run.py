"""`controlplane run`: play a benchmark."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from controlplane.commands.arguments.options import (
    AS_JSON,
    JUNIT,
    QUIET,
    refuse_infinite,
    tool_options,
)
from controlplane.commands.arguments.setting_options import (
    given_options,
    settings_options,
)
from controlplane.configuration.model_settings import Use
from controlplane.configuration.run_settings import RunSettings, settings_with
from controlplane.configuration.setting_sources import Resolved, resolve
from controlplane.facts.run_facts import run_details
from controlplane.journal.journal_reader import glance_at
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.lifecycle.conducting import conduct_new
from controlplane.lifecycle.resources.run_solver import RunSpec
from controlplane.lifecycle.run_plan import RunPlan
from controlplane.quantity_texts import count_text, score_text
from controlplane.score_scale import exact
from controlplane.terminal_text import say
from controlplane.view.progress import RunView, approve_on_terminal

_WITHOUT_FLAG = settings_with(Use.NO_FLAG)
_SETTINGS_WITH_FLAG = [
    name for name in RunSettings.model_fields if name not in _WITHOUT_FLAG
]
"""The settings that the user can give as an option. The others are in controlplane.toml."""


@click.command("run")
@click.argument("tasks", nargs=-1, metavar="[TASK]...")
@settings_options(*_SETTINGS_WITH_FLAG)
@tool_options
@click.option(
    "--fail-under",
    type=float,
    callback=refuse_infinite,
    help="Exit code 1 if the mean score over the tasks is lower or unknown. A trial without a score counts as 0.",
)
@click.option(
    "--fail-on",
    type=click.Choice(("fallback",)),
    help="Exit code 1 if a trial ended by its fallback.",
)
@JUNIT
@QUIET
@AS_JSON
def run_command(
    tasks: tuple[str, ...],
    *,
    fail_under: float | None,
    fail_on: str | None,
    junit: Path | None,
    tools: dict[str, Any],
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Run a benchmark: all of it, or the named tasks (or families of tasks).

    docs/reference.md lists further settings for controlplane.toml and environment
    variables.
    """
    resolved = resolve(given_options(options), os.environ, Path.cwd())
    plan = RunPlan(_spec(resolved, tools), resolved.sources, tasks)
    run, code = conduct_new(plan, RunView(quiet=quiet, as_json=as_json))

    write_junit_of(run.journal.path, junit)
    if code == 0 and fail_under is not None:
        code = _code_of_mean(run.summary, fail_under)
    if code == 0 and fail_on is not None:
        code = _code_of_fallbacks(run.summary)
    raise SystemExit(code)


def _spec(resolved: Resolved, tools: dict[str, Any]) -> RunSpec:
    """Return the settings of the run, with the MCP servers that the user named."""
    names_servers = bool(resolved.mcp) or any(tools.values())
    if not names_servers:
        return RunSpec(resolved.settings, approve=approve_on_terminal)

    from controlplane.mcp.tool_access import tool_access  # Few runs have servers.

    access = tool_access(tools, resolved.mcp)
    return RunSpec(resolved.settings, approve=approve_on_terminal, tools=access)


def write_junit_of(journal: Path, junit: Path | None) -> None:
    """Write the trials of a run as test cases in JUnit's format, which CI systems read, if there is a file.

    It is that of `--junit`.
    """
    if junit is None:
        return
    from controlplane.view.junit import cases_of_run, write_junit

    run = run_details(glance_at(journal), journal)
    facts = run.facts
    names = {"run": facts.run, "name": facts.name, "model": facts.model}
    write_junit(junit, facts.benchmark, cases_of_run(run.trials), **names)


def _code_of_mean(summary: RunSummary, fail_under: float) -> int:
    """Return 0 if the mean score is at least `fail_under`; else say why not, and return 1."""
    score = summary.limited_score
    if score is None:
        say("--fail-under: the scores are not out yet", err=True)
        return 1
    if score >= exact(fail_under):
        return 0
    text = f"--fail-under: the mean score {score_text(float(score), 3)} is lower than {fail_under:g}"
    unscored = sum(summary.trials.unscored.values())
    if unscored:
        text += f": {count_text(unscored, 'trial')} without a score counted as 0"
    say(text, err=True)
    return 1


def _code_of_fallbacks(summary: RunSummary) -> int:
    """Return 0 if no trial ended by its fallback; else say how many did, and return 1."""
    fallbacks = summary.trials.count("fallback")
    if not fallbacks:
        return 0
    trials = count_text(len(summary.trials), "trial")
    say(f"--fail-on fallback: {fallbacks} of {trials} ended so", err=True)
    return 1
