"""Reads the text of an object leniently: as JSON, as Python, or as a mixture.

Models that are asked for JSON also write Python (`{'done': True}`), and put raw newlines into
strings.
"""

from __future__ import annotations

import json
from contextlib import suppress

from controlplane.agent.reply.objects.python_literal import read_mixture, read_python
from controlplane.agent.reply.objects.two_scripts import refuse_two_scripts


def read_object(text: str) -> dict[str, object] | None:
    """Return the fields of an object that is written as text; None if it cannot be read.

    | text | read as |
    |---|---|
    | `{"done": false}` | JSON |
    | `{'done': False}` | Python |
    | `{'done': false, "a": 1}` | a mixture |
    """
    for read in (_read_json, read_python, read_mixture):
        with suppress(ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            value = read(text)
            if isinstance(value, dict):
                return value
    return None


def _read_json(text: str) -> object:
    """Return a JSON value. Strings may have raw newlines, which models often write."""
    return json.loads(text, strict=False, object_pairs_hook=_unambiguous_object)


def _unambiguous_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of these pairs. Raises `ValueError` if it seems to be two actions."""
    refuse_two_scripts([name for name, _ in pairs])
    return dict(pairs)
