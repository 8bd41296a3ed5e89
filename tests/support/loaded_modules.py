"""Tells which modules a process has imported: tests ask it in processes of the sandbox.

A fork server imports modules once and forks processes that have them. A process that runs the
scripts of a model must not have more than it needs.
"""

import sys
from typing import Any

from controlplane.sandbox.functions import FunctionResult


def names() -> list[str]:
    """Return the names of all modules that are loaded in this process."""
    return sorted(sys.modules)


def function(harness: Any) -> FunctionResult[list[str]]:
    """Return the same names as a function of a benchmark, which runs in a script's process."""
    return FunctionResult(names(), [])
