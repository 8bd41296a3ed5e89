"""Refuses to run scripts of a model, or of a journal, where a wall that they need does not stand."""

from __future__ import annotations

from controlplane.errors import Unreachable, UsageError
from sandbox import ForkServer, SandboxBroken, Wall, missing_wall


def check_walls(server: ForkServer, walls: frozenset[Wall]) -> None:
    """Wait for the server and raise `UsageError` unless all of `walls` stand; `Unreachable` if it does not start."""
    try:
        missing = missing_wall(server, walls)
    except SandboxBroken as error:
        raise Unreachable(str(error)) from error
    if missing:
        raise UsageError(missing)
