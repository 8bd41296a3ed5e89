"""`controlplane rerun` and `fork`: play trials of a recorded run again, or continue one from a step."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from controlplane.commands.arguments.options import (
    QUIET,
    TRUST,
    about_a_run,
    refuse_infinite,
    tool_options,
)
from controlplane.commands.arguments.setting_options import (
    OF_THE_RUN,
    given_options,
    settings_options,
)
from controlplane.configuration.model_settings import Use
from controlplane.configuration.run_settings import settings_with
from controlplane.configuration.setting_sources import resolve
from controlplane.facts.run_facts import run_details
from controlplane.journal.journal_reader import open_journal
from controlplane.lifecycle.conducting import conduct_new
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_plan import Consent, rerun_plan
from controlplane.mcp.tool_access import tool_access
from controlplane.quantity_texts import count_text, score_text
from controlplane.terminal_text import one_line, say
from controlplane.view.progress import RunView, approve_on_terminal
from controlplane.view.result_json import print_result

if TYPE_CHECKING:
    from controlplane.agent.evidence import ApproveCall
    from controlplane.journal.journal_reader import Journal
    from controlplane.replay.forking import ForkPoint

_LIMITS = settings_with(Use.SPENDING)
"""Settings that limit what a run spends. The user may choose other ones than in RUN."""

# What the user allows a run to take from a journal.


def consent_for(
    tools: Mapping[str, Any],
    *,
    is_trusted: bool,
    approve_tools: ApproveCall | None = None,
) -> Consent:
    """Return what the user allows a run that goes on from a journal.

    `approve_tools` asks about each call of a server's tool that the options do not allow.

    The journal also names the MCP servers of the run, but anyone may have written it: no server is
    started unless the options and controlplane.toml name it now.
    """
    configured = resolve({}, os.environ, Path.cwd()).mcp
    access = tool_access(dict(tools), configured, approve_tools)
    return Consent(is_trusted, access, approve_on_terminal)


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
    callback=refuse_infinite,
    help="Play trials with a lower score than this.",
)
@click.option(
    "--trials",
    multiple=True,
    metavar="TRIAL",
    help="Play trials by id or task; may be repeated.",
)
@settings_options("name")
@settings_options("base_url", "isolation", *_LIMITS, shown_default=OF_THE_RUN)
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
    changes = given_options(options)
    consent = consent_for(tools, is_trusted=is_trusted)
    with open_journal(path) as journal:
        plan = rerun_plan(
            journal, changes, consent, names=trials, failed=failed, below=below
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
    "model", "base_url", "prompt", "isolation", *_LIMITS, shown_default=OF_THE_RUN
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
    from controlplane.replay.forking import fork_plan

    changes = given_options(options)
    with open_journal(path) as journal:
        consent = consent_for(tools, is_trusted=is_trusted)
        recorded = journal.trials[journal.find_trial(trial)]
        plan = fork_plan(recorded, step, changes, consent, note=note, repeats=repeats)
        assert plan.fork is not None
        # With --json, `_print_forked` prints the result of the run, not the view.
        view = RunView(quiet=quiet, as_json=as_json, reports=not as_json)
        run, code = conduct_new(plan, view)
        _print_forked(journal, plan.fork, run, as_json=as_json)
    raise SystemExit(code)


def _print_forked(
    journal: Journal, point: ForkPoint, run: Run, *, as_json: bool
) -> None:
    """Print how the tries from a step ended, beside the trial that they continue.

    `forked at step 3 of t1, which scored 0: 4 of 5 tries right now, 0.80 (0.38-0.96)`. With JSON, print
    the whole result of the run, with the same figures.
    """
    from controlplane.score_statistics import PASSED, mean_interval

    # A try that is over without a score has not passed.
    scores = [trial.counted_score for trial in run.summary.trials.values()]
    passed = [score >= PASSED for score in scores if score is not None]
    rate = mean_interval([float(has_passed) for has_passed in passed])
    if as_json:
        parent = {
            "run": journal.run,
            "trial": point.trial.trial_id,
            "step": point.step,
            "score": point.trial.score,
        }
        interval = None if rate is None else dataclasses.asdict(rate)
        result = run_details(run.summary, run.journal.path)
        print_result(result, parent=parent, success=interval)
        return

    text = "no score is out yet"
    if rate is not None:
        tries = count_text(len(passed), "try")
        text = f"{passed.count(True)} of {tries} right now, {rate}"
    trial = one_line(point.trial.trial_id)
    score = score_text(point.trial.score)
    say(f"forked at step {point.step} of {trial}, which scored {score}: {text}")
