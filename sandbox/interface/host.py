"""What a sandbox and its owner agree on: limits, isolation, requests of scripts, results of
steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

from controlplane.sandbox.interface.error_codes import CallError
from controlplane.sandbox.interface.operations import Plain

CALL_ENDS: Final[ContextVar[float]] = ContextVar("CALL_ENDS", default=math.inf)
"""When the step ends whose script makes the current call, on `time.monotonic()`: no host waits for
longer."""


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
        # In JSON a scratchpad takes up to twice its bytes, a character of output up to eight bytes,
        # and the rest of the message has room in the last number.
        return self.call_bytes + 2 * self.scratchpad_bytes + 8 * self.output_chars + 65_536


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
        return f"{name!r} names no isolation layers; did you mean {str(near_names[0])!r}?"
    choice = ", ".join(Layer)
    return (
        f"{name!r} names no isolation layers; "
        f"give a comma-separated choice of {choice}, or all, or none"
    )


class Ending(StrEnum):
    """The ways in which a step can end."""

    FINISHED = "finished"
    RAISED = "raised"
    """The script raised, or exited."""
    SYNTAX = "syntax"
    """The script is not Python."""
    REFUSED = "refused"
    """The language layer refuses the script; nothing of it ran."""
    LIMIT = "limit"
    """A limit of the step or the trial ended it."""
    KILLED = "killed"
    """The script's process died."""


class StepResult(NamedTuple):
    """The outcome of one script."""

    output: str
    """The printed text, in order, with the middle cut out if it was too long."""
    error: str
    """Why the step ended, as a text that names only lines of the script; empty for `finished`."""
    ending: Ending
    scratchpad: dict[str, Plain]
    """The last snapshot, in the tagged form of `controlplane.sandbox.child.step.script_values`."""
    calls: int
    elapsed_ms: float


class VerifyReply(NamedTuple):
    """The answer of the script's own `verify`: the claim of an untrusted process."""

    says_yes: bool
    error: str = ""
    """An exception or a time-out, as text; empty if `verify` returned."""


class Verify(NamedTuple):
    """The `verify` of an answer. It stays in the child, where `ask` calls it."""

    is_callable: bool
    takes_one_argument: bool
    ask: Callable[[bool], VerifyReply]
    """`ask(False)` calls `verify` with the scratchpad as submitted, `ask(True)` with answer,
    outcome and refs blanked."""


class Host(Protocol):
    """The parent's side of one trial. Only the thread that runs the step calls its methods.

    An exception with a true attribute `leaves_step` passes through to the caller of the step. Any
    other exception that is not declared here fails the one call.
    """

    def call(
        self, operation: str, arguments: dict[str, Plain], *, in_verify: bool
    ) -> dict[str, Plain]:
        """Make a declared call whose arguments fit its declaration. Raises `CallError`."""
        ...

    def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Plain]]]
    ) -> list[Mapping[str, Plain] | CallError]:
        """Make the calls of a function, which only read, and return their outcomes in order."""
        ...

    def cite(self, path: str, reason: str, quote: str = "") -> str:
        """Return the spelling in which `path` is cited. Raises `Refusal` if it may not be cited.

        With a `quote`, the quotation must be in what was read at the path.
        """
        ...

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        """Judge and submit. Raises `Refusal` with a text that says what to change.

        `scratchpad` is flattened to JSON's own types.
        """
        ...
