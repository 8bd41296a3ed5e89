"""A task: its world, and the truth that the grader compares with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

from benchmarks.ecom.runtime.record_names import RecordNames
from benchmarks.ecom.tasks.statements import Subject
from benchmarks.ecom.world.generator import World
from gates.submission import OUTCOMES

OK, DENIED, CLARIFICATION, UNSUPPORTED, INTERNAL = OUTCOMES


class Measure(Protocol):
    """Grades what an answer achieves in fractions, for the few families that have them."""

    @property
    def reachable(self) -> float:
        """The score that a good answer reaches at least."""
        ...

    def measure(self, message: str, refs: Sequence[str]) -> tuple[float, tuple[str, ...]]:
        """Return the score of a message and its references, 0 to 1, and lines that say how it came about."""
        ...


@dataclass(frozen=True, slots=True)
class Truth:
    """What a task asks, and how its trial must end."""

    instruction: str
    message: str
    """The only right message if `is_exact`, else an example of one."""
    outcome: str = OK
    is_exact: bool = False
    subject: Subject = field(default_factory=Subject)
    """The facts that a message in free words may state."""
    tokens: tuple[str, ...] = ()
    """Strings that a message in free words must hold."""
    forbidden: tuple[str, ...] = ()
    """Strings that a message must not hold in any spelling, such as what a refusal must not reveal."""
    records: Mapping[str, str] = field(default_factory=dict)
    """The records that must be cited, each with a reason; further ones cost score unless `tolerated`."""
    documents: Mapping[str, str] = field(default_factory=dict)
    """The documents that must be cited as well, each with a reason."""
    tolerated: frozenset[str] = frozenset()
    """Records that may be cited but need not be."""
    changes: Mapping[str, str | None] = field(default_factory=dict)
    """Every file that must change, with its new text, or None if it is deleted. No other file may change."""
    call: tuple[str, ...] = ()
    """The tool and its arguments that make the changes, if a tool makes them."""
    exact_ends: bool = False
    """Whether a page asks for the newline at the end of such a file."""
    measure: Measure | None = None
    """What grades an answer without a fault in fractions; without it, such an answer scores 1."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """What a solution needs to know, by name."""
    names: RecordNames = field(default_factory=RecordNames)
    """How the world spells its records; posing sets it."""
    family: str = ""
    """The name of the family whose solution answers it: that of blocks if it is refused for one. Posing sets it."""

    @property
    def reachable(self) -> float:
        """The score that a right answer reaches at least."""
        return 1.0 if self.measure is None else self.measure.reachable


def exact(
    instruction: str,
    message: str,
    records: Mapping[str, str] = MappingProxyType({}),
    /,
    *,
    tolerated: frozenset[str] = frozenset(),
    changes: Mapping[str, str | None] = MappingProxyType({}),
    **inputs: str,
) -> Truth:
    """Return the truth of a question whose one right answer is `message` alone, which cites these records."""
    return Truth(
        instruction, message, is_exact=True, records=records, tolerated=tolerated, changes=changes, inputs=inputs
    )


@dataclass(frozen=True, slots=True)
class Task:
    """One task in its world."""

    world: World
    truth: Truth

    @property
    def instruction(self) -> str:
        """What is asked."""
        return self.truth.instruction
