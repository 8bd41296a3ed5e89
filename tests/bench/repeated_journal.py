"""Writes a journal as long as a reader is to be measured with, by repeating one recorded trial.

A *journal* is the file with all events of a run, a JSON object a line. The trial's script reads
files and prints them. Its lines are repeated under other ids and with other texts:

    recorded = record_trial(folder, megabytes=4)
    write_journal(folder / "long" / "run.jsonl", recorded, trials=25)   # about 100 MB
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from controlplane.journal.journal_lines import GENESIS, line_of
from controlplane.journal.stored_texts import key_of

# Events of a run of one trial, repeated as those of a run of several trials.
#
# `repeated_events(recorded, trials=2)` yields the events of the trial `quiet-r0` as those of
# `quiet-r0-0` and `quiet-r0-1`, with other texts in each.


def repeated_events(recorded: Path, trials: int) -> Iterator[dict[str, Any]]:
    """Yield the events of a recorded run of one trial as those of a run of several.

    The copies of the trial `quiet-r0` are `quiet-r0-0`, `quiet-r0-1` and so on.
    """
    events = [json.loads(line) for line in recorded.read_text("utf-8").splitlines()]
    positions_of_trial = [
        position for position, event in enumerate(events) if "trial_id" in event
    ]
    first, last = positions_of_trial[0], positions_of_trial[-1]
    before_trial = events[:first]
    events_of_trial = events[first : last + 1]
    after_trial = events[last + 1 :]
    recorded_id = events_of_trial[0]["trial_id"]
    copy_ids = [f"{recorded_id}-{number}" for number in range(trials)]

    for event in before_trial:
        if event["type"] == "run_started":
            (planned_trial,) = event["trials"]
            event["trials"] = [
                {**planned_trial, "trial_id": copy_id} for copy_id in copy_ids
            ]
        yield event
    for copy_id in copy_ids:
        yield from events_of_copy(events_of_trial, copy_id)
    yield from after_trial


def events_of_copy(
    events: list[dict[str, Any]], copy_id: str
) -> Iterator[dict[str, Any]]:
    """Yield the events of a trial under another id, with other texts than those of all copies.

    A long text is an event of its own, and later events refer to it by its key:

        {"type": "text", "key": "9f8e", "text": "It was a quiet day ..."}
        {"type": "call", ..., "result": {"content": "@text:9f8e"}}

    Each copy has its own texts, because equal ones would be in memory only once.
    """
    new_keys: dict[str, str] = {}
    for event in events:
        if event["type"] == "text":
            text = f"({copy_id}) {event['text']}"
            new_keys[event["key"]] = key_of(text)
            yield {**event, "text": text, "key": key_of(text)}
        else:
            line = json.dumps(event)
            for key, new_key in new_keys.items():
                line = line.replace(f"@text:{key}", f"@text:{new_key}")
            copy = json.loads(line)
            if "trial_id" in copy:
                copy["trial_id"] = copy_id
            yield copy


def write_journal(path: Path, recorded: Path, trials: int) -> None:
    """Write a journal with several copies of a recorded trial.

    Each line ends with its hash and that of the line before it, so these are computed anew.
    """
    path.parent.mkdir()
    previous_hash = GENESIS
    with path.open("wb") as file:
        for event in repeated_events(recorded, trials):
            for chain_field in ("prev", "hash", "mark"):
                event.pop(chain_field, None)
            body = json.dumps(event, separators=(",", ":")).encode()
            line, previous_hash = line_of(body, previous_hash)
            file.write(line)
