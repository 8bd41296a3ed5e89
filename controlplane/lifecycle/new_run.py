"""Plans new runs, opens them, and conducts them.

There are three kinds of new run. An ordinary one plays tasks from the beginning. A *rerun*
plays the trials of a recorded run (its *parent*) again. A *fork* continues trials of a recorded
run from one of their steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from controlplane.benchmark import BenchmarkError, TaskTry
from controlplane.configuration.named_modules import as_command_error
from controlplane.configuration.run_settings import settings_with
from controlplane.configuration.setting_sources import name_the_file
from controlplane.configuration.setting_uses import Use
from controlplane.errors import UsageError
from controlplane.journal.journal_files import journal_path, new_run_id
from controlplane.journal.journal_reader import summary_of
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import ParentRun
from controlplane.lifecycle.conducting import RunScreen, conduct
from controlplane.lifecycle.reopened_run import reopen_run
from controlplane.lifecycle.resources.benchmark_description import check_world
from controlplane.lifecycle.resources.named_operations import check_named_operations
from controlplane.lifecycle.resources.opening_resources import open_resources
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.run_names import refuse_known_name
from controlplane.task_selection import TaskSelection

if TYPE_CHECKING:
    from controlplane.replay.forking import ForkPoint


@dataclass(frozen=True, slots=True)
class NewRun:
    """The plan of a run that has not begun."""

    spec: RunSpec
    """The settings, and what else is needed to open the run's resources."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Where each setting comes from that is not a default: `{"model": "flag"}`."""

    # What to play: the tries, if there are any, and otherwise the tasks
    tasks: tuple[str, ...] = ()
    """Tasks or families; empty for all. The settings `limit` and `repeats` apply to them."""
    tries: tuple[TaskTry, ...] = ()
    """Exact tries: each names a task, a world, and which repetition there it is."""

    # For a rerun, a fork, or the next question of a conversation
    parent: ParentRun | None = None
    """The run whose trials are played again or continued."""
    world: str | None = None
    """The version of the benchmark's worlds in the parent. The benchmark must still have it."""
    fork: ForkPoint | None = None
    """The recorded step from which trials continue; None if they start at the beginning."""

    run_id: str = ""
    """The id that names the journal's file; empty to create one."""

    @property
    def path(self) -> Path:
        """The path of the journal that its id names."""
        return journal_path(self.spec.settings.runs_dir, self.run_id)


@contextmanager
def opened_run(plan: NewRun) -> Iterator[Run]:
    """Open the resources and the journal of a run, and yield the run, which has not begun.

    Raises the `ControlPlaneError` that keeps it from beginning.
    """
    settings = plan.spec.settings
    if not plan.run_id:
        refuse_known_name(settings.name, settings.runs_dir)
    try:
        resources = open_resources(plan.spec)
    except UsageError as error:
        raise name_the_file(error, plan.sources) from error

    with resources:
        _check(plan, resources)
        path = journal_path(
            settings.runs_dir, plan.run_id or new_run_id(settings.benchmark)
        )
        with JournalWriter(path, create=True) as journal:
            yield Run(resources, journal, plan=plan)


def _check(plan: NewRun, resources: RunResources) -> None:
    """Check what can be checked before the run begins, so that it does not fail later.

    Raises the `ControlPlaneError` that would keep the run from working.
    """
    # Every run
    resources.describe()  # raises if the benchmark cannot be reached
    resources.models.check_names()
    check_named_operations(resources, _task_ids(plan, resources))
    # A rerun and a fork: the recorded trials belong to worlds of a certain version.
    if plan.world is not None and plan.parent is not None:
        refusal = f"trials of {plan.parent.run} cannot be played again"
        check_world(resources, plan.world, refusal)
    # A fork: the steps before it have to fit the resources of today.
    if plan.fork is not None:
        plan.fork.check(resources)
    # Last, since it starts a process
    resources.script_server.check_isolation()


def _task_ids(plan: NewRun, resources: RunResources) -> list[str]:
    """Return the tasks that a run is to play, each once.

    A plan names tasks or families, such as `("loans.3", "renewals")`, or exact tries of tasks. Raises
    `UsageError` for a task that the benchmark does not have.
    """
    tries = plan.tries
    if not tries:
        names = resources.tasks.chosen_by(plan.tasks)
        selection = TaskSelection(names, plan.spec.settings.limit)
        try:
            task_ids = selection.task_ids(resources.describe())
        except BenchmarkError as error:
            raise as_command_error(error) from error
        tries = selection.tries(task_ids)
    return list(dict.fromkeys(task_try.task_id for task_try in tries))


def conduct_new(plan: NewRun, screen: RunScreen | None) -> tuple[Run, int]:
    """Conduct a new run to its end; return it with its exit code. Raises as `opened_run` does."""
    with opened_run(plan) as run:
        code = conduct(run, screen)
        return run, code


def continued_run(plan: NewRun) -> AbstractContextManager[Run]:
    """Begin the run with the plan's id, or continue it if its journal says that it has started.

    A continued run gets the plan's limits of spending. A journal without a started run
    is replaced. Raises as `opened_run` and `reopen_run` do.
    """
    was_started = bool(summary_of(plan.path).run_id)
    if not was_started:
        plan.path.unlink(missing_ok=True)  # `opened_run` needs a path without a file.
        return opened_run(plan)
    limits = {
        name: getattr(plan.spec.settings, name) for name in settings_with(Use.SPENDING)
    }
    return reopen_run(
        plan.path, plays_trials=True, changes=limits, tools=plan.spec.tools
    )
