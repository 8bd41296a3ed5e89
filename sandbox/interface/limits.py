"""Limits of a script and of an aide, the walls around them by name, and the setting sent to a child."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final, NamedTuple

from sandbox.interface.operations import Operation, Plain, operation_of


class Limits(NamedTuple):
    """Limits of a script. Every default is far above the needs of ordinary work."""

    step_wall_s: float = 60.0
    """Wall-clock seconds of one step, time spent in environment calls included."""
    step_cpu_s: float = 20.0
    """CPU seconds of one step."""
    trial_cpu_s: float = 300.0
    """CPU seconds of all steps of a trial."""
    memory_mb: int = 256
    """Address space that a script may add to its process, in MiB."""
    output_chars: int = 30_000
    """Characters of output that are kept; the middle of longer output is cut out."""
    scratchpad_bytes: int = 1_000_000
    """Bytes of the scratchpad, encoded."""
    step_calls: int = 1_000
    """Environment calls of one step."""
    trial_calls: int = 5_000
    """Environment calls of all steps of a trial."""
    call_bytes: int = 1_000_000
    """Bytes of one message in either direction."""
    step_bytes: int = 50_000_000
    """Bytes of all messages of a step in both directions."""
    verify_s: float = 5.0
    """Seconds that one call of `verify` may take."""
    code_chars: int = 200_000
    """Characters of one script."""

    @property
    def frame_bytes(self) -> int:
        """Bytes of one message of a child: a call with a scratchpad and output, written as JSON."""
        return self.call_bytes + 2 * self.scratchpad_bytes + 8 * self.output_chars + 65_536


class AideLimits(NamedTuple):
    """Limits of the process that computes on untrusted data. Time is CPU time, so that load changes no result."""

    call_cpu_s: float = 2.0
    """CPU seconds of one call."""
    call_wall_s: float = 30.0
    """Wall-clock seconds of one call, for a busy machine."""
    trial_cpu_s: float = 300.0
    """CPU seconds of all calls of a trial."""
    memory_mb: int = 128
    """Address space that calls may add to the process, in MiB."""
    message_bytes: int = 16_000_000
    """Bytes of one message to the process."""
    reply_bytes: int = 2_100_000
    """Bytes of one message from the process."""
    call_questions: int = 300
    """Questions that one call may ask the parent."""


class Wall(StrEnum):
    """One of the walls between a script and the machine."""

    LANGUAGE = "language"
    """The script is compiled under a policy, and reaches attributes and modules through guards."""
    PROCESS = "process"
    """It runs in a child process with limits, no files and no environment."""
    KERNEL = "kernel"
    """The kernel refuses that process everything that it does not need."""


ALL_WALLS: Final = frozenset(Wall)


def parse_walls(text: str) -> frozenset[Wall]:
    """Return the walls of a comma-separated list; `all` and `none` name themselves. Raises `ValueError`."""
    if text.strip() in ("all", "none"):
        return ALL_WALLS if text.strip() == "all" else frozenset()
    try:
        return frozenset(Wall(part.strip()) for part in text.split(","))
    except ValueError:
        msg = f"{text!r} names no walls; give a comma-separated choice of {', '.join(Wall)}, or all, or none"
        raise ValueError(msg) from None


class Setting(NamedTuple):
    """The first message to a child, before any step: its calls, limits and walls, the pinned clock and the seed."""

    operations: tuple[Operation, ...]
    limits: Limits
    now_us: int
    """Microseconds since 1970 in UTC."""
    seed: int
    walls: frozenset[Wall]

    def message(self) -> list[Plain]:
        """Return the setting as a message."""
        plain: dict[str, Any] = self._asdict() | {
            "operations": [operation.as_data() for operation in self.operations],
            "limits": self.limits._asdict(),
            "walls": sorted(self.walls),
        }
        return ["setting", plain]


def read_setting(message: list[Any]) -> Setting:
    """Return the setting in a message from the parent."""
    given = message[1]
    parsed = {
        "operations": tuple(map(operation_of, given["operations"])),
        "limits": Limits(**given["limits"]),
        "walls": frozenset(map(Wall, given["walls"])),
    }
    return Setting(**(given | parsed))
