"""The three walls by name."""

from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from sandbox.server import ForkServer


class Wall(StrEnum):
    """What stands between a script and the machine."""

    LANGUAGE = "language"
    """The script is compiled under a policy, and reaches attributes and modules through guards."""
    PROCESS = "process"
    """It runs in a child process with limits, no files and no environment."""
    KERNEL = "kernel"
    """The kernel refuses that process everything it does not need."""


ALL_WALLS: Final = frozenset(Wall)


def parse_walls(text: str) -> frozenset[Wall]:
    """Return the walls of a comma-separated list; `all` and `none` stand for themselves. Raises `ValueError`."""
    if text.strip() in ("all", "none"):
        return ALL_WALLS if text.strip() == "all" else frozenset()
    try:
        return frozenset(Wall(part.strip()) for part in text.split(","))
    except ValueError:
        known = ", ".join(each.value for each in Wall)
        msg = f"{text!r} names no walls; give a comma-separated choice of {known}, or all, or none"
        raise ValueError(msg) from None


NEEDED_OF_KERNEL: Final = ("no_new_privs", "seccomp")
"""The parts without which the kernel wall does not count as standing; the others deepen it."""


class WallReport(NamedTuple):
    """Which walls stand on this machine."""

    standing: frozenset[Wall]
    parts: dict[str, str]
    """The parts of the kernel wall: "" where one stands, else why it does not."""


def standing_walls(server: "ForkServer | None" = None) -> WallReport:
    """Start a fork server (or ask `server`) and return which walls stand. Raises `SandboxBroken`."""
    from sandbox.server import ForkServer

    if server is not None:
        parts = server.kernel_report()
    else:
        with ForkServer() as own:
            parts = own.kernel_report()
    has_kernel = all(parts.get(each, "missing") == "" for each in NEEDED_OF_KERNEL)
    return WallReport(ALL_WALLS if has_kernel else ALL_WALLS - {Wall.KERNEL}, parts)
