"""Commands for a recorded run: continue, submit and poll it; play its trials again,
from the start or from a step."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from controlplane.commands.ask import AskOptions, present_answer
from controlplane.commands.options import (
    OF_THE_RUN,
    QUIET,
    TRUST,
    about_a_run,
    about_a_run_or_loop,
    given_options,
    settings_options,
    show_status,
    tool_options,
)
from controlplane.configuration.run_settings import Use, settings_with
from controlplane.configuration.setting_sources import resolve
from controlplane.journal.journal_files import LOOP_FILE
from controlplane.journal.journal_reader import glance_at, open_journal
from controlplane.lifecycle import recorded_run
from controlplane.lifecycle.conducting import conduct
from controlplane.lifecycle.new_run import Consent, conduct_new
from controlplane.lifecycle.recorded_run import TrialChoice
from controlplane.lifecycle.reopened_run import reopen_run
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.mcp.server_specs import ToolAccess, tool_access
from controlplane.questions import is_question, nothing_to_poll, recorded_scope
from controlplane.terminal_text import count_text, one_line, say, score_text
from controlplane.view.approval import approve_on_terminal
from controlplane.view.question_display import QuestionDisplay
from controlplane.view.run_display import RunView
from controlplane.view.run_results import print_result

if TYPE_CHECKING:
    from controlplane.journal.journal_reader import Journal
    from controlplane.replay.forking import ForkPoint

LIMITS = settings_with(Use.SPENDING)
"""Settings that limit what a run spends. A rerun or a fork may have other limits than
its parent."""


def tools_of_now(tools: Mapping[str, Any]) -> ToolAccess | None:
    """Return the MCP servers that the options and controlplane.toml name now.

    The journal also names the servers of the run, but anyone may have written it: no
    server is started because a journal names it.
    """
    return tool_access(dict(tools), resolve({}, os.environ, Path.cwd()).mcp)


def _consent(tools: Mapping[str, Any], *, is_trusted: bool) -> Consent:
    """Return what the user allows a new run to take from the journal of its parent."""
    return Consent(is_trusted, tools_of_now(tools), approve_on_terminal)


def report_nothing_to_do(path: Path, text: str, *, as_json: bool) -> None:
    """Print that there is nothing to do for the run of the journal at `path`.

    With `as_json` the result of the run is printed, too.
    """
    say(text, err=as_json)
    if as_json:
        print_result(glance_at(path), path)


@click.command("resume")
@about_a_run_or_loop
@settings_options(*settings_with(Use.RESUMABLE), shown_default=OF_THE_RUN)
@tool_options
@TRUST
@QUIET
def resume_command(
    path: Path,
    *,
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

        code = resume_loop(
            path, changes | given_options(tools), quiet=quiet, as_json=as_json
        )
        raise SystemExit(code)
    reason = recorded_run.reason_not_to_resume(path)
    if reason:
        report_nothing_to_do(path, reason, as_json=as_json)
        return

    recorded_run.check_model_may_change(path, changes)
    with ExitStack() as stack:
        with show_status("reading the journal"):
            reopened = reopen_run(
                path,
                works=True,
                changes=changes,
                is_trusted=is_trusted,
                tools=tools_of_now(tools),
            )
            run = stack.enter_context(reopened)
        answers_question = is_question(run.summary)
        if answers_question:
            view = RunView(
                quiet=quiet, as_json=as_json, reports=False, display=QuestionDisplay
            )
        else:
            view = RunView(quiet=quiet, as_json=as_json)
        code = conduct(run, view)
    if answers_question and code == 0:
        asking = AskOptions(recorded_scope(path), quiet=quiet, as_json=as_json)
        code = present_answer(asking, path)
    raise SystemExit(code)


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
    reason = recorded_run.reason_not_to_submit(path)
    if reason:
        report_nothing_to_do(path, reason, as_json=as_json)
        return
    view = RunView(quiet=quiet, as_json=as_json)
    raise SystemExit(
        recorded_run.submit(path, view, force=force, is_trusted=is_trusted)
    )


@click.command("poll")
@about_a_run
@TRUST
@QUIET
def poll_command(path: Path, is_trusted: bool, quiet: bool, as_json: bool) -> None:
    """Ask for the scores of RUN and add them to its journal."""
    reason = nothing_to_poll(path)
    if reason:
        report_nothing_to_do(path, reason, as_json=as_json)
        return
    view = RunView(quiet=quiet, as_json=as_json)
    raise SystemExit(recorded_run.poll(path, view, is_trusted=is_trusted))


@click.command("rerun")
@about_a_run
@click.option(
    "--failed",
    is_flag=True,
    help="Play trials that did not start, or ended in a fallback.",
)
@click.option(
    "--below",
    type=click.FloatRange(0, 1),
    help="Play trials with a lower score than this.",
)
@click.option(
    "--trials",
    multiple=True,
    metavar="TRIAL",
    help="Play trials by id or task; may be repeated.",
)
@settings_options("name")
@settings_options("base_url", "isolation", *LIMITS, shown_default=OF_THE_RUN)
@tool_options
@TRUST
@QUIET
def rerun_command(
    path: Path,
    *,
    failed: bool,
    below: float | None,
    trials: tuple[str, ...],
    tools: dict[str, Any],
    is_trusted: bool,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Play trials of RUN again, in the same worlds, into a new journal that names RUN
    as its parent.

    Without an option that chooses trials it plays all of them; with several, all trials
    that any of them chooses. The settings are those of RUN. In `compare`, RUN+RERUN
    means RUN with these trials instead of its own.
    """
    choice = TrialChoice(trials, failed, below)
    with open_journal(path) as journal:
        plan = recorded_run.rerun_plan(
            journal,
            choice,
            given_options(options),
            _consent(tools, is_trusted=is_trusted),
        )
    _, code = conduct_new(plan, RunView(quiet=quiet, as_json=as_json))
    raise SystemExit(code)


