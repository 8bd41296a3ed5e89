"""Resumes a run from its journal: its settings, its resources, and the state of its open trials."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agent.loop import ResumeState
from controlplane.configuration.installed_versions import current_versions
from controlplane.configuration.trial_settings import settings_of
from controlplane.errors import UsageError
from controlplane.journal.journal_content import JournalContent, read_journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import RunResumed
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_resources import RunResources, RunSpec


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
    base_url: str = "",
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Resumption:
    """Open the run of the journal at `path` to continue it; `on_progress` is called with bytes read and bytes in all.

    `base_url` is the new address of a model's endpoint that has moved. Raises `NotAJournal`, `JournalDamaged`, and
    `UsageError` if another process conducts the run, it never started, or its trials play other worlds than today's.
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
        moved = bool(base_url) and base_url != settings.base_url
        if moved:
            settings = settings.model_copy(update={"base_url": base_url})
        spec = RunSpec(settings, packs=content.opened.packs)
        resources = RunResources(spec, works=works)
        if works:
            _check_world(content, resources)
    except BaseException:
        journal.close()
        raise
    run = Run(resources, journal, summary=content.summary)
    run.emit(RunResumed(versions=current_versions(resources.packs, resources.opened.world_version)))
    if moved:
        run.tell([f"the model's endpoint is {base_url} from here on"])
    return Resumption(run, content)


def _check_world(content: JournalContent, resources: RunResources) -> None:
    """Close the resources and raise `UsageError` if the run began in another version of the benchmark's worlds."""
    recorded, here = content.opened.versions.world, resources.opened.world_version
    if recorded != here:
        resources.close()
        began = f"version {recorded!r}" if recorded else "a version that its journal does not name"
        msg = (
            f"{content.path.stem} cannot be resumed: it began in {began} of the worlds of {content.opened.benchmark}, "
            f"and this is version {here!r}, in which its trials would go on elsewhere; start a new run"
        )
        raise UsageError(msg)
