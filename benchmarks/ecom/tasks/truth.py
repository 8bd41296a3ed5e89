"""A task with its truth: the request, and the required end of its trial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from controlplane.benchmarks.ecom.record_names import RecordNames
from controlplane.benchmarks.ecom.world.world import World
from controlplane.gates.submission import OUTCOMES

OK, DENIED, CLARIFICATION, UNSUPPORTED, INTERNAL = OUTCOMES


class Measured(NamedTuple):
    """What an answer earns that is graded in fractions."""

    score: float
    """From 0 to 1."""
    explanation: tuple[str, ...]
    """Lines that explain the score."""


class Measure(Protocol):
    """Grades answers in fractions, for the few families that score so."""

    def measure(self, message: str, refs: Sequence[str]) -> Measured:
        """Return what a message and its references earn."""
        ...


@dataclass(frozen=True, slots=True)
class Truth:
    """A task's request, and the required end of its trial."""

    instruction: str
    message: str
    """The only right message if `is_exact`, else an example of a right one."""
    outcome: str = OK
    is_exact: bool = False
    tokens: tuple[str, ...] = ()
    """Strings that a message in free words must hold."""
    stated: tuple[tuple[str, ...], ...] = ()
    """What a message in free words must say: one of each group, in any spelling."""
    forbidden: tuple[str, ...] = ()
    """Texts that a message must not tell in any spelling, such as those of a foreign record."""
    own: str | None = None
    """The ids that a denial may name; it names no other number that the request does not have."""
    person: str = ""
    """Somebody of whom a message must not tell whether he or she works here."""
    percent: int = 0
    """The percentage that was given, which a message names."""
    states: tuple[tuple[str, ...], ...] = ()
    """Groups of a record's state, which comes first, and the other states of such a record.

    A denial must not tell the record's state. Another refusal must not list the states in place
    of it.
    """
    records: tuple[str, ...] = ()
    """The records that must be cited; any other citation is a fault unless it is `tolerated`."""
    documents: tuple[str, ...] = ()
    """The documents that must be cited as well."""
    tolerated: tuple[str, ...] = ()
    """Paths that may be cited but need not be; generation adds the family's pages."""
    changes: Mapping[str, str | None] = field(default_factory=dict)
    """Every file that must change, with its new text, or None if it is deleted. No other may."""
    calls: tuple[tuple[str, ...], ...] = ()
    """The tools with their arguments that make the changes, if tools make them: each once."""
    exact_ends: bool = False
    """True if a page asks for the newline at the end of a changed file."""
    measure: Measure | None = None
    """Grades an answer without a fault in fractions; without it such an answer scores 1."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """What the request is about, for solutions and mistakes in tests."""
    names: RecordNames = field(default_factory=RecordNames)
    """The world's spelling of its records; generation sets it."""
    family: str = ""
    """The family whose solution answers the task; that of blocks if the request is barred."""


def exact(instruction: str, message: str, **further: Any) -> Truth:
    """Return the truth of a question whose only right answer is exactly its message."""
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
