"""Writes a copy of a journal, as a stranger could, with an evil text behind each text of a model.

Each line of a journal has the hash of the line before (`prev`) and its own (`hash`), so that a changed
line is noticed. A stranger can write these fields anew: the copy is a valid journal.
"""

import json
import re
from pathlib import Path
from typing import Any

from controlplane.journal.journal_lines import GENESIS, line_of
from controlplane.journal.stored_texts import REFERENCE, key_of
from tests.support.journals import without_chain

# Puts an evil text into the events of a journal, behind each text that a model or a grader wrote.
#
# For example:
#
#     with_evil_texts({"answer": "done", "step": 1}, "!")    ->    {"answer": "done!", "step": 1}

FIELDS_WITH_FREE_TEXT = (
    "text",
    "answer",
    "output",
    "reply",
    "reason",
    "details",
    "instruction",
    "code",
)
"""Fields of events with texts of models, scripts and graders."""


def with_evil_texts(value: Any, evil: str) -> Any:
    """Return an event, or a value in it, with `evil` behind its texts.

    Only the fields `FIELDS_WITH_FREE_TEXT` change, at any depth.
    """
    if isinstance(value, list):
        return [with_evil_texts(item, evil) for item in value]
    if not isinstance(value, dict):
        return value

    changed: dict[str, Any] = {}
    for name, field in value.items():
        if name in FIELDS_WITH_FREE_TEXT and isinstance(field, str):
            changed[name] = with_evil_end(field, evil)
        elif name == "details" and isinstance(field, list):
            # The lines that a grader wrote.
            changed[name] = [line + evil for line in field]
        else:
            changed[name] = with_evil_texts(field, evil)
    return changed


def with_evil_end(text: str, evil: str) -> str:
    """Return a text with `evil` behind it; a reference to a stored text, `@text:HASH`, as it is."""
    if text.startswith(REFERENCE):
        return text
    return text + evil


# Texts that cannot be encoded, or that steer a terminal, and a model's script that reads one.
#
# A model, a script or a grader may write half of a surrogate pair, which has no UTF-8, or an escape
# sequence that clears the screen: `EVIL_TEXTS["byte of a file name"]` is "caf\udce9".

EVIL_TEXTS = {
    "high half of a pair": "a\ud83d!",
    "low half of a pair": "\udc00b",
    "halves in the wrong order": "\udc00\ud83d",
    "byte of a file name": "caf\udce9",
    "controls": "\x00\x1b[31m\u202e\ufeff\u2028",
}
"""Texts that cannot be encoded in UTF-8, or that steer a terminal, by what they are."""

STEERING_CHARACTERS = re.compile("[\x00-\x08\x0b-\x1f\u202a-\u202e\ud800-\udfff]")
"""Finds control characters except tab and line feed, marks that turn the direction of a line, and
halves of surrogate pairs."""

READS_A_FILE = """
[[reply]]
code = '''
print(harness.read("/a.txt").content)
scratchpad["answer"], scratchpad["outcome"] = "done", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "done")
'''
"""
"""The model: a script that reads a file and answers."""


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
