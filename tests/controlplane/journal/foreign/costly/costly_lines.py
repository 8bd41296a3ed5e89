"""Journals of a megabyte with lines that stand for much more.

A long text has a line of its own, under its hash, and other lines refer to it as `@text:HASH`. So a
short journal may stand for gigabytes:

    one_text_in_many_lines()   2,000 references to a text of half a megabyte
"""

from controlplane.journal.journal_lines import json_of
from controlplane.journal.stored_texts import key_of
from tests.controlplane.journal.foreign.journal_bytes import (
    MB,
    Event,
    call_with_result,
    journal_of,
)


def notice_with_text(text: str) -> Event:
    return {"at_ms": 1, "type": "notice", "trial_id": "t", "text": text}


LONG_TEXT = "x" * (MB // 2)

STORED_TEXT: Event = {
    "at_ms": 1,
    "type": "text",
    "key": key_of(LONG_TEXT),
    "text": LONG_TEXT,
}
"""A line with a text, to which later lines may refer instead of repeating it."""

REFERENCE = f"@text:{key_of(LONG_TEXT)}"
"""A reference to that text, which stands for it in a later line."""


def one_text_often_in_a_line() -> bytes:
    """A list of 10,000 references to a text of half a megabyte, which stand for 5 GB."""
    references = json_of([REFERENCE] * 10_000)
    return journal_of(STORED_TEXT, call_with_result(references))


def one_text_in_many_lines() -> bytes:
    """2,000 lines refer to a text of half a megabyte, so that they stand for 1 GB."""
    return journal_of(STORED_TEXT, *[notice_with_text(REFERENCE)] * 2_000)


def one_call_often_in_a_step() -> bytes:
    """A step names its calls by their numbers. This one names the call 0 250,000 times."""
    step = {
        "at_ms": 1,
        "type": "step",
        "trial_id": "t",
        "step": 1,
        "calls": [0] * (MB // 4),
    }
    return journal_of(call_with_result(b'"a"'), step)
