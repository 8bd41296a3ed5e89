"""Loads texts that may be JSON or YAML, without harm by texts that are made to be expensive.

A text from outside may be nested too deeply, or have aliases, by which a short YAML text expands to
a huge value. Such texts are not loaded. Numbers stay texts, as they are written:

    loaded_json('{"fees": [7, 1.50]}')     -> {"fees": ["7", "1.50"]}
    loaded_yaml("fees: [7, 1.50]")         -> {"fees": ["7", "1.50"]}
    loaded_yaml("a: &x [7]\\nb: [*x, *x]")  -> None
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.gates.surrogates import encodable
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.foreign_documents import (
    Unreadable,
    foreign_parser,
    read_json,
)

_JSON_BEGINNINGS: Final = ("{", "[", '"', "-", *"0123456789")
"""How an object, a list, a text and a number begin."""
_YAML_ALIASES: Final = re2.compile(r"(?m)(?:^|[\s:\-\[{,])[&*][\pL\pN_]")
"""Anchors and aliases of YAML: `&x`, `*x`."""


def loaded_json(text: str) -> object:
    """Return the value of a JSON text; None if a text is not JSON, or is nested too deeply."""
    if not text.lstrip().startswith(_JSON_BEGINNINGS):
        return None
    try:
        return read_json(text, parse_int=str, parse_float=str)
    except Unreadable:
        return None


def loaded_yaml(text: str) -> object:
    """Return the value of a YAML text; None if it is long, has aliases, or is not YAML."""
    if len(text) > bounds.MOST_RECORD_CHARS:
        return None
    # RE2 refuses half of a surrogate pair. `encodable` replaces it by `?`.
    if _YAML_ALIASES.search(encodable(text)):
        return None
    import yaml  # slow to import, and seldom needed

    try:
        with foreign_parser():
            return yaml.load(text, yaml.CBaseLoader)
    except Unreadable:
        return None
