"""Starts a new run and sees it through: for `run`, `rerun`, `fork` and `sweep`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from agent.loop import ResumeState
from controlplane.benchmark import BenchmarkError, Description, TaskTry
from controlplane.commands.running.session import conduct
from controlplane.commands.started_runs import remember_start
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import fault_text, placed
from controlplane.configuration.trial_settings import recorded_prompts, settings_of
from controlplane.errors import UsageError
from controlplane.journal.journal_content import Journal
from controlplane.journal.journal_writer import JournalWriter, keep_schema
from controlplane.journal.run_events import ParentRun
from controlplane.journal.run_summary import RunSummary
from controlplane.lifecycle.run_lifecycle import Run, journal_path, new_run_id
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from controlplane.replay.forking import ForkPoint
from controlplane.task_selection import TaskSelection
from controlplane.view.cost_estimate import CostEstimate, estimate_cost
from controlplane.view.run_view import RunView
from controlplane.workers.dask_workers import workers_opener
from controlplane.workers.forked_workers import forked_workers

PROMPT_SETTINGS: Final = frozenset({"prompt", "hints"})


@dataclass(frozen=True, slots=True)
class FreshRun:
    """What a new run is made of."""

    spec: RunSpec
    sources: Mapping[str, str] = field(default_factory=dict)
    """Where each setting that is no default came from."""
    tasks: tuple[str, ...] = ()
    """Tasks or families; empty for all."""
    tries: tuple[TaskTry, ...] = ()
    """The very tries to play, in place of tasks, limit and repeats."""
    parent: ParentRun | None = None
    world: str | None = None
    """The version of the benchmark's worlds that it has to play in; None for any."""
    run_id: str = ""
    """The journal's id; empty for a new one."""
    fork: ForkPoint | None = None
    """Where its trials go on from; None if they begin at their start."""


def fresh_of(
    journal: Journal,
    changes: Mapping[str, object],
    *,
    tries: tuple[TaskTry, ...],
    parent: ParentRun,
    fork: ForkPoint | None = None,
) -> FreshRun:
    """Return a run with the settings of a journal's run but for `changes`, in the same worlds, written beside it.

    Its prompt texts are those of the journal, if `changes` name no others.

    Raises `UsageError` naming the option.
    """
    kept = {"name": "", "runs_dir": str(journal.path.parent)}
    try:
        settings = RunSettings.model_validate(settings_of(journal).model_dump() | kept | dict(changes))
    except ValidationError as error:
        fault = error.errors()[0]
        msg = f"--{str(fault['loc'][0]).replace('_', '-')}: {fault_text(fault)}"
        raise UsageError(msg) from error
    prompts = None if PROMPT_SETTINGS & changes.keys() else recorded_prompts(journal)
    recorded = {each.name: each.source for each in journal.opened.settings if each.name != "tasks"}
    return FreshRun(
        RunSpec(settings, packs=journal.opened.packs, prompts=prompts),
        sources=recorded | dict.fromkeys(changes, "flag"),
        tries=tries,
        parent=parent,
        world=journal.opened.versions.world,
        fork=fork,
    )


@dataclass(frozen=True, slots=True)
class EndedRun:
    """What came of a run."""

    path: Path
    summary: RunSummary
    exit_code: int


def see_through(fresh: FreshRun, *, quiet: bool, as_json: bool, reports: bool = True) -> EndedRun:
    """Run it, watch it, and, if it `reports`, print what came of it.

    Raises the `ControlPlaneError` that kept it from beginning.
    """
    settings = fresh.spec.settings
    open_workers = workers_opener(settings)
    try:
        opened = RunResources(fresh.spec)
    except UsageError as error:
        raise placed(error, fresh.sources) from error
    with opened as resources, ExitStack() as held:
        forked = forked_workers(resources)
        if forked is not None:
            open_workers = held.enter_context(closing(forked)).open
        description = resources.describe()
        if fresh.world is not None and fresh.parent is not None:
            resources.check_world(fresh.world, f"trials of {fresh.parent.run} cannot be played again")
        if fresh.fork is not None:
            fresh.fork.check(resources)
        path = journal_path(settings.runs_dir, fresh.run_id or new_run_id(settings.benchmark))
        resources.check_walls()
        with JournalWriter(path, create=True) as journal:
            run = Run(resources, journal, open_workers=open_workers)
            states: dict[str, ResumeState] = {}

            def begin() -> None:
                run.start(fresh.sources, fresh.tasks, tries=fresh.tries, parent=fresh.parent)
                if fresh.fork is not None:
                    states.update(fresh.fork.begin(run))
                remember_start(path)
                keep_schema(path.parent)

            estimate = _estimate(fresh, resources, description)
            view = RunView(quiet=quiet, as_json=as_json, reports=reports, estimate=estimate)
            code = conduct(run, view, begin, states)
    return EndedRun(path, run.summary, code)


def _estimate(fresh: FreshRun, resources: RunResources, description: Description) -> CostEstimate | None:
    """Return what the run is expected to take; None if it asks no endpoint, names no task that there is, or is a fork,
    which does but a part."""
    if not resources.asks_endpoints or resources.model is None or fresh.fork is not None:
        return None
    settings = fresh.spec.settings
    selection = TaskSelection(fresh.tasks, settings.limit, settings.repeats, fresh.tries)
    try:
        tasks = [each.task_id for each in selection.tries(selection.task_ids(description))]
    except BenchmarkError:
        return None
    return estimate_cost(Path(settings.runs_dir), tasks, benchmark=settings.benchmark, model=resources.model.name)
