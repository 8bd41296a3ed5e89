"""The beginnings of a run: a new one, one that is resumed, and one that a program goes on with.

`opened_run` opens what a plan describes, be it an ordinary run, a rerun or a fork, and `begin_run`
begins it at its benchmark. `reopen_run` opens a run from its journal. Both yield a `Run`, which
`conducting` then plays, ends and submits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

from controlplane.benchmark import BenchmarkError, OpenedBenchmark
from controlplane.configuration.model_settings import ModelSettings, Use
from controlplane.configuration.named_modules import as_command_error
from controlplane.configuration.recorded_settings import (
    check_own,
    settings_here,
    settings_of,
)
from controlplane.configuration.run_names import refuse_known_name
from controlplane.configuration.run_settings import settings_with
from controlplane.configuration.setting_sources import DEFAULT, FLAG, name_the_file
from controlplane.errors import UsageError
from controlplane.journal.journal_files import journal_path, new_run_id
from controlplane.journal.journal_reader import open_journal, summary_of
from controlplane.journal.journal_writer import RESUMABLE, JournalWriter
from controlplane.journal.run_events import (
    HINTS,
    AllottedTrial,
    PromptText,
    ResolvedSetting,
    RunNotice,
    RunOpened,
    RunPrompts,
    RunResumed,
    RunStarted,
)
from controlplane.lifecycle.resources.offered_operations import check_named_operations
from controlplane.lifecycle.resources.playable_tasks import (
    check_world,
    chosen_tasks,
    limit_notice,
)
from controlplane.lifecycle.resources.run_resources import RunResources, open_resources
from controlplane.lifecycle.resources.run_solver import RunSpec, recorded_prompts
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_plan import Consent, RunPlan
from controlplane.task_selection import TaskSelection, start_selected_run

# Opens the run that a plan describes, and checks that it can work.
#
# A plan is that of an ordinary run, of a *rerun*, which plays trials of a recorded run again, or of a
# *fork*, which continues recorded trials from one of their steps (see `run_plan`).


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
        resources.sandbox.check_isolation()
        path = journal_path(
            settings.runs_dir, plan.run_id or new_run_id(settings.benchmark)
        )
        with JournalWriter(path, create=True) as journal:
            yield Run(resources, journal, plan=plan)


def _task_ids(plan: RunPlan, resources: RunResources) -> list[str]:
    """Return the ids of the tasks that a run is to play, each once.

    Raises `UsageError` for a task that the benchmark does not have.
    """
    selection = _selection(resources, plan)
    task_ids: list[str] = []
    if not selection.only:
        try:
            task_ids = selection.task_ids(resources.describe())
        except BenchmarkError as error:
            raise as_command_error(error) from error
    tries = selection.tries(task_ids)
    return list(dict.fromkeys(task_try.task_id for task_try in tries))


def _selection(resources: RunResources, plan: RunPlan) -> TaskSelection:
    """Return the tasks to play: those of the plan's exact tries, or else those that it names.

    A plan names tasks or families: `("loans.3", "renewals")`. `limit`, `repeats` and `worlds` apply
    only to these. Raises `UsageError`.
    """
    if plan.tries:
        task_ids = dict.fromkeys(task_try.task_id for task_try in plan.tries)
        return TaskSelection(tuple(task_ids), only=plan.tries)
    settings = resources.settings
    names = chosen_tasks(resources, plan.tasks)
    return TaskSelection(
        tuple(names), settings.limit, settings.repeats, settings.worlds
    )


# Begins an opened run: in its journal, and then at its benchmark.


def begin_run(run: Run) -> None:
    """Open the journal of a new run, and start the run at its benchmark.

    Does nothing for a resumed run. Raises `UsageError` and `Unreachable`.
    """
    plan = run.plan
    if plan is None:
        return
    resources = run.resources
    settings = run.settings
    # `resume_hint` ends the error's message if the journal cannot be written: "cannot write the
    # journal: No space left; nothing of the run can be resumed; fix that and …".
    run.journal.resume_hint = (
        "nothing of the run can be resumed; fix that and start a new run"
    )
    run_id = run.journal.path.stem
    # Record the full path of a benchmark that was named by a relative one, for `resume`.
    values = resources.settings_elsewhere.model_dump(mode="json")
    values["tasks"] = list(plan.tasks)
    sources = dict(plan.sources)
    if plan.tasks:
        sources.setdefault("tasks", FLAG)
    run.emit(
        RunOpened(
            run=run_id,
            name=settings.name,
            benchmark=settings.benchmark,
            model=resources.model.name if resources.model else "",
            rule_sets=resources.rule_sets,
            settings=tuple(
                ResolvedSetting(
                    name=setting_name,
                    value=value,
                    source=sources.get(setting_name, DEFAULT),
                )
                for setting_name, value in values.items()
            ),
            versions=resources.versions(),
            parent=plan.parent,
        )
    )
    if resources.prompts is not None:
        texts = dict(resources.prompts.texts)
        if resources.prompts.hints:
            texts[HINTS] = resources.prompts.hints
        run.emit(
            RunPrompts(
                texts=tuple(
                    PromptText(name=name, text=text) for name, text in texts.items()
                )
            )
        )

    try:
        started = start_selected_run(
            resources.benchmark,
            _selection(resources, plan),
            name=settings.name or run_id,
            seed=settings.seed,
        )
    except BenchmarkError as error:
        raise as_command_error(error) from error
    # If the journal cannot be written now, the run exists only at the benchmark.
    run.journal.resume_hint = (
        f"the run began at its benchmark as {started.run_id!r}, recorded nowhere, "
        "so it cannot be resumed; fix that and start a new run"
    )
    trials = tuple(
        AllottedTrial.model_validate(trial, from_attributes=True)
        for trial in started.trials
    )
    scale = run.resources.opened.scale
    run.emit(RunStarted(run_id=started.run_id, trials=trials, scale=scale.recorded))
    run.journal.resume_hint = RESUMABLE
    if not plan.tasks and not plan.tries:
        notice = limit_notice(resources)
        if notice:
            resources.notices.show_once(notice)
    run.journal.sync()
    if plan.fork is not None:
        # Each trial continues a recorded one, and gets the steps before the fork.
        run.trial_records = plan.fork.begin(run)


# Reopens a recorded run, to play its remaining trials, submit it, or ask for its scores.


@contextmanager
def reopen_run(
    path: Path,
    *,
    plays_trials: bool,
    changes: Mapping[str, object] | None = None,
    consent: Consent | None = None,
    opened: OpenedBenchmark | None = None,
) -> Iterator[Run]:
    """Yield the run of the journal at `path`, ready to continue.

    - `plays_trials`: True to play the remaining trials, for which this opens the solver and
      the models, and reads what was recorded of those trials. False to only submit the run
      or ask for its scores.
    - `changes`: settings that replace recorded ones, such as the `base_url` of an
      endpoint that moved.
    - `consent`: what the user allows now; None for nothing. It is never taken from a journal.
    - `opened`: the benchmark, if a program passes it as an object. None: the recorded
      settings name it.

    Raises `NotAJournal` and `JournalDamaged`. Raises `UsageError` if another process is
    writing the journal, or the run never started. With `plays_trials`, raises it also if the
    benchmark's worlds have changed, or a layer of the sandbox is missing.
    """
    consent = consent or Consent()
    with ExitStack() as open_parts:
        # 1. The journal: lock it against other writers, read it, and check that the
        #    user may continue it: it is the user's own, or trusted. Only then drop an
        #    incomplete last line.
        writer = open_parts.enter_context(JournalWriter(path, create=False))
        journal = open_parts.enter_context(open_journal(path))
        if not journal.summary.run_id:
            msg = f"the journal of {journal.run} does not say that the run began at its benchmark; start a new run"
            raise UsageError(msg)
        check_own(journal, is_trusted=consent.is_trusted)
        changes = changes or {}
        if changes.get("model") and journal.summary.spent.replies:
            msg = (
                f"a model has already replied in {journal.run}, so --model cannot change it; "
                "start a new run"
            )
            raise UsageError(msg)
        writer.continue_after(length=journal.length, last_hash=journal.last_hash)

        # 2. The resources that the recorded run used. The settings are the recorded ones that
        #    are valid on this machine, with the changes.
        settings = settings_here(journal, changes)
        spec = RunSpec(
            settings,
            rule_sets=journal.opened.rule_sets,
            prompts=recorded_prompts(journal),
            # What replies have shown about the endpoints, such as a refused parameter.
            capabilities=tuple(journal.summary.learned.values()),
            tools=consent.tools,
            approve=consent.approve,
            opened=opened,
        )
        resources = open_parts.enter_context(
            open_resources(spec, plays_trials=plays_trials)
        )
        if plays_trials:
            # Raise `UsageError` if the remaining trials of a recorded run cannot be played
            # here.
            check_world(
                resources,
                journal.opened.versions.world,
                f"{journal.run} cannot be resumed",
            )
            resources.sandbox.check_isolation()
            # If a model has replied before, its name is valid. So it need not be looked up.
            if not journal.summary.spent.replies:
                resources.models.check_models()

        # 3. The run, and in its journal the event that it goes on
        run = Run(resources, writer, summary=journal.summary)
        # Record that the run is resumed, and which settings differ from the recorded ones.
        before = settings_of(journal)
        changed: dict[str, object] = {}
        for name in settings_with(Use.RESUMABLE):
            value = getattr(settings, name)
            if value != getattr(before, name):
                changed[name] = value
        versions = run.resources.versions()
        if "model" in changed:
            names = set(ModelSettings.model_fields) - {"model"}
            values = settings.model_dump(mode="json", include=names)
            changed_settings = []
            for setting in journal.opened.settings:
                setting_name = setting.name
                if setting_name in values and setting.value != values[setting_name]:
                    changed_settings.append(
                        setting.model_copy(update={"value": values[setting_name]})
                    )
            run.emit(
                RunResumed(
                    versions=versions,
                    model=settings.model,
                    model_settings=tuple(changed_settings),
                )
            )
        else:
            run.emit(RunResumed(versions=versions))

        # When the run is resumed once more, it keeps another model, with the settings of that. All
        # other settings are again those with which the run began.
        kept = set(ModelSettings.model_fields) if "model" in changed else set()
        for name, value in changed.items():
            duration = "until the run is resumed again"
            if name in kept:
                duration = "from here on"
            run.emit(RunNotice(text=f"the setting {name} is {value} {duration}"))
        if plays_trials:
            run.trial_records = journal.unfinished_records()
        yield run


# Begins a run, or goes on with it, whichever its journal asks for.


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
    consent = Consent(tools=plan.spec.tools, approve=plan.spec.approve)
    return reopen_run(plan.path, plays_trials=True, changes=limits, consent=consent)
