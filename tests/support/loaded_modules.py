"""What the process that calls it has imported: asked of processes forked from a fork server."""

import sys
from typing import Any

from controlplane.sandbox.functions import FunctionResult


def names() -> list[str]:
    """Return the names of all modules that are loaded here."""
    return sorted(sys.modules)


def function(harness: Any) -> FunctionResult[list[str]]:
    """Return the same as a function of a benchmark, which runs in a script's process."""
    return FunctionResult(names(), [])
