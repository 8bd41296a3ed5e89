"""Events of a journal in their order, and the records of trials made from events."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from controlplane.journal.journal_content import TrialRecord
from controlplane.journal.journal_file import open_to_read
from controlplane.journal.journal_index import JournalIndex, event_of
from controlplane.journal.run_events import JournalEvent


def read_events(path: Path) -> Iterator[JournalEvent]:
    """Yield every event of a journal in order, texts resolved. Raises `NotAJournal`, `JournalDamaged`."""
    with open_to_read(path) as file:
        index = JournalIndex(file, path)
        yield from index.read_on(file, lambda line, kind: event_of(line, index.texts, index.chain))
    index.check_opened()


def records_of(events: Iterable[JournalEvent]) -> dict[str, TrialRecord]:
    """Return each trial's record, by trial id."""
    of_trial: dict[str, list[JournalEvent]] = {}
    for event in events:
        if (trial_id := getattr(event, "trial_id", None)) is not None:
            of_trial.setdefault(trial_id, []).append(event)
    return {trial_id: TrialRecord.of(of_trial[trial_id]) for trial_id in of_trial}
