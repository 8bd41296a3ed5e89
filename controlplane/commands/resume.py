"""Commands for a recorded run: continue, submit and poll it; play its trials again, from the start or from a step."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from pydantic import ValidationError

from controlplane.benchmark import RunState, TaskTry
from controlplane.commands.ask import NAME as QUESTIONS
from controlplane.commands.ask import AskDisplay, Asking, recorded_sources, settle
from controlplane.commands.options import (
    CAPS,
    OF_THE_RUN,
    QUIET,
    TRUST,
    about_a_run,
    approve_on_terminal,
    refuse_if_running,
    settings_options,
    show_status,
    tool_options,
)
from controlplane.commands.run import (
    FreshRun,
    RunView,
    conduct,
    report_nothing_to_do,
    see_through,
    submit_or_poll,
)
from controlplane.configuration.run_settings import RunSettings, first_fault, resolve, run_argument
from controlplane.errors import UsageError, invocation
from controlplane.journal.journal_lines import LOOP_FILE, journal_id
from controlplane.journal.journal_reader import glance_at
from controlplane.journal.run_events import ParentRun
from controlplane.lifecycle.run_lifecycle import Run, reopen_run
from controlplane.lifecycle.run_resources import RunSpec
from controlplane.mcp.server_specs import tool_access
from controlplane.terminal_text import count_text, one_line, say, score_text
from controlplane.view.run_results import print_result

if TYPE_CHECKING:
    from controlplane.journal.journal_reader import Journal
    from controlplane.journal.run_summary import TrialSummary
    from controlplane.replay.forking import ForkPoint


@click.command("resume")
@partial(about_a_run, loops=True)
@settings_options("model", "base_url", "isolation", "workers", *CAPS, default=OF_THE_RUN)
@tool_options
@TRUST
@QUIET
def resume_command(
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
    replied yet, and is asked at the run's endpoint unless it is a profile with its own. If the endpoint's address came
    from OPENAI_BASE_URL, the current OPENAI_BASE_URL is used. The id of a loop of `improve` continues the loop; of the
    settings, only its limits may change.
    """
    if path.name == LOOP_FILE:
        from controlplane.commands.improve import resume_loop

        changes = {"base_url": base_url, "model": model, **others, **tools}
        raise SystemExit(resume_loop(path, changes, quiet=quiet, as_json=as_json))
    summary = glance_at(path)
    if summary.submitted:
        sealed = any(trial.score is None for trial in summary.trials.values())
        hint = (
            f"; ask for its scores with: {invocation('poll', run_argument(path))}" if sealed else ""
        )
        text = f"the run {journal_id(path)} is finished and submitted; there is nothing to resume{hint}"
        report_nothing_to_do(path, text, as_json=as_json)
        return
    if model and summary.spent.replies:
        msg = f"a model has already replied in {journal_id(path)}, so --model cannot change it; start a new run"
        raise UsageError(msg)
    given = {
        name: value
        for name, value in ({"base_url": base_url, "model": model} | others).items()
        if value
    }
    now = resolve(
        {name: value for name, value in given.items() if name != "isolation"},
        os.environ,
        Path.cwd(),
    )
    source = now.sources["base_url"]
    recorded = (
        {setting.name: setting.source for setting in summary.opened.settings}
        if summary.opened
        else {}
    )
    moved = source == "flag" or source == recorded.get("base_url") == "environment"
    changes = {name: given[name] for name in ("model", *others) if name in given}
    changes |= {"base_url": now.settings.base_url} if moved else {}
    with ExitStack() as stack:
        with show_status("reading the journal"):
            reopened = reopen_run(
                path,
                works=True,
                changes=changes,
                is_trusted=is_trusted,
                tools=tool_access(tools, now.mcp),
            )
            run = stack.enter_context(reopened)
        is_question = (
            run.settings.benchmark.startswith(f"{QUESTIONS}:") and len(run.summary.trials) == 1
        )
        display = AskDisplay if is_question else None
        view = RunView(quiet=quiet, as_json=as_json, reports=not is_question, display=display)
        code = conduct(run, view)
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
    summary, run = glance_at(path), journal_id(path)
    if summary.submitted:
        text = f"the run {run} is already submitted; see: {invocation('show', run_argument(path))}"
        report_nothing_to_do(path, text, as_json=as_json)
        return
    refuse_if_running(path)
    if summary.left and not force:
        again = f"continue with: {invocation('resume', run_argument(path))} (or submit anyway with --force)"
        msg = f"{run} has {count_text(summary.left, 'open trial')}, which would score 0; {again}"
        raise UsageError(msg)
    work = partial(Run.submit, force=force)
    raise SystemExit(
        submit_or_poll(path, work, is_trusted=is_trusted, quiet=quiet, as_json=as_json)
    )


