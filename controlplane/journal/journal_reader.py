"""Reads journals: checks the chain of hashes, adds up totals, and reads each trial on demand.

with open_journal(Path("runs/x.jsonl")) as journal:
    for trial in journal.trials.values():
        print(trial.task_id, trial.score, [step.state for step in trial.steps])

`Journal.read` goes through the file once, and later continues where it stopped. It
parses only the events that the totals need. Of other lines it keeps only where they
begin, so it needs a few bytes of memory per line. Limits protect the reader of a
journal that somebody else wrote.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from controlplane.agent.record.trial_record import TrialRecord
from controlplane.errors import (
    ControlPlaneError,
    NotAJournal,
    UsageError,
    did_you_mean,
)
from controlplane.journal.journal_files import journal_id
from controlplane.journal.journal_scan import JournalScan
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.journal.run_events import (
    JournalEvent,
    RunOpened,
    RunResumed,
    Versions,
)
from controlplane.journal.totals.run_folding import fold_event
from controlplane.journal.totals.run_summary import RunSummary

MAX_SHOWN_CANDIDATES: Final = 8
"""Trials that an error message lists if a name fits several."""


class Journal(JournalScan):
    """An open journal: the totals of the part that was read, and its trials, read on demand.

    It has the members of `JournalScan`, too.

    Use `open_journal` to open and read one. Call `read` again to add what a running
    process has written since. `close` closes the file, as does the garbage collector.
    In memory are a few bytes per line of the journal, and the trial that is being read.
    """

    def __init__(self, path: Path) -> None:
        """Open the journal at `path` without reading it. Raises `NotAJournal`."""
        super().__init__(path)
        self.summary = RunSummary()
        """Totals of the run."""
        self.versions: list[Versions] = []
        """Versions at the start of the run and at each resumption."""
        self._trials: dict[str, RecordedTrial] = {}

    def read(self, seconds: float | None = None) -> bool:
        """Read the rest of the file, and add it to the totals. Stop after `seconds`, if given.

        Returns True if the time was over before the end of the file, so that more may
        be left to read.

        Raises `NotAJournal` and `JournalDamaged`. Events that the totals do not need are
        not parsed, so faults inside of them are not found.
        """
        until = None if seconds is None else time.monotonic() + seconds
        try:
            for event in self.read_on(for_totals=True):
                fold_event(self.summary, event)
                if isinstance(event, RunOpened | RunResumed):
                    self.versions.append(event.versions)
                if until is not None and time.monotonic() > until:
                    return True
        finally:
            # The time of the latest event tells how long the run has taken, even if the
            # totals do not need that event.
            self.summary.process.note_time(self.last_skipped_ms)
        return False

    @property
    def opened(self) -> RunOpened:
        """The run's first event: its settings, model and versions.

        Raises `NotAJournal` without one.
        """
        if self.summary.opened is None:
            msg = f"{self.path} is not a journal: it holds no whole line of one"
            raise NotAJournal(msg)
        return self.summary.opened

    @property
    def run(self) -> str:
        """The journal's id, which commands accept as RUN."""
        return journal_id(self.path)

    def setting(self, name: str) -> object:
        """Return the value of a setting of the run; None if it is not recorded."""
        return self.opened.setting(name)

    def events_of_run(self) -> Iterator[JournalEvent]:
        """Yield the events about the run as a whole. Raises `JournalDamaged`."""
        yield from self.places.events_of_run()

    # Its trials

    @property
    def trials(self) -> Mapping[str, RecordedTrial]:
        """Every trial by its id, in the benchmark's order."""
        # Made anew only if the journal has got further trials since.
        if len(self._trials) != len(self.summary.trials):
            self._trials = {
                trial_id: RecordedTrial(self, trial_id)
                for trial_id in list(self.summary.trials)
            }
        return self._trials

    def unfinished_records(self) -> dict[str, TrialRecord]:
        """Return the records of the trials that have begun and not ended, by trial id."""
        records: dict[str, TrialRecord] = {}
        for trial in self.trials.values():
            if trial.has_begun and not trial.summary.is_over:
                records[trial.trial_id] = trial.record
        return records

    def find_trial(self, name: str) -> str:
        """Return the id of the trial that `name` names.

        `name` is a trial's id or its task's id, or the beginning of one of them if it fits only one
        trial: "ord" for the trial of `orders.3`. Raises `UsageError` if it fits none, or several.
        """
        trials = self.summary.trials
        candidates: list[str] = []
        for trial_id, trial in trials.items():
            if name in (trial_id, trial.task_id):
                return trial_id
            if trial_id.startswith(name) or trial.task_id.startswith(name):
                candidates.append(trial_id)

        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            shown = ", ".join(candidates[:MAX_SHOWN_CANDIDATES])
            msg = f"{name!r} fits several trials: {shown}"
        else:
            task_ids = [trial.task_id for trial in trials.values()]
            msg = f"no trial {name!r} in {self.run}{did_you_mean(name, task_ids)}"
        raise UsageError(msg)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


def open_journal(path: Path) -> Journal:
    """Return the journal at `path`, checked and read to its end.

    Raises `NotAJournal` and `JournalDamaged`.
    """
    journal = Journal(path)
    journal.read()
    journal.opened  # noqa: B018 - raises for a file without a complete line
    return journal


def glance_at(path: Path) -> RunSummary:
    """Return the totals of the journal at `path`, such as scores and cost, and close it.

    Raises `NotAJournal` and `JournalDamaged`.
    """
    return open_journal(path).summary


def summary_of(path: Path) -> RunSummary:
    """Return the totals of a journal; empty ones if it does not exist or is not a journal yet."""
    if not path.exists():
        return RunSummary()
    try:
        return glance_at(path)
    except NotAJournal:
        return RunSummary()


def name_in(path: Path) -> str:
    """Return the name of a journal's run; empty if the run has none, or the file is not a journal.

    Reads the first event only.
    """
    with suppress(ControlPlaneError):
        for event in Journal(path).read_on():
            return event.name if isinstance(event, RunOpened) else ""
    return ""
