"""Puts an evil text into the events of a journal, behind each text that a model or a grader wrote.

For example:

    with_evil_texts({"answer": "done", "step": 1}, "!")    ->    {"answer": "done!", "step": 1}
"""

from typing import Any

from controlplane.journal.text_references import REFERENCE

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
