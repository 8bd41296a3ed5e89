"""`controlplane run`, `rerun` and `fork`: start a new run, conduct it, and print its result."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import click
from pydantic import ValidationError

from agent.loop import ResumeState
from controlplane.benchmark import TaskTry
from controlplane.commands.options import (
    AS_JSON,
    CAPS,
    JUNIT,
    OF_THE_RUN,
    QUIET,
    TRUST,
    WITHOUT_OPTION,
    about_a_run,
    given,
    refuse_known_name,
    remember_start,
    settings_options,
    tool_options,
)
from controlplane.commands.session import conduct, conduct_side_by_side, workers_opener
from controlplane.configuration.run_settings import AUTOMATIC, RunSettings
from controlplane.configuration.setting_sources import fault_text, placed, resolve
from controlplane.errors import UsageError
from controlplane.journal.journal_index import glance_at
from controlplane.journal.journal_lines import JournalWriter
from controlplane.journal.run_events import ParentRun
from controlplane.journal.run_summary import RunSummary
from controlplane.lifecycle.next_commands import invocation, run_argument
from controlplane.lifecycle.run_lifecycle import Run, journal_path, new_run_id, reopen_run
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from controlplane.mcp.server_specs import tool_access
from controlplane.view.display_text import count_text, one_line, score_text
from controlplane.view.run_results import print_result
from controlplane.view.run_view import RunView

if TYPE_CHECKING:
    from controlplane.comparison.run_comparison import ComparedTrial
    from controlplane.journal.journal_content import Journal
    from controlplane.replay.forking import ForkPoint


@dataclass(frozen=True, slots=True)
class FreshRun:
    """A new run, before it starts."""

    spec: RunSpec
    sources: Mapping[str, str] = field(default_factory=dict)
    """The source of each setting that is not a default."""
    tasks: tuple[str, ...] = ()
    """Tasks or families; empty for all."""
    tries: tuple[TaskTry, ...] = ()
    """The exact tries to play instead of tasks, limit and repeats."""
    parent: ParentRun | None = None
    world: str | None = None
    """The required version of the benchmark's worlds; None for any."""
    run_id: str = ""
    """The journal's id; empty for a new one."""
    fork: ForkPoint | None = None
    """The point from which its trials continue; None if they start at the beginning."""


@dataclass(frozen=True, slots=True)
class EndedRun:
    """A run that has ended."""

    path: Path
    summary: RunSummary
    exit_code: int


Conducted: TypeAlias = tuple[Run, Callable[[], None], dict[str, ResumeState]]
"""A run, the function that begins it at its benchmark, and the state of each trial that continues."""


@contextmanager
def opened_run(fresh: FreshRun) -> Iterator[Conducted]:
    """Open the resources and the journal of a run. Raises the `ControlPlaneError` that keeps it from beginning."""
    settings = fresh.spec.settings
    if not fresh.run_id:
        refuse_known_name(settings.name, settings.runs_dir)
    open_workers = workers_opener(settings)
    try:
        opened = RunResources(fresh.spec)
    except UsageError as error:
        raise placed(error, fresh.sources) from error
    with opened as resources, ExitStack() as held:
        if settings.workers == AUTOMATIC:
            from controlplane.workers.forked_workers import forked_workers

            forked = forked_workers(resources)
            if forked is not None:
                open_workers = held.enter_context(closing(forked)).open
        resources.describe()
        resources.check_models()
        if fresh.world is not None and fresh.parent is not None:
            resources.check_world(fresh.world, f"trials of {fresh.parent.run} cannot be played again")
        if fresh.fork is not None:
            fresh.fork.check(resources)
        path = journal_path(settings.runs_dir, fresh.run_id or new_run_id(settings.benchmark))
        resources.check_walls()
        with JournalWriter(path, create=True) as journal:
            run = Run(resources, journal, workers_opener=open_workers)
            states: dict[str, ResumeState] = {}

            def begin() -> None:
                run.start(fresh.sources, fresh.tasks, tries=fresh.tries, parent=fresh.parent)
                if fresh.fork is not None:
                    states.update(fresh.fork.begin(run))
                remember_start(path)

            yield run, begin, states


def see_through(
    fresh: FreshRun, *, quiet: bool, as_json: bool, reports: bool = True, view_type: type[RunView] = RunView
) -> EndedRun:
    """Conduct the run in a view of that type, and print its result if it `reports`.

    Raises the `ControlPlaneError` that kept the run from beginning.
    """
    with opened_run(fresh) as (run, begin, states):
        code = conduct(run, view_type(quiet=quiet, as_json=as_json, reports=reports), begin, states)
    return EndedRun(run.journal.path, run.summary, code)


