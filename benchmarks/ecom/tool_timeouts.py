"""Calls of tools that time out in some worlds, as in a shop whose systems are slow.

In a world with the share 0.02, 2 percent of the calls time out. Such a call does nothing, and
succeeds when it is made again.
"""

from __future__ import annotations

from random import Random

from controlplane.benchmarks.ecom.workspace import Workspace


class ToolTimeouts:
    """Decides which calls time out.

    They are the same in every trial of a world, and each times out at most once.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._clock = workspace.clock
        """The time in the world, which stands still. It tells worlds apart."""
        self._share = workspace.limits.timeout_share
        self._timed_out: set[bytes] = set()
        """The calls that have timed out."""

    def times_out(self, path: str, args: list[str], stdin: str) -> bool:
        """Return True if a call times out, and record that it did."""
        text = f"{self._clock}|{path}|{args}|{stdin}"
        call = text.encode("utf-8", "surrogatepass")
        if call in self._timed_out or args == ["--help"]:
            return False
        # A number from 0 to 1, for which the call is the seed. So a trial that is run again
        # gets the same timeouts.
        draw = Random(call).random()
        if draw >= self._share:
            return False
        self._timed_out.add(call)
        return True
