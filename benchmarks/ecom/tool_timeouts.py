"""Calls of tools that time out in some worlds."""

from __future__ import annotations

from random import Random

from controlplane.benchmarks.ecom.workspace import Workspace


class ToolTimeouts:
    """Decides which calls time out.

    They are the same in every trial of a world, and each times out at most once.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._clock = workspace.clock
        self._share = workspace.limits.timeout_share
        self._past: set[bytes] = set()
        """The calls that have timed out."""

    def hit(self, path: str, args: list[str], stdin: str) -> bool:
        """Return True if a call times out, and record that it did."""
        text = f"{self._clock}|{path}|{args}|{stdin}"
        call = text.encode("utf-8", "surrogatepass")
        if call in self._past or args == ["--help"]:
            return False
        chance = Random(call).random()  # The same for the same call.
        if chance >= self._share:
            return False
        self._past.add(call)
        return True