def play_side_by_side(
    runs: Sequence[tuple[FreshRun, Mapping[str, object]]], on_tick: Callable[[Sequence[Run]], None]
) -> tuple[list[Run], list[int]]:
    """Begin each run, or continue it if its journal says that it began, and play all of them to their end.

    Each run has the id of its journal, and the settings that change if it continues. `on_tick` gets the runs about once
    a second. Returns the runs and their exit codes.
    """
    played, states = list[Run](), list[Mapping[str, ResumeState]]()
    with ExitStack() as held:
        for fresh, changes in runs:
            path = journal_path(fresh.spec.settings.runs_dir, fresh.run_id)
            if path.exists() and glance_at(path).run_id:
                reopened = reopen_run(
                    path, works=True, changes=changes, tools=fresh.spec.tools, open_workers=workers_opener
                )
                run, resumed = held.enter_context(reopened)
                run.open_workers()
            else:
                path.unlink(missing_ok=True)
                run, begin, resumed = held.enter_context(opened_run(fresh))
                run.open_workers()
                begin()
            played.append(run)
            states.append(resumed)
        return played, conduct_side_by_side(played, states, lambda: on_tick(played))


@click.command("run")
@click.argument("tasks", nargs=-1, metavar="[TASK]...")
@settings_options(*(name for name in RunSettings.model_fields if name not in WITHOUT_OPTION))
@tool_options
@click.option("--fail-under", type=click.FloatRange(0, 1), help="Exit code 1 if the mean score is lower or unknown.")
@click.option("--fail-on", type=click.Choice(("fallback",)), help="Exit code 1 if a trial ended by its fallback.")
@JUNIT
@QUIET
@AS_JSON
def run_command(  # noqa: PLR0913 - one parameter for each option
    tasks: tuple[str, ...],
    *,
    fail_under: float | None,
    fail_on: str | None,
    junit: str | None,
    tools: dict[str, Any],
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Run a benchmark: all of it, or the named tasks (or families of tasks).

    docs/configuration.md lists further settings for controlplane.toml and environment variables.
    """
    resolved = resolve(given(options), os.environ, Path.cwd())
    spec = RunSpec(resolved.settings, tuple(resolved.profiles), tools=tool_access(tools, resolved.mcp))
    fresh = FreshRun(spec, resolved.sources, tasks)
    ended = see_through(fresh, quiet=quiet, as_json=as_json)
    code = ended.exit_code
    if junit:
        from controlplane.view.run_results import cases_of_run, write_junit

        write_junit(Path(junit), resolved.settings.name or ended.path.stem, cases_of_run(ended.summary))
    if fail_under is not None and code == 0:
        score = ended.summary.score
        if score is None:
            click.echo("--fail-under: the scores are not out yet", err=True)
        elif not score >= fail_under:  # nan too
            click.echo(f"--fail-under: the mean score {score:.3f} is lower than {fail_under:g}", err=True)
        code = int(score is None or not score >= fail_under)
    if fail_on and code == 0 and (fallbacks := ended.summary.count("fallback")):
        trials = count_text(len(ended.summary.trials), "trial")
        click.echo(f"--fail-on fallback: {fallbacks} of {trials} ended so", err=True)
        code = 1
    raise SystemExit(code)


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
    from controlplane.configuration.trial_settings import PROMPTS, check_own, recorded_prompts, settings_here

    check_own(journal, is_trusted=bool(options["is_trusted"]))
    parent = journal.opened.parent
    if parent is not None and parent.how == "fork":
        msg = f"{journal.run} is a fork, whose trials have no start of their own; play its parent {parent.run} again"
        raise UsageError(msg)
    changes = {name: value for name, value in options.items() if value and name not in ("tools", "is_trusted")}
    own = {"runs_dir": str(journal.path.parent), "name": changes.get("name", "")}
    try:
        recorded = settings_here(journal, changes)
        settings = RunSettings.model_validate(recorded.model_dump() | own)
    except ValidationError as error:
        fault = error.errors()[0]
        msg = f"--{str(fault['loc'][0]).replace('_', '-')}: {fault_text(fault)}"
        raise UsageError(msg) from error
    prompts = None if PROMPTS & changes.keys() else recorded_prompts(journal)
    servers = tool_access(cast("dict[str, Any]", options["tools"]), resolve({}, os.environ, Path.cwd()).mcp)
    sources = {setting.name: setting.source for setting in journal.opened.settings if setting.name != "tasks"}
    point = {} if fork is None else {"trial_id": fork.trial.trial_id, "step": fork.step}
    return FreshRun(
        RunSpec(settings, packs=journal.opened.packs, prompts=prompts, tools=servers),
        sources=sources | dict.fromkeys(changes, "flag"),
        tries=tries,
        parent=ParentRun.model_validate({"run": journal.run, "how": "fork" if fork else "rerun", **point}),
        world=journal.opened.versions.world,
        fork=fork,
    )


@click.command("rerun")
@about_a_run
@click.option("--failed", is_flag=True, help="Play trials that did not start, or ended in a fallback.")
@click.option("--below", type=click.FloatRange(0, 1), help="Play trials with a lower score than this.")
@click.option(
    "--trials",
    multiple=True,
    metavar="TRIAL",
    help="Play trials by id or task; may be repeated.",
)
@settings_options("name")
@settings_options("base_url", "walls", *CAPS, default=OF_THE_RUN)
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

    Without an option that chooses trials it plays all of them; with several, every trial that one of them chooses.
    The settings are those of RUN. In `compare`, RUN+RERUN means RUN with these trials instead of its own.
    """
    from controlplane.journal.journal_content import open_journal

    with open_journal(path) as journal:
        chosen = _chosen(journal, trials, failed=failed, below=below)
        tries = tuple(TaskTry(trial.summary.task_id, trial.number) for trial in chosen)
        fresh = play_again(journal, tries, options)
    raise SystemExit(see_through(fresh, quiet=quiet, as_json=as_json).exit_code)


def _chosen(journal: Journal, names: tuple[str, ...], *, failed: bool, below: float | None) -> list[ComparedTrial]:
    from controlplane.comparison.run_comparison import numbered

    named = set[str]()
    for name in names:
        of_task = [trial.trial_id for trial in journal.trials.values() if trial.task_id == name]
        named.update(of_task or [journal.find_trial(name)])
    every = not (failed or names) and below is None
    chosen = [
        trial
        for trial in numbered(journal.summary, journal.run)
        if every
        or trial.summary.trial_id in named
        or (failed and trial.summary.state != "answered")
        or (below is not None and trial.score is not None and trial.score < below)
    ]
    if not chosen:
        show = invocation("show", run_argument(journal.path), "--all")
        trials = count_text(len(journal.trials), "trial")
        msg = f"the options choose none of the {trials} of {journal.run}; list them with: {show}"
        raise UsageError(msg)
    unknown = [trial for trial in chosen if not trial.summary.task_id]
    if unknown:
        msg = f"the journal of {journal.run} does not name the task of {unknown[0].summary.trial_id}"
        raise UsageError(msg)
    return chosen


@click.command("fork")
@about_a_run
@click.option(
    "--trial",
    required=True,
    help="The trial: its id, its task id, or the beginning of either.",
)
@click.option("--step", required=True, type=int, help="The first step to do again, from 1.")
@click.option("--note", default="", help="A text to add to the last message before that step.")
@click.option("--repeats", default=1, show_default=True, type=click.IntRange(1, 1000), help="Number of trials.")
@settings_options("name")
@settings_options("model", "base_url", "prompt", "walls", *CAPS, default=OF_THE_RUN)
@tool_options
@TRUST
@QUIET
def fork_command(  # noqa: PLR0913 - one parameter for each option
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
    from controlplane.journal.journal_content import open_journal
    from controlplane.replay.forking import fork_point

    with open_journal(path) as journal:
        has_new_prompt = bool(options["prompt"])
        point = fork_point(journal.trials[journal.find_trial(trial)], step, note, has_new_prompt=has_new_prompt)
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
        ended = see_through(
            play_again(journal, tries, options, point), quiet=quiet, as_json=as_json, reports=not as_json
        )
        _print_forked(journal, point, ended, as_json=as_json)
    raise SystemExit(ended.exit_code)


def _print_forked(journal: Journal, point: ForkPoint, ended: EndedRun, *, as_json: bool) -> None:
    from controlplane.comparison.run_comparison import PASSED, mean_interval

    scores = ended.summary.scores
    share = mean_interval([float(score >= PASSED) for score in scores])
    if as_json:
        forked = {"run": journal.run, "trial": point.trial.trial_id, "step": point.step, "score": point.trial.score}
        print_result(ended.summary, ended.path, parent=forked, success=share and dataclasses.asdict(share))
        return
    head = (
        f"forked at step {point.step} of {one_line(point.trial.trial_id)}, which scored {score_text(point.trial.score)}"
    )
    right = f"{sum(score >= PASSED for score in scores)} of {count_text(len(scores), 'try')} right now, {share}"
    click.echo(f"{head}: {right if share else 'no score is out yet'}")
