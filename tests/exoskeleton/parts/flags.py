"""Flags of recorded cases: what a model, the classifier, has found out about a request.

"Clean up /tmp/a" -> `{"file_change": True, "tmp_path": "/tmp/a"}`. This project has the record
`Intent` for them.
"""

from collections.abc import Mapping
from typing import Any

from controlplane.benchmarks.shop.preflight.intent import INTENT_SCHEMA, Intent

Flags = Mapping[str, Any]
"""What the classifier has found out: `{"file_change": True, "tmp_path": "/tmp/a"}`."""


def intent_of(flags: Flags) -> Intent:
    """Return the flags in this project's form, without those that only the other solver has."""
    known_flags: dict[str, Any] = {}
    for name, value in flags.items():
        if name in INTENT_SCHEMA["properties"]:
            known_flags[name] = value
    return Intent(**known_flags)
