"""Loads a text that may be YAML, without harm by texts that are made to be expensive.

A text from outside may be long, or have aliases, by which a short text expands to a huge value.
Such texts are not loaded:

    loaded_yaml("fees:\\n- 7")             -> {"fees": ["7"]}; numbers stay as they are written
    loaded_yaml("a: &x [7]\\nb: [*x, *x]")  -> None
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.gates.surrogates import encodable
from controlplane.sandbox.interface import bounds

_YAML_ALIASES: Final = re2.compile(r"(?m)(?:^|[\s:\-\[{,])[&*][\pL\pN_]")
"""Anchors and aliases of YAML. They let a short
text expand to a huge value, so it is not parsed."""


def loaded_yaml(text: str) -> object:
    """Return the value of a YAML text; None if it is long, has aliases, or is not YAML."""
    if len(text) > bounds.MOST_RECORD_CHARS:
        return None
    # RE2 refuses half of a surrogate pair. `encodable` replaces it by `?`.
    if _YAML_ALIASES.search(encodable(text)):
        return None
    import yaml  # slow to import, and seldom needed

    try:
        return yaml.load(text, yaml.CBaseLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
