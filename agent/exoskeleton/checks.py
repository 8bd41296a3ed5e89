"""The values of a benchmark's checks, which run before the model is asked.

A check is a function of the environment. Code, not a model, decides there.
"""

from __future__ import annotations

from controlplane.agent.model import Received


class CheckValue(Received):
    """The value of a check. With an outcome, it answers the request."""

    outcome: str = ""
    message: str = ""
    """The answer."""
    delete: tuple[str, ...] = ()
    """The files to delete before the answer is submitted."""
    context: str = ""
    """A text for the model's first message, if the check does not answer."""


class Permission(Received):
    """The changes that a request permits. `Permission()` permits all."""

    files: bool = True
    """True if calls may write, move and delete files."""
    tools: bool = True
    """True if calls may run executables that change something."""
