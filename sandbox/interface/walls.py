"""The three walls by name."""

from enum import StrEnum
from typing import Final


class Wall(StrEnum):
    """What stands between a script and the machine."""

    LANGUAGE = "language"
    """The script is compiled under a policy, and reaches attributes and modules through guards."""
    PROCESS = "process"
    """It runs in a child process with limits, no files and no environment."""
    KERNEL = "kernel"
    """The kernel refuses that process all that it does not need."""


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