@click.command("poll")
@about_a_run
@TRUST
@QUIET
def poll_command(path: Path, is_trusted: bool, quiet: bool, as_json: bool) -> None:
    """Ask for the scores of RUN and add them to its journal."""
    summary = glance_at(path)
    if summary.state == RunState.EVALUATED and all(
        trial.score is not None for trial in summary.trials.values()
    ):
        text = f"the scores of {journal_id(path)} are out; see: {invocation('show', run_argument(path))}"
        report_nothing_to_do(path, text, as_json=as_json)
        return
    refuse_if_running(path)
    if not summary.submitted:
        msg = f"the run {journal_id(path)} was not submitted; continue with: {invocation('resume', run_argument(path))}"
        raise UsageError(msg)
    raise SystemExit(
        submit_or_poll(path, Run.poll, is_trusted=is_trusted, quiet=quiet, as_json=as_json)
    )


def play_again(
    journal: Journal,
    tries: tuple[TaskTry, ...],
    options: Mapping[str, object],
    fork: ForkPoint | None = None,
) -> FreshRun:
    """Return a run that plays `tries` of a recorded run again, from their start or from the step of a `fork`.

    It has the recorded settings except for the given `options`, and the recorded prompt texts unless they name others.
    Its servers are those that the user names now: a journal starts none. Raises `UsageError` naming the option.
    """
    from controlplane.configuration.run_settings import PROMPTS, check_own, settings_here
    from controlplane.lifecycle.run_resources import recorded_prompts

    check_own(journal, is_trusted=bool(options["is_trusted"]))
    parent = journal.opened.parent
    if parent is not None and parent.how == "fork":
        msg = f"{journal.run} is a fork, whose trials have no start of their own; play its parent {parent.run} again"
        raise UsageError(msg)
    changes = {
        name: value
        for name, value in options.items()
        if value and name not in ("tools", "is_trusted")
    }
    own = {"runs_dir": str(journal.path.parent), "name": changes.get("name", "")}
    try:
        recorded = settings_here(journal, changes)
        settings = RunSettings.model_validate(recorded.model_dump() | own)
    except ValidationError as error:
        (name, *_), text = first_fault(error)
        msg = f"--{name.replace('_', '-')}: {text}"
        raise UsageError(msg) from error
    prompts = None if PROMPTS & changes.keys() else recorded_prompts(journal)
    servers = tool_access(
        cast("dict[str, Any]", options["tools"]), resolve({}, os.environ, Path.cwd()).mcp
    )
    sources = {
        setting.name: setting.source
        for setting in journal.opened.settings
        if setting.name != "tasks"
    }
    point = {} if fork is None else {"trial_id": fork.trial.trial_id, "step": fork.step}
    return FreshRun(
        RunSpec(
            settings,
            rule_sets=journal.opened.rule_sets,
            prompts=prompts,
            tools=servers,
            approve=approve_on_terminal,
        ),
        sources=sources | dict.fromkeys(changes, "flag"),
        tries=tries,
        parent=ParentRun.model_validate(
            {"run": journal.run, "how": "fork" if fork else "rerun", **point}
        ),
        world=journal.opened.versions.world,
        fork=fork,
    )


