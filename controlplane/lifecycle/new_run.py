"""Opens the run that a plan describes, checks that it can work, and conducts it.

A plan is that of an ordinary run, of a *rerun*, which plays trials of a recorded run again, or of a
*fork*, which continues recorded trials from one of their steps (see `run_plan`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from controlplane.benchmark import BenchmarkError
from controlplane.configuration.model_settings import Use
from controlplane.configuration.named_modules import as_command_error
from controlplane.configuration.run_settings import settings_with
from controlplane.configuration.setting_sources import name_the_file
from controlplane.errors import UsageError
from controlplane.journal.journal_files import journal_path, new_run_id
from controlplane.journal.journal_reader import summary_of
from controlplane.journal.journal_writer import JournalWriter
from controlplane.lifecycle.conducting import RunScreen, conduct
from controlplane.lifecycle.playing_again import RunPlan
from controlplane.lifecycle.reopened_run import reopen_run
from controlplane.lifecycle.resources.offered_operations import check_named_operations
from controlplane.lifecycle.resources.opening_resources import open_resources
from controlplane.lifecycle.resources.player_rules import check_world
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.run_names import refuse_known_name
from controlplane.task_selection import TaskSelection


@contextmanager
def opened_run(plan: RunPlan) -> Iterator[Run]:
    """Open the resources and the journal of a run, and yield the run, which has not begun.

    Raises the `ControlPlaneError` that keeps it from beginning, before the journal's file exists.
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


def _check(plan: RunPlan, resources: RunResources) -> None:
    """Check what can be checked before the run begins, so that it does not fail later.

    Each check raises a `ControlPlaneError`: a benchmark that is down, a misspelt model, and so on.
    """
    # Every run
    resources.describe()  # asks the benchmark for its tasks, so it has to be reachable
    resources.models.check_models()
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


def _task_ids(plan: RunPlan, resources: RunResources) -> list[str]:
    """Return the ids of the tasks that a run is to play, each once.

    A plan names tasks or families: `("loans.3", "renewals")` -> `["loans.3", "renewals.1", …]`. Or it
    has exact tries of tasks. Raises `UsageError` for a task that the benchmark does not have.
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


def conduct_new(plan: RunPlan, screen: RunScreen | None) -> tuple[Run, int]:
    """Conduct a new run to its end; return it, closed, with its exit code.

    Raises as `opened_run` does. Without a screen, nothing is printed.
    """
    with opened_run(plan) as run:
        code = conduct(run, screen)
        return run, code


def continued_run(plan: RunPlan) -> AbstractContextManager[Run]:
    """Begin the run with the plan's id, or continue it if its journal says that it has started.

    So a program that plays several runs, such as a sweep, can be started again after an interruption.
    A continued run has its recorded settings, except for the plan's limits of spending. A journal
    without a started run is replaced. Raises as `opened_run` and `reopen_run` do.
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
