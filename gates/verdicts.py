"""What gates and rules say about a submission, and the judgement that follows.

A gate is one of eight built-in checks of a submission. A rule is a further check, which belongs
to a gate (`wording` to gate 6) or to a rule set that the user chose (`late-reply` to `desk`).
Each returns an opinion (`opinions.py`). It becomes a `Verdict`, and all verdicts make up one
`Judgement`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

from controlplane.sandbox.interface import bounds

Enforcement: TypeAlias = Literal["block", "ask", "off"]
"""What happens if a check finds a fault.

- `block`: the answer is stopped until the fault is corrected.
- `ask`: the answer is stopped at most `MOST_ASKING_TURNS` times. Then the fault is ignored.
- `off`: the fault is only recorded.
"""
ENFORCEMENTS: Final[tuple[Enforcement, ...]] = get_args(Enforcement)
STOPPING: Final[frozenset[Enforcement]] = frozenset({"block", "ask"})
"""With these, a fault stops the answer, at least at first."""
Result: TypeAlias = Literal["pass", "reject", "overridden", "not_applicable", "skipped"]
"""What a check says of a submission.

- `pass`: it has no fault.
- `reject`: it has a fault that stops the answer.
- `overridden`: it has a fault, which has stopped the answer often enough (`ask`).
- `not_applicable`: the check cannot judge this submission.
- `skipped`: the check did not run. Gate 7 does not if another gate rejects.
"""

GATE_NAMES: Final = {
    1: "verify is a function",
    2: "fact shapes",
    3: "canonical citations",
    4: "citations were read",  # or written: any access by a call of the trial counts
    5: "citations are justified",
    6: "outcome class",
    7: "verify says yes",
    8: "literal tokens",
}
ALL_GATES: Final = frozenset(GATE_NAMES)
VERIFY_GATE: Final = 7
"""The gate that calls the script's own `verify`.

It runs last, and in the process that started the script. Other gates may run in a worker.
"""
RULE_SET_GATE: Final = 0
"""The gate number of verdicts that a rule set gives; their name is `RULE_SET/RULE`."""
REVIEW: Final = "review"
"""The name of the rule by which a second model asks for changes, if the user configures one."""
MOST_ASKING_TURNS: Final = 2
"""In how many steps of a trial a gate or rule with the enforcement `ask` may stop an answer.

Whatever it objects to and whichever the answer is, each step counts once. After that, the model has
thought about the objection and may be right.
"""
RULE_FAILED: Final = "the rule failed: "
"""The beginning of a verdict's reason if its rule raised an exception."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one gate or rule says about a submission: it passes, or it is rejected, and why.

    `Verdict(4, "citations were read", "reject", "`/a.md` was not read in this trial")`
    """

    gate: int
    """1 to 8 as in `GATE_NAMES`, or 0 for a rule of a rule set."""
    name: str
    """The name of the gate or of the rule that judged.

    - a gate: its name in `GATE_NAMES`, such as `outcome class` for gate 6
    - a rule that belongs to a gate: its own name, such as `wording`
    - a rule of a rule set: both names, such as `desk/late-reply`
    """
    result: Result
    reason: str = ""
    """The text of an objection, the cause of `not_applicable` or `skipped`, or empty for a pass."""
    enforcement: Enforcement = "block"
    """What a rejection does, unless the user's `GatePolicy` changes it."""

    @property
    def key(self) -> str:
        """The key of the gate or rule: `6` or `6/wording`."""
        return key_of(self.gate, self.name)


def key_of(gate: int, name: str) -> str:
    """Return the key of a gate or rule, by which it is counted and set in a `GatePolicy`.

    6 and `outcome class` -> `6`; 6 and `wording` -> `6/wording`; 0 and
    `desk/late-reply` -> `desk/late-reply`
    """
    if gate == RULE_SET_GATE:
        return name
    if GATE_NAMES.get(gate) == name:
        return str(gate)
    return f"{gate}/{name}"


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """How a run enforces gates and rules, if it differs from their own enforcement.

    With `--gates 6=off`, gate 6 and its rules stop no answer.
    """

    overrides: Mapping[str, Enforcement] = field(default_factory=dict)
    """By key of a gate (`6`), a rule (`6/wording`, `desk/late-reply`) or a rule set (`desk`)."""

    def enforcement(self, verdict: Verdict) -> Enforcement:
        """Return how a verdict is enforced.

        An override for the rule itself comes first, then one for its gate or rule set, and last
        what the rule declares.
        """
        return self.enforcement_of(verdict.key, declared=verdict.enforcement)

    def enforcement_of(self, key: str, *, declared: Enforcement) -> Enforcement:
        """Return how the gate or rule with a key, such as `6/wording`, is enforced."""
        if key in self.overrides:
            return self.overrides[key]
        gate_or_rule_set = key.partition("/")[0]
        return self.overrides.get(gate_or_rule_set, declared)


def joined_faults(faults: list[str]) -> str:
    """Return the first faults, one per line, and how many more there are, not too long."""
    lines = faults[: bounds.SHOWN_FAULTS]
    rest = len(faults) - bounds.SHOWN_FAULTS
    if rest > 0:
        lines.append(f"… and {rest} more of the same kind.")
    text = "\n".join(lines)
    if len(text) > bounds.SHOWN_MESSAGE_CHARS:
        return text[: bounds.SHOWN_MESSAGE_CHARS - 1] + "…"
    return text


@dataclass(frozen=True, slots=True)
class Judgement:
    """All verdicts on one submission, and the answer that is sent if they accept it."""

    accepted: bool
    """True if no verdict rejects. One that is `overridden` does not reject."""
    message: str
    """Every rejection in gate order; empty if the submission is accepted."""
    verdicts: tuple[Verdict, ...]
    """In the order of the gates, then those of rule sets."""
    answer: str
    """The text of the answer; empty if none was submitted."""
    outcome: str
    """The kind of the answer, such as `OUTCOME_OK`."""
    refs: tuple[str, ...]
    """The citations, in the order in which they were given."""
