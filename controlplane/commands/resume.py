"""`controlplane resume`, `submit` and `poll`: continue a recorded run, submit it, ask for its scores."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from controlplane.benchmark import RunState
from controlplane.commands.ask import NAME as QUESTIONS
from controlplane.commands.ask import Asking, AskView, recorded_sources, settle
from controlplane.commands.options import (
    CAPS,
    OF_THE_RUN,
    QUIET,
    TRUST,
    about_a_run,
    progress_bar,
    refuse_if_running,
    remember_start,
    settings_options,
    tool_options,
)
from controlplane.commands.session import conduct, report_nothing_to_do, submit_or_poll, workers_opener
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import UsageError
from controlplane.journal.journal_file import journal_id
from controlplane.journal.journal_index import glance_at
from controlplane.lifecycle.next_commands import invocation, run_argument
from controlplane.lifecycle.run_lifecycle import Run, reopen_run
from controlplane.mcp.server_specs import tool_access
from controlplane.view.display_text import count_text
from controlplane.view.run_view import RunView


@click.command("resume")
@about_a_run
@settings_options("model", "base_url", "walls", "workers", *CAPS, default=OF_THE_RUN)
@tool_options
@TRUST
@QUIET
def resume_command(  # noqa: PLR0913 - one parameter for each option
    path: Path,
    *,
    base_url: str | None,
    model: str | None,
    tools: dict[str, Any],
    is_trusted: bool,
    quiet: bool,
    as_json: bool,
    **others: Any,
) -> None:
    """Continue RUN: keep its ended trials, finish the open ones from the journal, start the rest, and submit it.

    It keeps its limits unless new ones are given; earlier parts of the run count. --model works only if no model has
    replied yet, and asks at the run's endpoint unless a profile names another. If the endpoint's address came from
    OPENAI_BASE_URL, the current OPENAI_BASE_URL is used. The id of a loop of `improve` continues the loop.
    """
    known = glance_at(path)
    if known.submitted:
        sealed = any(trial.score is None for trial in known.trials.values())
        hint = f"; ask for its scores with: {invocation('poll', run_argument(path))}" if sealed else ""
        text = f"the run {journal_id(path)} is finished and submitted; there is nothing to resume{hint}"
        report_nothing_to_do(path, text, as_json=as_json)
        return
    if model and known.spent.replies:
        msg = f"a model has already replied in {journal_id(path)}, so --model cannot change it; start a new run"
        raise UsageError(msg)
    given = {name: value for name, value in ({"base_url": base_url, "model": model} | others).items() if value}
    now = resolve({name: value for name, value in given.items() if name != "walls"}, os.environ, Path.cwd())
    source = now.sources["base_url"]
    recorded = {setting.name: setting.source for setting in known.opened.settings} if known.opened else {}
    moved = source == "flag" or source == recorded.get("base_url") == "environment"
    changes = {name: given[name] for name in ("model", *others) if name in given}
    changes |= {"base_url": now.settings.base_url} if moved else {}
    with ExitStack() as held:
        with progress_bar("reading the journal") as on_progress:
            taken = reopen_run(
                path,
                works=True,
                changes=changes,
                is_trusted=is_trusted,
                tools=tool_access(tools, now.mcp),
                open_workers=workers_opener,
                on_progress=on_progress,
            )
            run, resume_states = held.enter_context(taken)
        remember_start(path)
        is_question = run.settings.benchmark.startswith(f"{QUESTIONS}:") and len(run.summary.trials) == 1
        view = (AskView if is_question else RunView)(quiet=quiet, as_json=as_json, reports=not is_question)
        code = conduct(run, view, lambda: None, resume_states)
    if is_question:
        code = code or settle(Asking(*recorded_sources(path), quiet=quiet, as_json=as_json), path)
    raise SystemExit(code)


@click.command("submit")
@about_a_run
@click.option("--force", is_flag=True, help="Submit even if trials are open; open trials score 0.")
@TRUST
@QUIET
def submit_command(path: Path, force: bool, is_trusted: bool, quiet: bool, as_json: bool) -> None:
    """Submit RUN and print its scores."""
    known, run = glance_at(path), journal_id(path)
    if known.submitted:
        text = f"the run {run} is already submitted; see: {invocation('show', run_argument(path))}"
        report_nothing_to_do(path, text, as_json=as_json)
        return
    refuse_if_running(path)
    still_open = known.left
    if still_open and not force:
        msg = (
            f"{count_text(still_open, 'trial')} of {run} {'is' if still_open == 1 else 'are'} open and would "
            "score 0; continue with: "
            f"{invocation('resume', run_argument(path))} (or submit anyway with --force)"
        )
        raise UsageError(msg)
    code = submit_or_poll(
        path, lambda run: run.submit(force=force), is_trusted=is_trusted, quiet=quiet, as_json=as_json
    )
    raise SystemExit(code)


@click.command("poll")
@about_a_run
@TRUST
@QUIET
def poll_command(path: Path, is_trusted: bool, quiet: bool, as_json: bool) -> None:
    """Ask for the scores of RUN and add them to its journal."""
    known = glance_at(path)
    if known.state == RunState.EVALUATED and all(trial.score is not None for trial in known.trials.values()):
        text = f"the scores of {journal_id(path)} are out; see: {invocation('show', run_argument(path))}"
        report_nothing_to_do(path, text, as_json=as_json)
        return
    refuse_if_running(path)
    if not known.submitted:
        msg = f"the run {journal_id(path)} was not submitted; continue with: {invocation('resume', run_argument(path))}"
        raise UsageError(msg)
    code = submit_or_poll(path, Run.poll, is_trusted=is_trusted, quiet=quiet, as_json=as_json)
    raise SystemExit(code)
