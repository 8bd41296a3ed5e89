"""What a script may use of its machine, in one place."""

from typing import NamedTuple


class Limits(NamedTuple):
    """What a script may use. Every default is far above what ordinary work needs."""

    step_wall_s: float = 60.0
    """Wall-clock seconds of one step, time spent in environment calls included."""
    step_cpu_s: float = 20.0
    """CPU seconds of one step."""
    trial_cpu_s: float = 300.0
    """CPU seconds of all steps of a trial."""
    memory_mb: int = 256
    """Address space that a script may add to its process, in MiB."""
    output_chars: int = 30_000
    """Characters of output kept; the middle of a longer one is cut out."""
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


class AideLimits(NamedTuple):
    """What the process that computes on untrusted data may use. Time is CPU time, so that load changes no result."""

    call_cpu_s: float = 2.0
    """CPU seconds of one call."""
    call_wall_s: float = 30.0
    """Wall-clock seconds of one call, for a machine that is busy with other things."""
    trial_cpu_s: float = 300.0
    """CPU seconds of all calls of a trial."""
    memory_mb: int = 128
    """Address space that calls may add to the process, in MiB."""
    message_bytes: int = 16_000_000
    """Bytes of one message to the process."""
    reply_bytes: int = 2_100_000
    """Bytes of one message from it."""
    call_questions: int = 300
    """Questions that one call may ask back."""
