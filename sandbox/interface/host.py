"""What a sandbox and its user agree on: limits, isolation layers, results of steps, and the host.

A `Host` answers the calls of a trial's scripts. Whoever starts a sandbox implements it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

from controlplane.sandbox.interface.error_codes import CallError
from controlplane.sandbox.interface.operations import Plain


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
    """The scratchpad after the step, in encoded form
    (`controlplane.sandbox.interface.tagged_values`)."""
    calls: int
    elapsed_ms: float


class VerifyReply(NamedTuple):
    """The result of a call of the script's own `verify`. An untrusted process sent it."""

    says_yes: bool
    error: str = ""
    """An exception or a time-out, as text; empty if `verify` returned."""


class Verify(NamedTuple):
    """What is known of the function `verify` with which a script submits its answer.

    A script calls `harness.answer(scratchpad, verify)`. The function itself stays in
    the child.
    """

    is_callable: bool
    takes_one_argument: bool
    ask: Callable[[bool], VerifyReply]
    """Calls `verify` in the child. `ask(False)` passes the scratchpad as it
    was submitted, and `ask(True)` one without answer, outcome and citations.
    A `verify` that says yes to both checks nothing."""


class Host(Protocol):
    """Answers the requests of one trial's scripts: calls, citations and the answer.

    Only the thread that runs the step calls these methods. A method may raise
    the exceptions that it declares. Any other exception fails the one call,
    unless its class has `leaves_step = True`: then it ends the step, and `Sandbox.run`
    raises it. For example, a platform that is down ends a step, because the script
    can do nothing about it.
    """

    def call(
        self, operation: str, arguments: dict[str, Plain], *, in_verify: bool
    ) -> dict[str, Plain]:
        """Make a call of a declared operation and return its result fields.

        Raises `CallError`. The arguments fit the declaration. `in_verify` is true if the
        script's `verify`, the check of its answer, makes the call.
        """
        ...

    def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Plain]]]
    ) -> list[Mapping[str, Plain] | CallError]:
        """Make several calls, at the same time if possible, and return their outcomes in order.

        A function of the benchmark asks for them together. All of them only read.
        """
        ...

    def cite(self, path: str, reason: str, quote: str = "") -> str:
        """Return the spelling in which `path` is cited.

        Raises `Refusal` if it may not be cited, or if a given `quote` is not in what was
        read at the path.
        """
        ...

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        """Judge the answer in the scratchpad, and submit it if it is accepted.

        Otherwise raises `Refusal`, whose text tells the script what to change. The
        values of the `scratchpad` are in JSON's own types.
        """
        ...
