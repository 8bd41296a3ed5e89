"""What a family hands over: an instruction, the world it is about, and the truth that a grader compares with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from benchmarks.ecom.world.generator import World

OK: Final = "OUTCOME_OK"
DENIED: Final = "OUTCOME_DENIED_SECURITY"
CLARIFICATION: Final = "OUTCOME_NONE_CLARIFICATION"
UNSUPPORTED: Final = "OUTCOME_NONE_UNSUPPORTED"
INTERNAL: Final = "OUTCOME_ERR_INTERNAL"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with the natural reason for every reference, for those who replay it through gates."""

    message: str
    outcome: str
    citations: Mapping[str, str]
    """Path to reason; a reason names something that stands in the file."""
    tokens: tuple[str, ...] = ()
    """Strings that the message is meant to hold."""
    changes: tuple[tuple[str, str], ...] = ()
    """Path and action (`write`, `delete`, `execute`) of every change that was made."""

    @property
    def refs(self) -> tuple[str, ...]:
        """The cited paths."""
        return tuple(self.citations)


@dataclass(frozen=True, slots=True)
class Truth:
    """How a trial must end."""

    outcome: str
    message: str
    """A right message: the only one where `is_exact`, an example otherwise."""
    is_exact: bool = False
    tokens: tuple[str, ...] = ()
    """Strings that a free message must hold."""
    forbidden: tuple[str, ...] = ()
    """Strings that no message may hold, such as what a refusal must not give away."""
    records: Mapping[str, str] = field(default_factory=dict)
    """The references that must be cited, and no other record may be; path to a reason."""
    documents: Mapping[str, str] = field(default_factory=dict)
    """Documents that must be cited beside them; path to a reason."""
    tolerated: frozenset[str] = frozenset()
    """Further records that may be cited or not."""
    changes: Mapping[str, str | None] = field(default_factory=dict)
    """Every file that must have changed, with its text afterwards; None for a deleted one. Nothing else may change."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """What the family's own reference solution wants to be told, by name."""


@dataclass(frozen=True, slots=True)
class Task:
    """One posed task."""

    instruction: str
    world: World
    truth: Truth
