"""Resumes a run from its journal: its settings, its resources, and the state of its open trials."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent.loop import ResumeState
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.trial_settings import recorded_prompts, settings_of
from controlplane.errors import UsageError
from controlplane.journal.journal_content import Journal, open_journal
from controlplane.journal.journal_file import is_packed
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import RunResumed
from controlplane.lifecycle.fan_out import OpenWorkers, ThreadWorkers
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_resources import RunResources, RunSpec

CHANGEABLE: Final = {
    "base_url": "the model's endpoint is",
    "walls": "the walls around scripts are",
    "workers": "trials run on",
    "run_cost": "the USD that the run may cost are",
    "trial_cost": "the USD that a trial may cost are",
    "run_time": "the seconds that the run may take are",
    "max_tokens_run": "the tokens that the run may take are",
}
"""The settings that may be others than recorded, as the journal says so."""


@dataclass(slots=True)
class Resumption:
    """A run taken up from its journal. Close it when done."""

    run: Run
    journal: Journal

    @property
    def resume_states(self) -> dict[str, ResumeState]:
        """The state of each trial that is not over."""
        open_trials = (each for each in self.journal.trials.values() if not each.summary.is_over)
        return {each.trial_id: each.record.resume_state() for each in open_trials if each.has_begun}

    def close(self) -> None:
        """Close the journal and the run's resources."""
        self.journal.close()
        self.run.journal.close()
        self.run.resources.close()


def take_up(
    path: Path,
    *,
    works: bool,
    changes: Mapping[str, object] | None = None,
    open_workers: Callable[[RunSettings], OpenWorkers] = lambda settings: ThreadWorkers,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Resumption:
    """Open the run of the journal at `path` to continue it; `on_progress` is called with bytes read and bytes in all.

    `open_workers` returns what opens the workers that settings name.

    `changes` are settings that are no longer as recorded: `base_url` of an endpoint that has moved, limits.
    Raises `NotAJournal`, `JournalDamaged`, and `UsageError` if another process conducts the run, it never started, its
    trials play other worlds than today's, or a wall is missing.
    """
    if is_packed(path):
        msg = f"{path} is packed, so nothing can be added to it; unpack it first (gzip -d, zstd -d)"
        raise UsageError(msg)
    with ExitStack() as opened:
        writer = opened.enter_context(JournalWriter(path, create=False))
        journal = opened.enter_context(open_journal(path, on_progress))
        if not journal.summary.run_id:
            msg = f"the journal of {journal.run} does not say that the run began at its benchmark; start a new one"
            raise UsageError(msg)
        chain = journal.index.chain
        writer.continue_after(length=chain.length, last_hash=chain.last_hash, stored=set(journal.index.texts))
        settings = settings_of(journal)
        changed = {name: value for name, value in (changes or {}).items() if value != getattr(settings, name)}
        settings = settings.model_copy(update=changed)
        spec = RunSpec(
            settings,
            packs=journal.opened.packs,
            prompts=recorded_prompts(journal),
            known=tuple(journal.summary.learned.values()),
        )
        resources = opened.enter_context(RunResources(spec, works=works))
        if works:
            resources.check_world(journal.opened.versions.world, f"{journal.run} cannot be resumed")
            resources.check_walls()
        run = Run(resources, writer, summary=journal.summary, open_workers=open_workers(settings))
        run.emit(RunResumed(versions=resources.versions()))
        run.tell([f"{CHANGEABLE[name]} {value} from here on" for name, value in changed.items()])
        opened.pop_all()
    return Resumption(run, journal)
