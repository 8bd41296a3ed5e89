"""What a sandbox tells its user, and what it asks: the results of steps, and the host.

A `Host` answers the calls of a trial's scripts. Whoever starts a sandbox implements it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

from controlplane.sandbox.interface.error_codes import CallError
from controlplane.sandbox.interface.operations import Plain


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
    """The number of calls of operations that the script made."""
    elapsed_ms: float
    """The time from the start of the step to its end."""


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
    """Calls `verify` in the child. The argument says if the answer is blank:

    - `ask(False)` passes the scratchpad as it was submitted.
    - `ask(True)` passes a copy of it without answer, outcome and citations.

    A useful `verify` says yes to the first and no to the second. If it says yes in both
    cases, it does not look at the answer."""


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
