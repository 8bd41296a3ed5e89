"""A run of nine trials, three of each task of the phone book, and what its journal has.

A model at an endpoint is asked twice in each trial: it looks a number up, and then it answers. So the
run has 18 requests.
"""

import json
from pathlib import Path

NINE_TRIALS = (
    "run",
    "--benchmark",
    "tests.support.phonebook",
    "--model",
    "m",
    "--repeats",
    "3",
)
"""Plays each of the three tasks of the phone book three times."""

REQUESTS_OF_NINE_TRIALS = 18
"""In each trial, the model is asked twice: it looks the number up, and then it answers."""


def newest_journal(folder: Path) -> Path:
    """Return the journal in the folder that was written last."""
    journals = folder.glob("runs/*.jsonl")
    return max(journals, key=lambda journal: journal.stat().st_mtime_ns)


def events_of_type(event_type: str, folder: Path) -> list[dict[str, object]]:
    """Return the events of this type in the newest journal of the folder."""
    events: list[dict[str, object]] = []
    for line in newest_journal(folder).read_text().splitlines():
        event = json.loads(line)
        if event["type"] == event_type:
            events.append(event)
    return events
