"""Which walls stand on this machine."""

from __future__ import annotations

from typing import Final, NamedTuple

from sandbox.interface.walls import ALL_WALLS, Wall
from sandbox.parent.fork_server import ForkServer

NEEDED_OF_KERNEL: Final = ("no_new_privs", "seccomp")
"""The parts that the kernel wall needs to count as standing; the others add depth."""


class WallReport(NamedTuple):
    """Which walls stand on this machine."""

    standing: frozenset[Wall]
    parts: dict[str, str]
    """The parts of the kernel wall: "" where one stands, else why it does not."""


def standing_walls(server: ForkServer | None = None) -> WallReport:
    """Start a fork server (or ask `server`) and return which walls stand. Raises `SandboxBroken`."""
    if server is not None:
        parts = server.kernel_report()
    else:
        with ForkServer() as own:
            parts = own.kernel_report()
    has_kernel = all(parts.get(each, "missing") == "" for each in NEEDED_OF_KERNEL)
    return WallReport(ALL_WALLS if has_kernel else ALL_WALLS - {Wall.KERNEL}, parts)