@click.command("fork")
@about_a_run
@click.option(
    "--trial",
    required=True,
    help="The trial: its id, its task id, or the beginning of either.",
)
@click.option(
    "--step", required=True, type=int, help="The first step to do again, from 1."
)
@click.option(
    "--note", default="", help="A text to add to the last message before that step."
)
@click.option(
    "--repeats",
    default=1,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Number of trials.",
)
@settings_options("name")
@settings_options(
    "model", "base_url", "prompt", "isolation", *LIMITS, shown_default=OF_THE_RUN
)
@tool_options
@TRUST
@QUIET
def fork_command(
    path: Path,
    *,
    trial: str,
    step: int,
    note: str,
    repeats: int,
    tools: dict[str, Any],
    is_trusted: bool,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Continue from a step of a trial of RUN: keep its steps before --step, and do that
    step and all later ones again.

    With --prompt, the system prompt and the texts of later turns come from that folder;
    earlier messages stay. The trial's environment is rebuilt, and every recorded call
    before that step is repeated and has to give the recorded result. This requires a
    benchmark that can rebuild trials, with the version of the worlds that RUN played
    in.

    The new journal begins with the kept steps and names RUN, trial and step. With
    --repeats it holds that many trials, and the share of right ones is printed with its
    95 % interval.
    """
    from controlplane.replay.forking import fork_plan, opened_fork_point

    changes = given_options(options)
    with open_journal(path) as journal:
        point = opened_fork_point(
            journal, trial, step, note=note, has_new_prompt="prompt" in changes
        )
        consent = _consent(tools, is_trusted=is_trusted)
        plan = fork_plan(journal, point, repeats, changes, consent)
        # With --json, `_print_forked` prints the result of the run, so the view does
        # not.
        view = RunView(quiet=quiet, as_json=as_json, reports=not as_json)
        run, code = conduct_new(plan, view)
        _print_forked(journal, point, run, as_json=as_json)
    raise SystemExit(code)


def _print_forked(
    journal: Journal, point: ForkPoint, run: Run, *, as_json: bool
) -> None:
    """Print how the tries from a step ended, beside the trial that they continue."""
    from controlplane.score_statistics import PASSED, mean_interval

    scores = run.summary.scores
    passed = [score >= PASSED for score in scores]
    pass_rate = mean_interval([float(has_passed) for has_passed in passed])
    if as_json:
        parent = {
            "run": journal.run,
            "trial": point.trial.trial_id,
            "step": point.step,
            "score": point.trial.score,
        }
        interval = None if pass_rate is None else dataclasses.asdict(pass_rate)
        print_result(run.summary, run.journal.path, parent=parent, success=interval)
        return

    text = (
        f"forked at step {point.step} of {one_line(point.trial.trial_id)}, "
        f"which scored {score_text(point.trial.score)}: "
    )
    if pass_rate is None:
        text += "no score is out yet"
    else:
        text += (
            f"{sum(passed)} of {count_text(len(scores), 'try')} right now, {pass_rate}"
        )
    say(text)
