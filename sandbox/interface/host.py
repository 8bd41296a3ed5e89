"""The seam between a sandbox and its owner: what a script may ask of its parent, and what a step returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from sandbox.interface.operations import Plain


class Ending(StrEnum):
    """How a step ended."""

    FINISHED = "finished"
    RAISED = "raised"
    """The script raised, or exited."""
    SYNTAX = "syntax"
    """It is no Python."""
    REFUSED = "refused"
    """The language wall refuses it; nothing of it ran."""
    LIMIT = "limit"
    """A limit of the step or the trial ended it."""
    KILLED = "killed"
    """Its process died."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """What one script did. `scratchpad` is the last snapshot, in the tagged form of `scratchpad_values`."""

    output: str
    """What it printed, in order, cut in the middle where it was too long."""
    error: str
    """What ended it, as text that names lines of its own code only; empty for `finished`."""
    ending: Ending
    scratchpad: dict[str, Plain]
    calls: int
    elapsed_ms: float


@dataclass(frozen=True, slots=True)
class VerifyReply:
    """What the script's own `verify` answered: the claim of an untrusted process."""

    says_yes: bool
    error: str = ""
    """An exception or a time-out, as text; empty if it returned."""


@dataclass(frozen=True, slots=True)
class Verify:
    """The `verify` that came with an answer. It stays in the child; `ask` has it called there."""

    is_callable: bool
    takes_one_argument: bool
    ask: Callable[[bool], VerifyReply]
    """`ask(False)` calls it with the scratchpad as submitted, `ask(True)` with answer, outcome and refs blanked."""


class Refusal(Exception):
    """What the parent refuses a script: a citation (raised there as `CitationError`) or an answer (`GateRejection`)."""


class Host(Protocol):
    """The parent's side of one trial. Every method may be called from the thread that runs the step only.

    An exception with a true attribute `leaves_step` passes through to whoever runs the step. Every other one that is
    not declared here fails the one call.
    """

    def call(self, operation: str, arguments: dict[str, Plain], *, in_verify: bool) -> dict[str, Plain]:
        """Make a declared call whose arguments fit its declaration. Raises `CallError`."""
        ...

    def cite(self, path: str, reason: str, quote: str = "") -> str:
        """Say whether `path` may be cited, with a quotation if one is given, and return the spelling to cite.

        Raises `Refusal`.
        """
        ...

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        """Judge and submit. `scratchpad` is flattened to JSON's own types. Raises `Refusal` with the fix-it text."""
        ...
