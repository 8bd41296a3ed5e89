"""The flags of a request of no special kind, by which a classifier says that it wants nothing.

`DEFAULT_FLAGS` is `{"checkout": False, "approver": "", ...}`. The flags are the fields of `Intent`.
"""

from dataclasses import fields
from typing import Any

from controlplane.benchmarks.shop.preflight import Intent


def _default_flags() -> dict[str, Any]:
    """Return every flag of the classifier with the value that means nothing."""
    flags: dict[str, Any] = {}
    for flag in fields(Intent):
        # `flag.type` is the text of the annotation: "str" or "bool".
        flags[flag.name] = "" if flag.type == "str" else False
    return flags


DEFAULT_FLAGS = _default_flags()
"""The classifier's answer to a request of no special kind, `{"checkout": False, "approver": ""}`
and so on: every flag is False or empty."""
