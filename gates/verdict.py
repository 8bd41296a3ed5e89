"""Verdicts of gates and rules, the enforcement of each, and the judgement that combines all verdicts.

A blocking rule rejects as long as its fault is there. An asking rule objects in at most two turns; after that the
answer is accepted over the objection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

Enforcement: TypeAlias = Literal["block", "ask", "off"]
ENFORCEMENTS: Final[tuple[Enforcement, ...]] = get_args(Enforcement)
Result: TypeAlias = Literal["pass", "reject", "overridden", "not_applicable", "skipped"]

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
ALL_GATES: Final = frozenset(GATE_NAMES)
VERIFY_GATE: Final = 7
"""The gate that calls the script's own `verify`; it runs last, in the parent."""
RULE_SET_GATE: Final = 0
"""The gate number of verdicts that a rule set gives; their name is `RULE_SET/RULE`."""
REVIEW: Final = "review"
"""The name of the rule by which a second reader asks, if the user names one."""
MOST_TURNS: Final = 2
"""Turns of a trial in which one asking rule may object."""
RULE_FAILED: Final = "the rule failed: "
"""The beginning of a verdict's reason if its rule raised an exception."""
MAX_REASON_CHARS: Final = 4_000
MAX_FAULTS: Final = 8
"""Max faults of one rule that a message lists; it counts the rest."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of one gate, or of one rule, on a submission; strings and numbers only."""

    gate: int
    """1 to 8, or 0 for a rule of a rule set."""
    name: str
    """The gate's name, the name of one of the gate's asking rules, or `RULE_SET/RULE`."""
    result: Result
    """`overridden`: the rule still objects after having objected in two turns. `skipped`: gate 7 was not asked."""
    reason: str = ""
    """The text of an objection, the cause of `not_applicable` or `skipped`, or empty for a pass."""
    enforcement: Enforcement = "block"

    @property
    def key(self) -> str:
        """The key under which the verdict is counted: `6`, `6/wording` or `RULE_SET/RULE`."""
        return key_of(self.gate, self.name)


def key_of(gate: int, name: str) -> str:
    """Return the key of a gate (`6`), of an asking rule (`6/wording`) or of a rule set's rule."""
    if gate == RULE_SET_GATE:
        return name
    return str(gate) if GATE_NAMES.get(gate) == name else f"{gate}/{name}"


def joined_faults(faults: list[str]) -> str:
    """Return the first eight faults, one per line, and a count of the others."""
    rest = len(faults) - MAX_FAULTS
    text = "\n".join(faults[:MAX_FAULTS] + ([f"… and {rest} more of the same kind."] if rest > 0 else []))
    return text if len(text) <= MAX_REASON_CHARS else text[: MAX_REASON_CHARS - 1] + "…"


@dataclass(frozen=True, slots=True)
class Judgement:
    """All verdicts on one submission, and the answer that would be sent."""

    accepted: bool
    """True if nothing rejects. Objections that were raised often enough do not reject."""
    message: str
    """Every rejection in gate order; empty if the submission is accepted."""
    verdicts: tuple[Verdict, ...]
    answer: str
    outcome: str
    refs: tuple[str, ...]
    """The citations, in the order in which they were given."""


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """A run's settings of gates and rules; what is not set is enforced as the table in `gates.judging` says."""

    overrides: Mapping[str, Enforcement] = field(default_factory=dict)
    """By key: a gate (`6`), an asking rule (`6/wording`), a rule set (`ecom`) or its rule (`ecom/return`)."""

    def enforcement(self, verdict: Verdict) -> Enforcement:
        """Return how a verdict is enforced: the most specific setting counts, else the rule's own."""
        whole = verdict.key.partition("/")[0]
        return self.overrides.get(verdict.key) or self.overrides.get(whole) or verdict.enforcement
