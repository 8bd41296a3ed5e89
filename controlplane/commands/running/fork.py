"""`controlplane fork`: go on from within a recorded trial, with one thing changed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import click

from controlplane.benchmark import TaskTry
from controlplane.commands.options import QUIET, about_a_run
from controlplane.commands.running.fresh_run import PROMPT_SETTINGS, EndedRun, fresh_of, see_through
from controlplane.commands.shell_words import complete_model, complete_trial
from controlplane.comparison.resampling import PASSED, Interval, mean_interval
from controlplane.configuration.run_settings import ModelSettings
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import UsageError
from controlplane.journal.journal_content import Journal, open_journal
from controlplane.journal.run_events import ParentRun
from controlplane.replay.forking import ForkPoint, fork_point
from controlplane.view.display_text import count_text, one_line, score_text
from controlplane.view.result_json import result_object


@click.command("fork")
@about_a_run
@click.option(
    "--trial",
    required=True,
    shell_complete=complete_trial,
    help="The trial: its id, its task id, or the beginning of one.",
)
@click.option("--step", required=True, type=int, help="The first step that is done anew, from 1.")
@click.option(
    "--model",
    default="",
    shell_complete=complete_model,
    help="Who goes on: a model as `run` takes it; default: that of the run.",
)
@click.option("--base-url", default=None, help="The model's endpoint; default: that of the run, or of the model named.")
@click.option("--note", default="", help="A text that is added to the last message before that step.")
@click.option("--prompt", default="", help="A folder of prompt texts, which the model gets from that step on.")
@click.option("--repeats", default=1, show_default=True, type=click.IntRange(1, 1000), help="How often it goes on.")
@click.option("--name", default="", help="A name for the new run.")
@click.option("--walls", default=None, help="The walls that scripts need; default: those of the run.")
@QUIET
def command(  # noqa: PLR0913 - one parameter for each option
    path: Path,
    *,
    trial: str,
    step: int,
    model: str,
    base_url: str | None,
    note: str,
    prompt: str,
    repeats: int,
    name: str,
    walls: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Go on from within a trial of RUN: keep its steps before --step, and do that one and all that follow anew.

    With --prompt the system prompt and the texts of later turns are those of that folder; what was said before stays.
    The trial's environment is made anew, and every recorded call before that step is made again: each has to give the
    recorded result. Works where the benchmark can rebuild a trial, in the version of the worlds that RUN played in.

    The new journal begins with what is kept and names RUN, trial and step. With --repeats it holds as many trials, and
    the share of them that are right is printed with its 95 % interval.
    """
    with open_journal(path) as journal:
        point = fork_point(journal.trials[journal.find_trial(trial)], step, note, has_new_prompt=bool(prompt))
        agent = journal.setting("agent")
        if (note or prompt) and agent != "cited":
            what = "--note is added to" if note else "--prompt begins"
            msg = f"{what} a conversation, and the solver {agent} of {journal.run} keeps none in its journal"
            raise UsageError(msg)
        changes = {"name": name, "base_url": base_url, "walls": walls, "prompt": prompt}
        given = {key: value for key, value in changes.items() if value}
        fresh = fresh_of(
            journal,
            (_model_settings(model, given) if model else {}) | given,
            tries=_tries(journal, point, repeats),
            parent=ParentRun(run=journal.run, how="fork", trial_id=point.trial.trial_id, step=step),
            fork=point,
        )
        ended = see_through(fresh, quiet=quiet, as_json=as_json, reports=not as_json)
        share = _share_right(ended)
        if as_json:
            forked = {"run": journal.run, "trial": point.trial.trial_id, "step": step, "score": point.trial.score}
            success = None if share is None else {"mean": share.mean, "low": share.low, "high": share.high}
            print(json.dumps({**result_object(ended.summary, ended.path), "parent": forked, "success": success}))
        else:
            click.echo(_success_text(point, ended, share))
    raise SystemExit(ended.exit_code)


def _model_settings(model: str, given: Mapping[str, object]) -> dict[str, object]:
    """Return how another model is asked: as `run` takes it from profile, environment and controlplane.toml."""
    flags = {"model": model, **({"base_url": given["base_url"]} if "base_url" in given else {})}
    settings = resolve(flags, os.environ, Path.cwd()).settings
    return {each: getattr(settings, each) for each in ModelSettings.model_fields if each not in PROMPT_SETTINGS}


def _tries(journal: Journal, point: ForkPoint, repeats: int) -> tuple[TaskTry, ...]:
    summary = point.trial.summary
    if journal.opened.parent is not None and journal.opened.parent.how == "fork":
        msg = f"{journal.run} is a fork itself; fork its parent {journal.opened.parent.run} in its place"
        raise UsageError(msg)
    if not summary.task_id or summary.number is None:
        msg = f"the journal of {journal.run} does not say which try of its task {point.trial.trial_id} is"
        raise UsageError(msg)
    return tuple(TaskTry(summary.task_id, summary.number, copy) for copy in range(repeats))


def _share_right(ended: EndedRun) -> Interval | None:
    """Return how often it is right now; None if no score is out."""
    scores = [each.score for each in ended.summary.trials.values() if each.score is not None]
    return mean_interval([float(each >= PASSED) for each in scores])


def _success_text(point: ForkPoint, ended: EndedRun, share: Interval | None) -> str:
    trial = point.trial
    head = f"forked at step {point.step} of {one_line(trial.trial_id)}, which scored {score_text(trial.score)}"
    scored = sum(each.score is not None for each in ended.summary.trials.values())
    if share is None:
        return f"{head}: no score is out yet"
    right = round(share.mean * scored)
    return f"{head}: {right} of {count_text(scored, 'try').replace('trys', 'tries')} right now, {share}"
