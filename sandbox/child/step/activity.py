"""What a script's process is doing: running the script, its `verify`, or another function."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, auto


class Activity(Enum):
    """What the process is doing in a step."""

    SCRIPT = auto()
    """It runs the script. If the scratchpad has changed, it is sent with the next request."""
    VERIFY = auto()
    """It calls `verify`, the script's own check of its answer. Calls of `verify` may only read."""
    FUNCTION = auto()
    """It runs a function of the benchmark, which may only read and has no scratchpad."""
    OVER = auto()
    """The step is over. Objects of the step may still exist, for example a function
    that the script put somewhere. They can no longer make requests or print."""


class CurrentActivity:
    """What the process is doing now. A step begins with its script."""

    def __init__(self) -> None:
        self._activity = Activity.SCRIPT

    @property
    def is_over(self) -> bool:
        return self._activity is Activity.OVER

    @property
    def is_script(self) -> bool:
        """True if the script itself runs, which may change the scratchpad."""
        return self._activity is Activity.SCRIPT

    @property
    def has_scratchpad(self) -> bool:
        """True if a function of the benchmark does not run, and the step is not over."""
        return self._activity in (Activity.SCRIPT, Activity.VERIFY)

    @property
    def is_verify(self) -> bool:
        return self._activity is Activity.VERIFY

    def end(self) -> None:
        """Say that the step is over."""
        self._activity = Activity.OVER

    @contextmanager
    def during(self, activity: Activity) -> Iterator[None]:
        """Set the current activity within the block, and restore the previous one afterwards."""
        activity_before = self._activity
        self._activity = activity
        try:
            yield
        finally:
            self._activity = activity_before
