"""Writes a copy of a journal, as a stranger could, with an evil text behind each text of a model.

Each line of a journal has the hash of the line before (`prev`) and its own (`hash`), so that a changed
line is noticed. A stranger can write these fields anew: the copy is a valid journal.
"""

import json
from pathlib import Path
from typing import Any

from controlplane.journal.journal_lines import GENESIS, line_of
from controlplane.journal.text_references import key_of
from tests.controlplane.journal.foreign.spoilt_events import with_evil_texts
from tests.support.journals.chained_lines import without_chain


def write_strangers_journal(journal: Path, evil: str, path: Path) -> Path:
    """Write to `path` the events of `journal` with evil texts, and with new hashes of lines."""
    events = [json.loads(line) for line in journal.read_text().splitlines()]
    evil_events = []
    for event in events:
        if not is_tool_schema(event):
            event = with_evil_texts(event, evil)
        evil_events.append(event)

    data, previous_hash = b"", GENESIS
    for event in with_new_keys(evil_events):
        # In ASCII, even half of a surrogate pair can be written: as an escape.
        fields = json.dumps(without_chain(event), separators=(",", ":")).encode("ascii")
        line, previous_hash = line_of(fields, previous_hash)
        data += line
    path.write_bytes(data)
    return path


def with_new_keys(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the events with the right keys of long texts, in these texts' lines and elsewhere.

    A long text has a line of its own, `{"type": "text", "key": KEY, "text": ...}`, and later lines
    refer to it as `@text:KEY`. The key is a hash of the text, so that a changed text needs a new one.
    """
    all_events = json.dumps(events)
    for event in events:
        if event["type"] == "text":
            old_key, new_key = event["key"], key_of(event["text"])
            all_events = all_events.replace(old_key, new_key)
    changed: list[dict[str, Any]] = json.loads(all_events)
    return changed


def is_tool_schema(event: dict[str, Any]) -> bool:
    """Return True for the text that declares what scripts can call: JSON, which no model wrote."""
    return event["type"] == "text" and '"operations"' in event["text"]
