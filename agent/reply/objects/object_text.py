"""Reads the text of an object leniently: as JSON, as Python, or as a mixture.

Models that are asked for JSON also write Python (`{'done': True}`), and put raw newlines into
strings.
"""

from __future__ import annotations

import json
from contextlib import suppress

from controlplane.agent.reply.objects.object_fields import object_of
from controlplane.agent.reply.objects.python_literal import read_python
from controlplane.agent.reply.objects.raw_newlines import with_escaped_newlines


def read_object(text: str) -> dict[str, object] | None:
    """Return the fields of an object that is written as text; None if it cannot be read.

    | text | read as |
    |---|---|
    | `{"done": false}` | JSON |
    | `{'done': False}`, `{'done': false}` | Python, with the words of JSON |
    | `{'say': 'one`, a raw newline, `two'}` | Python, after the newline was escaped |
    """
    for read in (_read_json, read_python, _read_python_with_newlines):
        with suppress(ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            value = read(text)
            if isinstance(value, dict):
                return value
    return None


def _read_json(text: str) -> object:
    """Return a JSON value. `strict=False` allows raw newlines in strings."""
    return json.loads(text, strict=False, object_pairs_hook=object_of)


def _read_python_with_newlines(text: str) -> object:
    return read_python(with_escaped_newlines(text))
