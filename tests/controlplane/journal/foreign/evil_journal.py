"""Writes a copy of a journal, as a stranger could, with an evil text behind each text of a model.

A long text has a line of its own, `{"type": "text", "key": HASH, "text": ...}`, and later lines
refer to it as `@text:HASH`. A changed text has another hash, so that these references change.
"""

import json
from pathlib import Path
from typing import Any

from controlplane.journal.journal_lines import GENESIS, line_of
from controlplane.journal.text_references import key_of
from tests.controlplane.journal.foreign.spoilt_events import with_evil_texts
from tests.support.journals.chained_lines import CHAIN_FIELDS


def write_strangers_journal(journal: Path, evil: str, path: Path) -> Path:
    """Write to `path` the events of `journal` with evil texts, in a valid chain of hashes.

    A long text has a line of its own, `{"type": "text", "key": HASH, "text": ...}`, and later lines
    refer to it as `@text:HASH`. A changed text has another hash, so that these references change.
    """
    new_keys: dict[str, str] = {}
    previous_hash = GENESIS
    data = b""
    for line in journal.read_text().splitlines():
        event = json.loads(line)
        for name in CHAIN_FIELDS:
            event.pop(name, None)
        if not is_tool_schema(event):
            event = with_evil_texts(event, evil)
        if event["type"] == "text":
            new_keys[event["key"]] = key_of(event["text"])

        new_line = json.dumps(event, separators=(",", ":"))
        for old_key, new_key in new_keys.items():
            new_line = new_line.replace(old_key, new_key)
        chained_line, previous_hash = line_of(new_line.encode(), previous_hash)
        data += chained_line

    path.write_bytes(data)
    return path


def is_tool_schema(event: dict[str, Any]) -> bool:
    """Return True for the text that declares what scripts can call: JSON, which no model wrote."""
    return event["type"] == "text" and '"operations"' in event["text"]
