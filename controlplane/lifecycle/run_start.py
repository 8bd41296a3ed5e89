"""Begins a new run: in its journal, and then at its benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from controlplane.agent.loop import Prompts
from controlplane.benchmark import BenchmarkError, StartedRun
from controlplane.configuration.named_modules import as_command_error
from controlplane.configuration.setting_sources import FLAG
from controlplane.journal.locked_file import RESUMABLE
from controlplane.journal.run_events import (
    HINTS,
    AllottedTrial,
    ParentRun,
    PromptText,
    ResolvedSetting,
    RunOpened,
    RunPrompts,
    RunStarted,
)
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.selected_run import start_selected_run
from controlplane.task_selection import TaskSelection

if TYPE_CHECKING:
    from controlplane.lifecycle.playing_again import RunPlan

# The first events of a new run: its settings and its prompt texts.


def _opening_event(
    run_id: str,
    resources: RunResources,
    sources: Mapping[str, str],
    tasks: Sequence[str],
    parent: ParentRun | None,
) -> RunOpened:
    """Return the event with the settings of a new run.

    `sources` says where each setting comes from that is not a default. `tasks` are
    arguments of the command, which are recorded like a setting.
    """
    settings = resources.settings
    return RunOpened(
        run=run_id,
        name=settings.name,
        benchmark=settings.benchmark,
        model=resources.model.name if resources.model else "",
        rule_sets=resources.rule_sets,
        settings=_recorded_settings(resources, sources, tasks),
        versions=resources.versions(),
        parent=parent,
    )


def _recorded_settings(
    resources: RunResources, sources: Mapping[str, str], tasks: Sequence[str]
) -> tuple[ResolvedSetting, ...]:
    values = resources.settings.model_dump(mode="json")
    # Record the full path of a benchmark that was named by a relative one, for `resume`.
    identity = resources.opened.resume_identity
    if identity is not None:
        values["benchmark"] = identity.spec
        values["set"] = dict(identity.settings)
    values["tasks"] = list(tasks)

    recorded = []
    for name, value in values.items():
        source = sources.get(name, "default")
        if name == "tasks" and tasks:
            source = sources.get(name, FLAG)
        recorded.append(ResolvedSetting(name=name, value=value, source=source))
    return tuple(recorded)


def _prompts_event(prompts: Prompts) -> RunPrompts:
    """Return the event with the prompt texts, and the user's hints if there are any."""
    texts = dict(prompts.texts)
    if prompts.hints:
        texts[HINTS] = prompts.hints
    return RunPrompts(
        texts=tuple(PromptText(name=name, text=text) for name, text in texts.items())
    )


def begin_run(run: Run) -> None:
    """Open the journal of a new run, and start the run at its benchmark.

    Does nothing for a resumed run. Raises `UsageError` and `Unreachable`.
    """
    plan = run.plan
    if plan is None:
        return
    _record_opening(run, plan)
    started = _start_at_benchmark(run, plan)
    _record_start(run, started)
    if not plan.tasks and not plan.tries:
        notice = run.resources.tasks.limit_notice()
        if notice:
            run.resources.notices.show_once(notice)
    run.journal.sync()
    if plan.fork is not None:
        # Each trial continues a recorded one, and gets the steps before the fork.
        run.trial_records = plan.fork.begin(run)


def _record_opening(run: Run, plan: RunPlan) -> None:
    """Write the settings and prompts of a new run to its journal."""
    # `resume_hint` ends the error's message if the journal cannot be written: "cannot write the
    # journal: No space left; nothing of the run can be resumed; fix that and …".
    run.journal.resume_hint = (
        "nothing of the run can be resumed; fix that and start a new run"
    )
    run_id = run.journal.path.stem
    run.emit(
        _opening_event(run_id, run.resources, plan.sources, plan.tasks, plan.parent)
    )
    if run.resources.prompts is not None:
        run.emit(_prompts_event(run.resources.prompts))


def _start_at_benchmark(run: Run, plan: RunPlan) -> StartedRun:
    """Start the planned trials. Raises `UsageError` and `Unreachable`."""
    settings = run.settings
    name = settings.name or run.journal.path.stem
    selection = _selection(run.resources, plan)
    try:
        return start_selected_run(
            run.resources.benchmark, selection, name=name, seed=settings.seed
        )
    except BenchmarkError as error:
        raise as_command_error(error) from error


def _selection(resources: RunResources, plan: RunPlan) -> TaskSelection:
    """Return the tasks to play: those of the plan's exact tries, or else those that it names.

    `limit`, `repeats` and `worlds` apply only to named tasks. Raises `UsageError`.
    """
    if plan.tries:
        task_ids = dict.fromkeys(task_try.task_id for task_try in plan.tries)
        return TaskSelection(tuple(task_ids), only=plan.tries)
    settings = resources.settings
    names = resources.tasks.chosen_by(plan.tasks)
    return TaskSelection(
        tuple(names), settings.limit, settings.repeats, settings.worlds
    )


def _record_start(run: Run, started: StartedRun) -> None:
    """Record the trials that the benchmark has given the run.

    From then on, the run can be resumed. `resume_hint` ends the message of an error of the journal.
    """
    # If the journal cannot be written now, the run exists only at the benchmark.
    run.journal.resume_hint = (
        f"the run began at its benchmark as {started.run_id!r}, recorded nowhere, "
        "so it cannot be resumed; fix that and start a new run"
    )
    trials = []
    for planned_trial in started.trials:
        trials.append(
            AllottedTrial(
                trial_id=planned_trial.trial_id,
                task_id=planned_trial.task_id,
                number=planned_trial.number,
                repeat=planned_trial.repeat,
            )
        )
    scale = run.resources.opened.scale
    run.emit(
        RunStarted(run_id=started.run_id, trials=tuple(trials), scale=scale.recorded)
    )
    run.journal.resume_hint = RESUMABLE
