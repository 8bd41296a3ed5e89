"""Records that a run is resumed, and which settings differ from the recorded ones."""

from __future__ import annotations

from controlplane.configuration.model_settings import ModelSettings
from controlplane.configuration.recorded_settings import (
    settings_of,
)
from controlplane.configuration.run_settings import RunSettings, settings_with
from controlplane.configuration.setting_uses import Use
from controlplane.journal.journal_reader import Journal
from controlplane.journal.run_events import RunNotice, RunResumed, Setting
from controlplane.lifecycle.run_lifecycle import Run


def record_resumption(run: Run, journal: Journal, settings: RunSettings) -> None:
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
) -> tuple[Setting, ...]:
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
