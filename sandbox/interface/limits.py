"""The limits of a process that runs scripts, and of one that computes calls: time, memory, output."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """Limits of the scripts of a trial. The defaults are far above the needs of ordinary work."""

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
    """Bytes of the scratchpad, written as JSON."""
    step_calls: int = 1_000
    """Environment calls of one step."""
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
        """Bytes of one message of a child: a call that also brings a scratchpad and output."""
        scratchpad_bytes = 2 * self.scratchpad_bytes  # Escapes can double it.
        output_bytes = 8 * self.output_chars  # A character may be written as an escape.
        other_fields_bytes = 65_536
        return self.call_bytes + scratchpad_bytes + output_bytes + other_fields_bytes


class WorkerLimits(NamedTuple):
    """Limits of the process that computes on untrusted data.

    Time is CPU time, so that a busy machine changes no result.
    """

    call_cpu_s: float = 2.0
    """CPU seconds of one call."""
    call_wall_s: float = 30.0
    """Wall-clock seconds of one call, for a busy machine."""
    trial_cpu_s: float = 300.0
    """CPU seconds of all calls of a trial."""
    memory_mb: int = 128
    """Address space that calls may add to the process, in MiB."""
    message_bytes: int = 32_000_000
    """Bytes of one message to the process."""
    reply_bytes: int = 2_100_000
    """Bytes of one message from the process."""
    call_questions: int = 300
    """Questions that one call may ask the parent."""
