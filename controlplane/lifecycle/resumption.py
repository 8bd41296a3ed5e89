"""Resumes a run from its journal: its settings, its resources, and the state of its open trials."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent.loop import ResumeState
from controlplane.configuration.installed_versions import current_versions
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.trial_settings import settings_of
from controlplane.errors import UsageError
from controlplane.journal.journal_content import JournalContent, read_journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import RunResumed
from controlplane.lifecycle.fan_out import OpenWorkers, ThreadWorkers
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_resources import RunResources, RunSpec

CHANGEABLE: Final = {
    "base_url": "the model's endpoint is",
    "walls": "the walls around scripts are",
    "workers": "trials run on",
}
"""The settings that may be others than recorded, as the journal says so."""


@dataclass(slots=True)
class Resumption:
    """A run taken up from its journal. Close it when done."""

    run: Run
    content: JournalContent

    @property
    def resume_states(self) -> dict[str, ResumeState]:
        """The state of each trial that is not over."""
        open_trials = (each for each in self.content.summary.trials.values() if not each.is_over)
        return {
            each.trial_id: self.content.records[each.trial_id].resume_state()
            for each in open_trials
            if each.trial_id in self.content.records
        }

    def close(self) -> None:
        """Close the journal and the run's resources."""
        self.run.journal.close()
        self.run.resources.close()


def take_up(
    path: Path,
    *,
    works: bool,
    changes: Mapping[str, str] | None = None,
    open_workers: Callable[[RunSettings], OpenWorkers] = lambda settings: ThreadWorkers,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Resumption:
    """Open the run of the journal at `path` to continue it; `on_progress` is called with bytes read and bytes in all.

    `open_workers` returns what opens the workers that settings name.

    `changes` are settings that are no longer as recorded: `base_url` of an endpoint that has moved, `walls`, `workers`.
    Raises `NotAJournal`, `JournalDamaged`, and `UsageError` if another process conducts the run, it never started, its
    trials play other worlds than today's, or a wall is missing.
    """
    journal = JournalWriter(path, create=False)
    try:
        content = read_journal(path, on_progress)
        if not content.summary.run_id:
            msg = f"the journal of {path.stem} does not say that the run began at its benchmark; start a new one"
            raise UsageError(msg)
        journal.continue_after(
            length=content.chain.length, last_hash=content.chain.last_hash, stored=set(content.chain.texts)
        )
        settings = settings_of(content)
        changed = {name: value for name, value in (changes or {}).items() if value != getattr(settings, name)}
        settings = settings.model_copy(update=changed)
        spec = RunSpec(settings, packs=content.opened.packs)
        resources = RunResources(spec, works=works)
        if works:
            try:
                _check_world(content, resources)
                resources.check_walls()
            except BaseException:
                resources.close()
                raise
    except BaseException:
        journal.close()
        raise
    run = Run(resources, journal, summary=content.summary, open_workers=open_workers(settings))
    run.emit(RunResumed(versions=current_versions(resources.packs, resources.opened.world_version)))
    run.tell([f"{CHANGEABLE[name]} {value} from here on" for name, value in changed.items()])
    return Resumption(run, content)


def _check_world(content: JournalContent, resources: RunResources) -> None:
    """Raise `UsageError` if the run began in another version of the benchmark's worlds."""
    recorded, here = content.opened.versions.world, resources.opened.world_version
    if recorded != here:
        began = f"version {recorded!r}" if recorded else "a version that its journal does not name"
        msg = (
            f"{content.path.stem} cannot be resumed: it began in {began} of the worlds of {content.opened.benchmark}, "
            f"and this is version {here!r}, in which its trials would go on elsewhere; start a new run"
        )
        raise UsageError(msg)
