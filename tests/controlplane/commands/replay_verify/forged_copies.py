"""Copies of a journal with changed events, as a forger would write them.

    forged_copy(journal, folder, set_fields("answer_sent", message="8"))

returns `folder / "forged.jsonl"`, in which the line of the sent answer says "8" instead of "7". The
hash that each line has of the line before fits, so that only the contents give the forgery away.
"""

from collections.abc import Callable
from pathlib import Path

from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent, RunOpened
from tests.support.journals.read_events import read_events

Change = Callable[[JournalEvent], JournalEvent]
"""Takes an event of a journal, and returns the event to write instead."""


def forged_copy(
    source: Path,
    folder: Path,
    change: Change,
    *,
    versions: dict[str, str] | None = None,
) -> Path:
    """Write a copy of a journal in which each event is changed.

    The first event says which versions have recorded the run: `versions={"python": "3.99.1"}`
    changes one of them.
    """
    copy = folder / "forged.jsonl"
    with JournalWriter(copy, create=True) as journal:
        for event in read_events(source):
            if isinstance(event, RunOpened):
                new_versions = event.versions.model_copy(update=versions or {})
                event = event.model_copy(update={"versions": new_versions})
            journal.write(change(event))
    return copy


def set_fields(event_type: str, **fields: object) -> Change:
    """Return a change that gives all events of a type these fields.

    `set_fields("answer_sent", message="8")` forges the answer that was sent.
    """

    def change(event: JournalEvent) -> JournalEvent:
        if event.type != event_type:
            return event
        return event.model_copy(update=fields)

    return change
