"""Reopens a recorded run, to play its remaining trials, submit it, or ask for its scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from controlplane.benchmark import OpenedBenchmark
from controlplane.configuration.model_settings import ModelSettings, Use
from controlplane.configuration.recorded_settings import (
    check_own,
    settings_here,
    settings_of,
)
from controlplane.configuration.run_settings import RunSettings, settings_with
from controlplane.errors import UsageError
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import ResolvedSetting, RunNotice, RunResumed
from controlplane.lifecycle.resources.opening_resources import open_resources
from controlplane.lifecycle.resources.player_rules import check_world
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.resources.run_solver import RunSpec, recorded_prompts
from controlplane.lifecycle.run_lifecycle import Run

if TYPE_CHECKING:
    from controlplane.mcp.tool_access import ToolAccess

# Records that a run is resumed, and which settings differ from the recorded ones.


def _record_resumption(run: Run, journal: Journal, settings: RunSettings) -> None:
    """Record that the run is resumed, and which settings differ from the recorded ones."""
    changed = _changed_settings(settings_of(journal), settings)
    versions = run.resources.versions()
    if "model" in changed:
        run.emit(
            RunResumed(
                versions=versions,
                model=settings.model,
                model_settings=_changed_model_settings(journal, settings),
            )
        )
    else:
        run.emit(RunResumed(versions=versions))

    for name, value in changed.items():
        # When the run is resumed once more, it keeps this model. All other settings are
        # again those with which the run began.
        duration = "until the run is resumed again"
        if name == "model":
            duration = "from here on"
        run.emit(RunNotice(text=f"the setting {name} is {value} {duration}"))


def _changed_settings(before: RunSettings, settings: RunSettings) -> dict[str, object]:
    """Return the new values of the settings that `resume` has changed."""
    changed: dict[str, object] = {}
    for name in settings_with(Use.RESUMABLE):
        value = getattr(settings, name)
        if value != getattr(before, name):
            changed[name] = value
    return changed


def _changed_model_settings(
    journal: Journal, settings: RunSettings
) -> tuple[ResolvedSetting, ...]:
    """Return the settings of the new model that differ from those of the recorded one.

    The journal keeps each setting with the place that it comes from, so these are copies of the
    recorded ones with other values.
    """
    names = set(ModelSettings.model_fields) - {"model"}
    values = settings.model_dump(mode="json", include=names)
    changed = []
    for setting in journal.opened.settings:
        name = setting.name
        if name in values and setting.value != values[name]:
            changed.append(setting.model_copy(update={"value": values[name]}))
    return tuple(changed)


@contextmanager
def reopen_run(
    path: Path,
    *,
    plays_trials: bool,
    changes: Mapping[str, object] | None = None,
    is_trusted: bool = False,
    tools: ToolAccess | None = None,
    opened: OpenedBenchmark | None = None,
) -> Iterator[Run]:
    """Yield the run of the journal at `path`, ready to continue.

    - `plays_trials`: True to play the remaining trials, for which this opens the solver and
      the models, and reads what was recorded of those trials. False to only submit the run
      or ask for its scores.
    - `changes`: settings that replace recorded ones, such as the `base_url` of an
      endpoint that moved.
    - `is_trusted`: True if the user accepts a journal that somebody else may have written.
    - `tools`: the MCP servers that the user names now. Those in a journal are never started.
    - `opened`: the benchmark, if a program passes it as an object. None: the recorded
      settings name it.

    Raises `NotAJournal` and `JournalDamaged`. Raises `UsageError` if another process is
    writing the journal, or the run never started. With `plays_trials`, raises it also if the
    benchmark's worlds have changed, or a layer of the sandbox is missing.
    """
    with ExitStack() as open_parts:
        # 1. The journal: lock it against other writers, read it, and check that the
        #    user may continue it: it is the user's own, or trusted. Only then cut off an
        #    incomplete last line.
        writer = open_parts.enter_context(JournalWriter(path, create=False))
        journal = open_parts.enter_context(open_journal(path))
        if not journal.summary.run_id:
            msg = f"the journal of {journal.run} does not say that the run began at its benchmark; start a new run"
            raise UsageError(msg)
        check_own(journal, is_trusted=is_trusted)
        writer.continue_after(length=journal.length, last_hash=journal.last_hash)

        # 2. The resources that the recorded run used. The settings are the recorded ones that
        #    are valid on this machine, with the changes.
        settings = settings_here(journal, changes or {})
        spec = RunSpec(
            settings,
            rule_sets=journal.opened.rule_sets,
            prompts=recorded_prompts(journal),
            # What replies have shown about the endpoints, such as a refused parameter.
            capabilities=tuple(journal.summary.learned.values()),
            tools=tools,
            opened=opened,
        )
        resources = open_parts.enter_context(
            open_resources(spec, plays_trials=plays_trials)
        )
        if plays_trials:
            _check_can_play(journal, resources)

        # 3. The run, and in its journal the event that it goes on
        run = Run(resources, writer, summary=journal.summary)
        _record_resumption(run, journal, settings)
        if plays_trials:
            run.trial_records = journal.unfinished_records()
        yield run


def _check_can_play(journal: Journal, resources: RunResources) -> None:
    """Raise `UsageError` if the remaining trials of a recorded run cannot be played here."""
    check_world(
        resources, journal.opened.versions.world, f"{journal.run} cannot be resumed"
    )
    resources.script_server.check_isolation()
    # If a model has replied before, its name is valid. So it need not be looked up.
    if not journal.summary.spent.replies:
        resources.models.check_models()
