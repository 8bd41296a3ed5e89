"""What scripts and workers may use, and the layers that keep them apart from the machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Final, NamedTuple

BYTES_PER_MIB: Final = 1024 * 1024

# The limits of a process that runs scripts, and of one that computes calls: time, memory, output.


class Limits(NamedTuple):
    """Limits of the scripts of a trial. The defaults are far above the needs of ordinary work."""

    step_wall_s: float = 60.0
    """Wall-clock seconds of one step, with its environment calls but those that declare `longest_s`."""
    step_cpu_s: float = 20.0
    """CPU seconds of one step."""
    trial_cpu_s: float = 300.0
    """CPU seconds of all steps of a trial."""
    memory_bytes: int = 256 * BYTES_PER_MIB
    """Bytes of address space that a script may add to its process."""
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
    memory_bytes: int = 128 * BYTES_PER_MIB
    """Bytes of address space that calls may add to the process."""
    message_bytes: int = 32_000_000
    """Bytes of one message to the process."""
    reply_bytes: int = 2_100_000
    """Bytes of one message from the process."""
    call_questions: int = 300
    """Questions that one call may ask the parent."""


# The layers of isolation that keep a script from the machine, and how users choose among them.
#
# `--isolation language,process` runs scripts without the protection by the kernel.


class Layer(StrEnum):
    """One layer of the isolation between a script and the machine."""

    LANGUAGE = "language"
    """The script is compiled under a policy, and reaches attributes and modules through guards."""
    PROCESS = "process"
    """It runs in a child process with limits, no files and no environment."""
    KERNEL = "kernel"
    """The kernel refuses that process everything that it does not need."""


ALL_LAYERS: Final = frozenset(Layer)


def parse_isolation(text: str) -> frozenset[Layer]:
    """Return the isolation layers that a comma-separated list names, or `all`, or `none`.

    Raises `ValueError`.
    """
    match text.strip():
        case "all":
            return ALL_LAYERS
        case "none":
            return frozenset()
    layers = set()
    for part in text.split(","):
        name = part.strip()
        if name not in list(Layer):
            raise ValueError(_unknown_layer_text(name))
        layers.add(Layer(name))
    return frozenset(layers)


def _unknown_layer_text(name: str) -> str:
    """Return the error for a layer that does not exist: `kernal` -> `did you mean 'kernel'?`."""
    import difflib  # Only a mistake needs it, and processes of scripts load this module, too.

    names = [*Layer, "all", "none"]
    near_names = difflib.get_close_matches(name, names, n=1)
    if near_names:
        return (
            f"{name!r} names no isolation layers; did you mean {str(near_names[0])!r}?"
        )
    choice = ", ".join(Layer)
    return (
        f"{name!r} names no isolation layers; "
        f"give a comma-separated choice of {choice}, or all, or none"
    )


# Whose code runs in a step. Both sides keep this: the parent, and the process of the script.


class Activity:
    """Whose code makes the requests at the moment. If no flag is true, the script itself does.

    If `verify` calls a function of the benchmark, two flags are true.
    """

    def __init__(self) -> None:
        self.in_verify = False
        """True while the script's `verify` runs, its own check of its answer."""
        self.in_function = False
        """True while a function of the benchmark runs."""
        self.is_over = False
        """True after the step. Objects of the step may still exist, for example a function that
        the script put somewhere. They can no longer make requests or print."""

    @property
    def may_only_read(self) -> bool:
        """True while a function of the benchmark, or the script's `verify`, runs."""
        return self.in_verify or self.in_function

    @property
    def is_script(self) -> bool:
        """True if the script itself runs, which may change the scratchpad."""
        return not self.may_only_read and not self.is_over

    @contextmanager
    def during_verify(self) -> Iterator[None]:
        """Within the block, the script's `verify` makes the requests."""
        self.in_verify = True
        try:
            yield
        finally:
            self.in_verify = False

    @contextmanager
    def during_function(self) -> Iterator[None]:
        """Within the block, a function of the benchmark makes the requests."""
        self.in_function = True
        try:
            yield
        finally:
            self.in_function = False
