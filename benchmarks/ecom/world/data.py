"""The JSON files of this package: names, words and texts from which worlds are generated.

`company.json` has people, districts and the words that answers may use, `scans.json` the
texts of scanned papers, and `vocabulary/names.json` the names of fields, states and paths.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final


@cache
def read_data(name: str) -> Mapping[str, Any]:
    """Return the content of a JSON file of this package."""
    data: Mapping[str, Any] = json.loads((files(__package__) / name).read_text("utf-8"))
    return data


DATA: Final = read_data("company.json")
WORDS_FOR: Final[Mapping[str, list[str]]] = DATA["said"]
"""Words for what was done, or for an objection to it.

A message contains one of them, or the recorded value.
"""
