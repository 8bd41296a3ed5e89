"""Declares what an environment implements in addition if its calls may take seconds or minutes.

Without this, a trial could wait for a platform although its time is over, and its user would see
nothing while a program compiles for ten minutes. The code that opens a trial sets the attributes:

    if isinstance(environment, Waiting):
        environment.ends_at = time.monotonic() + 600
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable


@runtime_checkable
class Waiting(Protocol):
    """An environment whose calls may have to wait for a platform."""

    ends_at: float
    """When the trial's time ends, in seconds of `time.monotonic`. No wait begins later."""


@runtime_checkable
class Printing(Protocol):
    """An environment whose calls may run for minutes, and print something meanwhile."""

    show_output: Callable[[str], None]
    """Called while a call runs, with the end of its output so far.
    Called with an empty text when the call ends."""
