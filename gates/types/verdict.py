"""What a gate says, and what all of them together say of one submission."""

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


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one gate, or one rule of a pack, says of a submission; strings, numbers and truth values only."""

    gate: int
    """1 to 8; 0 for a rule of a pack."""
    name: str
    result: Result
    """`skipped` is a gate that was not asked because others had rejected already."""
    reason: str = ""
    """For a rejection the fix-it text; for `not_applicable` and `skipped` why; empty for a pass."""
    enforced: bool = True
    """False for a gate that is switched off: it is recorded and neither holds up nor reaches the solver."""

    @property
    def rejects(self) -> bool:
        """Say whether this verdict finds a fault, enforced or not."""
        return self.result == "reject"


@lru_cache(maxsize=16)
def passes(gate: int) -> Verdict:
    """Return the verdict of a gate that finds nothing wrong."""
    return Verdict(gate, GATE_NAMES[gate], "pass")


def rejects(gate: int, *faults: str) -> Verdict:
    """Return the verdict of a gate that found `faults`, one fix-it sentence each."""
    text = "\n".join(faults)
    cut = text if len(text) <= MAX_REASON_CHARS else text[: MAX_REASON_CHARS - 1] + "…"
    return Verdict(gate, GATE_NAMES[gate], "reject", cut)


@lru_cache(maxsize=64)
def not_applicable(gate: int, why: str) -> Verdict:
    """Return the verdict of a gate that has nothing to judge."""
    return Verdict(gate, GATE_NAMES[gate], "not_applicable", why)


def listed(faults: list[str], limit: int = 8) -> list[str]:
    """Return `faults`, cut to `limit` with a last line that counts the rest, so that a message stays readable."""
    if len(faults) <= limit:
        return faults
    return [*faults[:limit], f"… and {len(faults) - limit} more of the same kind."]


@dataclass(frozen=True, slots=True)
class Judgement:
    """All verdicts on one submission, and what would be submitted."""

    accepted: bool
    """No enforced gate or rule rejects."""
    message: str
    """Every enforced failure, in gate order; empty where accepted."""
    verdicts: tuple[Verdict, ...]
    answer: str
    outcome: str
    refs: tuple[str, ...]
    """Citations in the order they were given."""
    hints: tuple[str, ...] = ()
    """Things worth knowing that hold nothing up."""
