"""A task with its truth: the request and the required end of its trial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from controlplane.benchmarks.ecom.record_names import RecordNames
from controlplane.benchmarks.ecom.world.world import World
from controlplane.gates.submission import OUTCOMES

OK, DENIED, CLARIFICATION, UNSUPPORTED, INTERNAL = OUTCOMES


class Measured(NamedTuple):
    """The score of an answer that is graded in fractions."""

    score: float
    """From 0 to 1."""
    explanation: tuple[str, ...]
    """Lines that explain the score."""


class Measure(Protocol):
    """Grades answers in fractions. Only a few families use one."""

    def measure(self, message: str, refs: Sequence[str]) -> Measured:
        """Return the score of a message and its references."""
        ...


@dataclass(frozen=True, slots=True)
class Truth:
    """A task's request, and the required end of its trial.

    A family's function creates it, and the grader compares the trial with it.
    """

    instruction: str
    message: str
    """The only right message if `is_exact`, else an example of a right message."""
    outcome: str = OK
    is_exact: bool = False
    tokens: tuple[str, ...] = ()
    """Strings that a freely worded message must contain."""
    stated: tuple[tuple[str, ...], ...] = ()
    """Statements that a freely worded message must make: one wording of each group, in any
    spelling."""
    forbidden: tuple[str, ...] = ()
    """Texts that a message must not disclose in any spelling, such as those of another's record."""
    own: str | None = None
    """The ids that a denial may name. All other numbers in it must occur in the request."""
    person: str = ""
    """A person. The message must not disclose if this person works here."""
    percent: int = 0
    """The percentage of the discount, which the message must name."""
    states: tuple[tuple[str, ...], ...] = ()
    """Groups of states: a record's own state, then all other states of such a record.

    A denial must not disclose the record's state. Any other refusal must not list states in its
    place.
    """
    records: tuple[str, ...] = ()
    """The records that must be cited. Other citations are faults unless they are `tolerated`."""
    documents: tuple[str, ...] = ()
    """The documents that must be cited."""
    tolerated: tuple[str, ...] = ()
    """Paths that may be cited but need not be. The family's pages are added when a task is
    generated."""
    changes: Mapping[str, str | None] = field(default_factory=dict)
    """The files that must change, with their new texts, or None if a file is deleted. No others
    may."""
    calls: tuple[tuple[str, ...], ...] = ()
    """The tools that make the changes, with their arguments. Each must be run once."""
    exact_ends: bool = False
    """True if a page sets the newline at the end of a changed file."""
    measure: Measure | None = None
    """Grades an answer without faults in fractions. If it is None, such an answer scores 1."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """Details of the request, for the solutions and mistakes in tests."""
    names: RecordNames = field(default_factory=RecordNames)
    """The world's names for its records. They are set when a task is generated."""
    family: str = ""
    """The family whose solution answers the task. For a barred request, it is the family of
    blocks."""


def exact(instruction: str, message: str, **further: Any) -> Truth:
    """Return the truth for a question with exactly one right message."""
    return Truth(instruction=instruction, message=message, is_exact=True, **further)


@dataclass(frozen=True, slots=True)
class Task:
    """One task in its world."""

    world: World
    truth: Truth

    @property
    def instruction(self) -> str:
        """The request."""
        return self.truth.instruction