@click.command("rerun")
@about_a_run
@click.option(
    "--failed", is_flag=True, help="Play trials that did not start, or ended in a fallback."
)
@click.option(
    "--below", type=click.FloatRange(0, 1), help="Play trials with a lower score than this."
)
@click.option(
    "--trials", multiple=True, metavar="TRIAL", help="Play trials by id or task; may be repeated."
)
@settings_options("name")
@settings_options("base_url", "isolation", *CAPS, default=OF_THE_RUN)
@tool_options
@TRUST
@QUIET
def rerun_command(
    path: Path,
    *,
    failed: bool,
    below: float | None,
    trials: tuple[str, ...],
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Play trials of RUN again, in the same worlds, into a new journal that names RUN as its parent.

    Without an option that chooses trials it plays all of them; with several, all trials that any of them chooses.
    The settings are those of RUN. In `compare`, RUN+RERUN means RUN with these trials instead of its own.
    """
    from controlplane.journal.journal_reader import open_journal

    with open_journal(path) as journal:
        chosen = _chosen(journal, trials, failed=failed, below=below)
        tries = tuple(TaskTry(*trial.world, trial.repeat) for trial in chosen)
        fresh = play_again(journal, tries, options)
    raise SystemExit(see_through(fresh, RunView(quiet=quiet, as_json=as_json))[1])


def _chosen(
    journal: Journal, names: tuple[str, ...], *, failed: bool, below: float | None
) -> list[TrialSummary]:
    from controlplane.run_comparison import numbered

    named = set[str]()
    for name in names:
        of_task = [trial.trial_id for trial in journal.trials.values() if trial.task_id == name]
        named.update(of_task or [journal.find_trial(name)])
    every = not (failed or names) and below is None
    chosen = [
        trial
        for trial in numbered(journal.summary)
        if every
        or trial.trial_id in named
        or (failed and trial.state != "answered")
        or (below is not None and trial.own_score is not None and trial.own_score < below)
    ]
    if not chosen:
        show = invocation("show", run_argument(journal.path), "--all")
        trials = count_text(len(journal.trials), "trial")
        msg = f"the options choose none of the {trials} of {journal.run}; list them with: {show}"
        raise UsageError(msg)
    unknown = [trial for trial in chosen if not trial.task_id]
    if unknown:
        msg = f"the journal of {journal.run} does not name the task of {unknown[0].trial_id}"
        raise UsageError(msg)
    return chosen


@click.command("fork")
@about_a_run
@click.option(
    "--trial", required=True, help="The trial: its id, its task id, or the beginning of either."
)
@click.option("--step", required=True, type=int, help="The first step to do again, from 1.")
@click.option("--note", default="", help="A text to add to the last message before that step.")
@click.option(
    "--repeats",
    default=1,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Number of trials.",
)
@settings_options("name")
@settings_options("model", "base_url", "prompt", "isolation", *CAPS, default=OF_THE_RUN)
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
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Continue from a step of a trial of RUN: keep its steps before --step, and do that step and all later ones again.

    With --prompt, the system prompt and the texts of later turns come from that folder; earlier messages stay. The
    trial's environment is rebuilt, and every recorded call before that step is repeated and has to give the recorded
    result. This requires a benchmark that can rebuild trials, with the version of the worlds that RUN played in.

    The new journal begins with the kept steps and names RUN, trial and step. With --repeats it holds that many trials,
    and the share of right ones is printed with its 95 % interval.
    """
    from controlplane.journal.journal_reader import open_journal
    from controlplane.replay.forking import fork_point

    with open_journal(path) as journal:
        has_new_prompt = bool(options["prompt"])
        point = fork_point(
            journal.trials[journal.find_trial(trial)], step, note, has_new_prompt=has_new_prompt
        )
        agent, summary = journal.setting("agent"), point.trial.summary
        if (note or has_new_prompt) and agent != "cited":
            what = "--note is added to" if note else "--prompt begins"
            msg = f"{what} a conversation, and the solver {agent} of {journal.run} does not record one"
            raise UsageError(msg)
        number = summary.number
        if not summary.task_id or number is None:
            msg = f"the journal of {journal.run} does not say which try of its task {summary.trial_id} is"
            raise UsageError(msg)
        tries = tuple(TaskTry(summary.task_id, number, copy) for copy in range(repeats))
        view = RunView(quiet=quiet, as_json=as_json, reports=not as_json)
        run, code = see_through(play_again(journal, tries, options, point), view)
        _print_forked(journal, point, run, as_json=as_json)
    raise SystemExit(code)


def _print_forked(journal: Journal, point: ForkPoint, run: Run, *, as_json: bool) -> None:
    from controlplane.run_comparison import PASSED, mean_interval

    scores = run.summary.scores
    share = mean_interval([float(score >= PASSED) for score in scores])
    if as_json:
        forked = {
            "run": journal.run,
            "trial": point.trial.trial_id,
            "step": point.step,
            "score": point.trial.score,
        }
        print_result(
            run.summary,
            run.journal.path,
            parent=forked,
            success=share and dataclasses.asdict(share),
        )
        return
    head = f"forked at step {point.step} of {one_line(point.trial.trial_id)}, which scored {score_text(point.trial.score)}"
    right = f"{sum(score >= PASSED for score in scores)} of {count_text(len(scores), 'try')} right now, {share}"
    say(f"{head}: {right if share else 'no score is out yet'}")
