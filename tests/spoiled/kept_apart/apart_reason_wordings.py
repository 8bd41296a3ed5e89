"""Reasons of citations: some that name something in the file, some that name nothing. Kept apart.

Who writes or changes a gate or a rule does not read this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TABLES: Final[Mapping[str, Mapping[str, str]]] = {
    "good-reasons": {
        "as-given": "{reason}",
        "terse": "{name} record",
        "german": "Datensatz {name}",
    },
    "empty-reasons": {
        "needed": "needed to answer the request",
        "as-required": "cited as required by the citation rules",
        "german": "wurde dafür gelesen",
        "context": "gives context to what was said above",
    },
}
