"""A whole journal, read and checked: its run, its trials and its versions."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from controlplane.errors import UsageError
from controlplane.journal.journal_reader import Chain, read_events
from controlplane.journal.run_events import JournalEvent, RunOpened, RunResumed, RunStarted, Versions
from controlplane.journal.run_summary import RunSummary
from controlplane.journal.trial_record import TrialRecord, records_of
from controlplane.near_names import did_you_mean

EVENTS_BETWEEN_LOOKS: Final = 500
"""Events that are read before it is told again how far reading is."""


@dataclass(slots=True)
class JournalContent:
    """A whole journal, read and checked."""

    path: Path
    opened: RunOpened
    records: dict[str, TrialRecord]
    summary: RunSummary
    chain: Chain = field(default_factory=Chain)
    versions: tuple[Versions, ...] = ()
    """What ran it, first and after each resumption."""

    def find_trial(self, name: str) -> str:
        """Return the id of the trial that `name` means: an id, a task id, or a unique beginning of one of either."""
        ids = list(self.summary.trials)
        exact = [each for each in ids if name in (each, self.summary.trials[each].task_id)]
        starts = [each for each in ids if each.startswith(name) or self.summary.trials[each].task_id.startswith(name)]
        fitting = exact or starts
        if len(fitting) == 1 or (fitting and exact):
            return fitting[0]
        if fitting:
            msg = f"{name!r} fits several trials: {', '.join(fitting[:8])}"
            raise UsageError(msg)
        tasks = [self.summary.trials[each].task_id for each in ids]
        msg = f"no trial {name!r} in {self.path.stem}{did_you_mean(name, tasks)}"
        raise UsageError(msg)


def read_journal(
    path: Path, on_progress: Callable[[int, int], None] = lambda done, total: None, *, only: str = ""
) -> JournalContent:
    """Read a whole journal, telling how many of its bytes are read. Raises `NotAJournal`, `JournalDamaged`.

    Where `only` is the id or the task's id of one trial, what happened in the others is left out.
    """
    chain, summary, events = Chain(), RunSummary(), list[JournalEvent]()
    with _without_collector():
        for event in read_events(path, chain):
            summary.fold(event)
            events.append(event)
            if isinstance(event, RunStarted) and only:
                meant = [each.trial_id for each in event.trials if only in (each.trial_id, each.task_id)]
                chain.only = meant[0] if len(meant) == 1 else ""
            if len(events) % EVENTS_BETWEEN_LOOKS == 0:
                on_progress(chain.length, path.stat().st_size)
    opened = events[0]
    assert isinstance(opened, RunOpened)
    versions = tuple(each.versions for each in events if isinstance(each, RunOpened | RunResumed))
    return JournalContent(path, opened, records_of(events), summary, chain, versions)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Keep Python from looking for garbage: all that is read stays, and looking through it takes as long as reading."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
