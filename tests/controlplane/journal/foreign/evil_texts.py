"""Texts that cannot be encoded, or that steer a terminal, and puts them into events of a journal.

A model, a script or a grader may write half of a surrogate pair, which has no UTF-8, or an escape
sequence that clears the screen. With the evil text "!", the event `{"answer": "done", "step": 1}`
becomes `{"answer": "done!", "step": 1}`.
"""

import re
from typing import Any

from controlplane.journal.text_references import REFERENCE

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

    With the evil text "!", `{"answer": "done", "step": 1}` is `{"answer": "done!", "step": 1}`.
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
