"""How a run enforces gates and rules, if it differs from their own enforcement.

With `--gates 6=off`, gate 6 and its rules stop no answer. A rule may be named itself, too:
`6/wording`, or `desk/late-reply` of the rule set `desk`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from controlplane.gates.verdicts import Enforcement, Verdict


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """How a run enforces gates and rules, if it differs from their own enforcement."""

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
