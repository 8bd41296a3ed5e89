"""`controlplane resume`, `submit` and `poll`: continue a run, submit it, and get its scores."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import click

from controlplane.commands.arguments.options import (
    JUNIT,
    QUIET,
    TRUST,
    about_a_run,
    about_a_run_or_loop,
    show_status,
    tool_options,
)
from controlplane.commands.arguments.setting_options import (
    OF_THE_RUN,
    given_options,
    settings_options,
)
from controlplane.commands.output import AnswerOutput
from controlplane.commands.rerun import consent_for
from controlplane.commands.run import write_junit_of
from controlplane.configuration.model_settings import Use
from controlplane.configuration.run_names import is_question
from controlplane.configuration.run_settings import settings_with
from controlplane.journal.journal_files import LOOP_FILE
from controlplane.journal.journal_reader import glance_at
from controlplane.lifecycle import conducting
from controlplane.lifecycle.conducting import conduct
from controlplane.lifecycle.run_beginnings import reopen_run
from controlplane.lifecycle.run_submission import nothing_left
from controlplane.questions import recorded_scope
from controlplane.view.progress import RunView, approve_on_terminal, question_display
from controlplane.view.result_json import say_nothing_to_do

# `controlplane resume`: continue a run.


@click.command("resume")
@about_a_run_or_loop
@settings_options(*settings_with(Use.RESUMABLE), shown_default=OF_THE_RUN)
@tool_options
@TRUST
@JUNIT
@QUIET
def resume_command(
    path: Path,
    *,
    junit: Path | None,
    tools: dict[str, Any],
    is_trusted: bool,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Continue RUN: keep its ended trials, finish the open ones from the journal, start
    the rest, and submit it.

    It keeps its limits unless new ones are given; earlier parts of the run count.
    --model works only if no model has replied yet, and is asked at the run's endpoint
    unless it is a profile with its own. If the endpoint's address came from
    OPENAI_BASE_URL, the current OPENAI_BASE_URL is used. The id of a loop of `improve`
    continues the loop; of the settings, only its limits may change.
    """
    changes = given_options(options)
    if path.name == LOOP_FILE:
        from controlplane.commands.improve import resume_loop

        changes |= given_options({**tools, "junit": junit})
        raise SystemExit(resume_loop(path, changes, quiet=quiet, as_json=as_json))
    if _has_nothing_to_do(path, "resume", as_json=as_json):
        write_junit_of(path, junit)
        return

    # A question asks its user at the terminal about tools, as `ask` does.
    answers_question = is_question(glance_at(path))
    can_ask = answers_question and sys.stdin.isatty() and not as_json
    consent = consent_for(
        tools,
        is_trusted=is_trusted,
        approve_tools=approve_on_terminal if can_ask else None,
    )
    reopened = reopen_run(path, plays_trials=True, changes=changes, consent=consent)
    with ExitStack() as stack:
        with show_status("reading the journal"):
            run = stack.enter_context(reopened)
        view = RunView(quiet=quiet, as_json=as_json)
        if answers_question:
            view = replace(view, reports=False, display=question_display)
        code = conduct(run, view)
    write_junit_of(path, junit)
    if answers_question and code == 0:
        output = AnswerOutput(recorded_scope(path), quiet=quiet, as_json=as_json)
        code = output.present(path)
    raise SystemExit(code)


def _has_nothing_to_do(
    path: Path, command: Literal["resume", "submit", "poll"], *, as_json: bool
) -> bool:
    """Say why a command has nothing to do for a run, if that is so, and return True then."""
    reason = nothing_left(path, command)
    if reason:
        say_nothing_to_do(path, reason, as_json=as_json)
    return bool(reason)


# `controlplane submit` and `poll`: submit a recorded run and get its scores.


@click.command("submit")
@about_a_run
@click.option(
    "--force", is_flag=True, help="Submit even if trials are open; open trials score 0."
)
@TRUST
@QUIET
def submit_command(
    path: Path, force: bool, is_trusted: bool, quiet: bool, as_json: bool
) -> None:
    """Submit RUN and print its scores."""
    if _has_nothing_to_do(path, "submit", as_json=as_json):
        return
    view = RunView(quiet=quiet, as_json=as_json)
    code = conducting.submit(path, view, force=force, is_trusted=is_trusted)
    raise SystemExit(code)


@click.command("poll")
@about_a_run
@TRUST
@QUIET
def poll_command(path: Path, is_trusted: bool, quiet: bool, as_json: bool) -> None:
    """Ask for the scores of RUN and add them to its journal."""
    if _has_nothing_to_do(path, "poll", as_json=as_json):
        return
    view = RunView(quiet=quiet, as_json=as_json)
    raise SystemExit(conducting.poll(path, view, is_trusted=is_trusted))
