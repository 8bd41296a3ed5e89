"""`controlplane fork`: continue from a step of a recorded trial."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from controlplane.commands.arguments.consent import consent_for
from controlplane.commands.arguments.options import QUIET, TRUST, about_a_run
from controlplane.commands.arguments.setting_options import (
    OF_THE_RUN,
    given_options,
    settings_options,
)
from controlplane.commands.arguments.tool_options import tool_options
from controlplane.commands.rerun import LIMITS
from controlplane.journal.journal_reader import open_journal
from controlplane.lifecycle.conducting import conduct_new
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.quantity_texts import count_text, score_text
from controlplane.terminal_text import one_line, say
from controlplane.view.progress.run_display import RunView
from controlplane.view.result_json import print_result

if TYPE_CHECKING:
    from controlplane.journal.journal_reader import Journal
    from controlplane.replay.forking import ForkPoint


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
        consent = consent_for(tools, is_trusted=is_trusted)
        plan = fork_plan(journal, point, repeats, changes, consent)
        # With --json, `_print_forked` prints the result of the run, not the view.
        view = RunView(quiet=quiet, as_json=as_json, reports=not as_json)
        run, code = conduct_new(plan, view)
        _print_forked(journal, point, run, as_json=as_json)
    raise SystemExit(code)


def _print_forked(
    journal: Journal, point: ForkPoint, run: Run, *, as_json: bool
) -> None:
    """Print how the tries from a step ended, beside the trial that they continue.

    `forked at step 3 of t1, which scored 0: 4 of 5 tries right now, 0.80 (0.38-0.96)`. With JSON, print
    the whole result of the run, with the same figures.
    """
    from controlplane.pass_rates import PASSED
    from controlplane.score_statistics import mean_interval

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
        print_result(run.summary, run.journal.path, parent=parent, success=interval)
        return

    text = "no score is out yet"
    if rate is not None:
        tries = count_text(len(passed), "try")
        text = f"{passed.count(True)} of {tries} right now, {rate}"
    trial = one_line(point.trial.trial_id)
    score = score_text(point.trial.score)
    say(f"forked at step {point.step} of {trial}, which scored {score}: {text}")
