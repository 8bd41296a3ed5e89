"""The verdict of one gate, and the judgement that all verdicts on a submission make."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

Result: TypeAlias = Literal["pass", "reject", "not_applicable", "skipped"]

GATE_NAMES: Final = {
    1: "verify is a function",
    2: "fact shapes",
    3: "canonical citations",
    4: "citations were read",
    5: "citations are justified",
    6: "outcome class",
    7: "verify says yes",
    8: "literal tokens",
}
PACK_GATE: Final = 0
"""The gate number of verdicts that a rule pack gives; their name is `pack/rule`."""
MAX_REASON_CHARS: Final = 4_000
MAX_FAULTS: Final = 8
"""How many faults a message tells; it counts the rest."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of one gate, or of one rule of a pack, on a submission; strings, numbers and truth values only."""

    gate: int
    """1 to 8, or 0 for a rule of a pack."""
    name: str
    result: Result
    """`skipped` marks a gate that was not run because another one had rejected already."""
    reason: str = ""
    """The fix-it text of a rejection, the cause of `not_applicable` or `skipped`, or empty for a pass."""
    enforced: bool = True
    """False if the gate is switched off: the verdict is recorded, holds nothing up and never reaches the solver."""

    @property
    def rejects(self) -> bool:
        """Whether this verdict finds a fault, enforced or not."""
        return self.result == "reject"


@lru_cache(maxsize=16)
def passes(gate: int) -> Verdict:
    """Return the verdict of a gate that finds no fault."""
    return Verdict(gate, GATE_NAMES[gate], "pass")


def rejects(gate: int, *faults: str) -> Verdict:
    """Return the verdict of a gate that finds `faults`, each one fix-it sentence."""
    text = "\n".join(faults)
    cut = text if len(text) <= MAX_REASON_CHARS else text[: MAX_REASON_CHARS - 1] + "…"
    return Verdict(gate, GATE_NAMES[gate], "reject", cut)


@lru_cache(maxsize=64)
def not_applicable(gate: int, why: str) -> Verdict:
    """Return the verdict of a gate that has nothing to judge."""
    return Verdict(gate, GATE_NAMES[gate], "not_applicable", why)


def verdict_of(gate: int, faults: list[str]) -> Verdict:
    """Return a pass if there are no faults, else a rejection that tells the first eight and counts the rest."""
    if not faults:
        return passes(gate)
    rest = len(faults) - MAX_FAULTS
    return rejects(gate, *faults[:MAX_FAULTS], *([f"… and {rest} more of the same kind."] if rest > 0 else []))


@dataclass(frozen=True, slots=True)
class Judgement:
    """All verdicts on one submission, and the answer that would be sent."""

    accepted: bool
    """True if no enforced gate or rule rejects."""
    message: str
    """Every enforced rejection in gate order; empty if the submission is accepted."""
    verdicts: tuple[Verdict, ...]
    answer: str
    outcome: str
    refs: tuple[str, ...]
    """The citations, in the order they were given."""
    hints: tuple[str, ...] = ()
    """Advice to the solver that holds nothing up."""
