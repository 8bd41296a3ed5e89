"""The first fields of a journal's lines, found without parsing the lines.

Every line begins with the same fields in the same order:

    {"prev":"0a1b…","at_ms":1764300000000,"type":"call","trial_id":"t-1",…,"hash":"2c3d…"}
    {"prev":"0a1b…","at_ms":1764300000000,"type":"text","key":"9f8e…","text":"…","hash":"2c3d…"}

Parsing a line takes many times as long, and often only these fields are needed.
"""

from __future__ import annotations

import json
from typing import Final, NamedTuple

import re2

from controlplane.journal.journal_lines import end_of_fields

_JSON_STRING: Final = rb'"[^"\\]*(?:\\.[^"\\]*)*"'  # "t-1", or with escapes: "t\u00e91"
_HEAD: Final = re2.compile(
    rb'\{"prev":"[0-9a-f]{32}"'
    rb',"at_ms":(\d{1,15})'
    rb',"type":"([a-z_]+)"'
    rb'(?:,"trial_id":(' + _JSON_STRING + rb"))?"
)
_TEXT: Final = re2.compile(rb',"key":"([0-9a-f]{32})","text":"')
"""Matches the key in a stored text's line, from after the type: `,"key":"9f8e…","text":"`."""


class LineHead(NamedTuple):
    """The first fields of a line."""

    at_ms: int
    event_type: bytes
    trial: bytes
    """The trial's id as JSON, with its quotation marks;
    empty for an event of the run as a whole."""
    end: int
    """The index of the first byte after these fields."""


def head_of(line: bytes) -> LineHead | None:
    """Return the first fields of a line; None if it does not have the form of a journal's line."""
    match = _HEAD.match(line)
    if match is None:
        return None
    at_ms, event_type, trial = match.groups(b"")
    return LineHead(int(at_ms), event_type, trial, match.end())


def text_key(line: bytes, head: LineHead) -> bytes | None:
    """Return the key in a line of type `text`; None if the line has another form."""
    match = _TEXT.match(line, head.end)
    return None if match is None else match[1]


def stored_text(line: bytes) -> str:
    """Return the text in a line of type `text`; empty if the line has another form."""
    head = head_of(line)
    if head is None:
        return ""
    match = _TEXT.match(line, head.end)
    if match is None:
        return ""
    opening_quote = match.end() - 1
    end = end_of_fields(line.rstrip(b"\n"))
    return str(json.loads(line[opening_quote:end]))
