"""A program that works on a trial by calling tools, as the trial knows it."""

from __future__ import annotations

from typing import Protocol

from controlplane.mcp.serving.trial_calls import TrialCalls


class CallingProgram(Protocol):
    """A program whose calls are the turns of a trial."""

    def start(self, calls: TrialCalls, first_message: str) -> None:
        """Start the program or, for a client that already runs, tell it that its trial has begun.

        The program makes its calls through `calls`. A model would get `first_message`
        at the start.
        """

    def fault(self) -> Exception | None:
        """Return the error for the trial to raise if no more calls will come; None if some may."""

    def stop(self) -> None:
        """End the program after its trial."""
