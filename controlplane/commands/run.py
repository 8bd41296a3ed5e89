"""`controlplane run`: start a new run, conduct it, and print its result."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from agent.evidence import ResumeState
from controlplane.benchmark import TaskTry
from controlplane.commands.options import (
    AS_JSON,
    JUNIT,
    QUIET,
    WITHOUT_OPTION,
    given,
    refuse_known_name,
    settings_options,
    tool_options,
)
from controlplane.commands.session import conduct, conduct_side_by_side, workers_opener
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import placed, resolve
from controlplane.errors import UsageError
from controlplane.journal.journal_index import summary_of
from controlplane.journal.journal_lines import JournalWriter
from controlplane.journal.run_events import ParentRun
from controlplane.journal.run_summary import RunSummary
from controlplane.lifecycle.run_lifecycle import Run, journal_path, new_run_id, reopen_run
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from controlplane.mcp.server_specs import tool_access
from controlplane.view.display_text import count_text
from controlplane.view.run_view import RunView

if TYPE_CHECKING:
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
def opened_run(fresh: FreshRun, beside: RunResources | None = None) -> Iterator[Conducted]:
    """Open the resources and the journal of a run, `beside` those of another one that plays at the same time.

    Raises the `ControlPlaneError` that keeps it from beginning.
    """
    settings = fresh.spec.settings
    if not fresh.run_id:
        refuse_known_name(settings.name, settings.runs_dir)
    open_workers = workers_opener(settings)
    try:
        opened = RunResources(fresh.spec)
    except UsageError as error:
        raise placed(error, fresh.sources) from error
    with opened as resources:
        if beside is not None:
            resources.share_server(beside)
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
            if summary_of(path).run_id:
                reopened = reopen_run(
                    path, works=True, changes=changes, tools=fresh.spec.tools, open_workers=workers_opener
                )
                run, resumed = held.enter_context(reopened)
                run.open_workers()
            else:
                path.unlink(missing_ok=True)
                run, begin, resumed = held.enter_context(opened_run(fresh, played[0].resources if played else None))
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
def run_command(
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
