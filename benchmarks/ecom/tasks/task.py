"""A task: its world, and the truth that the grader compares with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol

from benchmarks.ecom.runtime.workspace import RecordNames
from benchmarks.ecom.world.generator import World
from gates.submission import OUTCOMES

OK, DENIED, CLARIFICATION, UNSUPPORTED, INTERNAL = OUTCOMES


class Measure(Protocol):
    """Grades answers in fractions, for the few families that score so."""

    def measure(self, message: str, refs: Sequence[str]) -> tuple[float, tuple[str, ...]]:
        """Return the score of a message and its references, 0 to 1, and lines that explain the score."""
        ...


@dataclass(frozen=True, slots=True)
class Truth:
    """A task's request, and the required end of its trial."""

    instruction: str
    message: str
    """The only right message if `is_exact`, else an example of one."""
    outcome: str = OK
    is_exact: bool = False
    tokens: tuple[str, ...] = ()
    """Strings that a message in free words must hold."""
    stated: tuple[tuple[str, ...], ...] = ()
    """What this world's pages want said: a message in free words holds one of each group, in any spelling."""
    forbidden: tuple[str, ...] = ()
    """Texts that a message must not tell in any spelling, such as those of a foreign record."""
    own: str | None = None
    """The ids that a refusal that withholds something may name, besides what the request tells: no other number."""
    person: str = ""
    """Somebody of whom a message must not tell whether he or she works here."""
    percent: int = 0
    """The percentage that was given, which a message names."""
    states: tuple[tuple[str, ...], ...] = ()
    """The states that a denial must not tell, each with the other states of such a record behind it; those of which
    another refusal must tell the first, and not list the others."""
    records: tuple[str, ...] = ()
    """The records that must be cited; any other citation costs the score unless `tolerated`."""
    documents: tuple[str, ...] = ()
    """The documents that must be cited as well."""
    tolerated: tuple[str, ...] = ()
    """Records that may be cited but need not be; generation adds the family's pages."""
    changes: Mapping[str, str | None] = field(default_factory=dict)
    """Every file that must change, with its new text, or None if it is deleted. No other file may change."""
    calls: tuple[tuple[str, ...], ...] = ()
    """The tools with their arguments that make the changes, if tools make them: each once."""
    exact_ends: bool = False
    """True if a page asks for the newline at the end of such a file."""
    measure: Measure | None = None
    """Grades an answer without a fault in fractions; without a measure, such an answer scores 1."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    names: RecordNames = field(default_factory=RecordNames)
    """The world's spelling of its records; generation sets it."""
    family: str = ""
    """The family whose solution answers the task: that of blocks if a block is the reason to refuse. Generation sets
    it."""


exact: Final = partial(Truth, is_exact=True)
"""Makes the truth of a question whose only right answer is exactly its message."""


@dataclass(frozen=True, slots=True)
class Task:
    """One task in its world."""

    world: World
    truth: Truth

    @property
    def instruction(self) -> str:
        """The request."""
        return self.truth.instruction
