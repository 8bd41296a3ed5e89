"""Writes the beginning of a journal, as a run does that still plays.

    with unfinished_journal(folder / "live.jsonl", "a", "b") as writer:
        writer.write(TrialStarted(trial_id="a", ...))

The run has the trials "a" and "b", of which a test writes the events.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import AllottedTrial, RunStarted
from tests.support.journals.sample_events import RUN_OPENED


@contextmanager
def unfinished_journal(path: Path, *trials: str) -> Iterator[JournalWriter]:
    """Write the beginning of a run of these trials, and yield the journal's writer.

    While the block lasts, the run counts as running, since its journal is locked.
    """
    opened = RUN_OPENED.model_copy(update={"run": path.stem, "name": path.stem})
    allotted = tuple(AllottedTrial(trial_id=trial, task_id=trial) for trial in trials)
    with JournalWriter(path, create=True) as writer:
        writer.write(opened)
        writer.write(RunStarted(run_id="r", trials=allotted))
        yield writer
