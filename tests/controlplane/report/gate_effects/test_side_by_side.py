"""All numbers of a gate and of a rule are counted side by side in a report.

A gate, or a rule that a benchmark adds, is a check of a submitted answer. A rejection is *mended* if the
gate does not object to the next answer.
"""

from controlplane.gate_effects import GateEffect, gate_effects
from tests.controlplane.report.gate_effects.rejected_trials import (
    ACCEPTED,
    rejected_by,
    trial,
)


def test_all_numbers_of_a_gate_and_a_rule_are_counted_side_by_side() -> None:
    """The gate 4 rejects in both trials, the rule only in b. Nothing is accepted in b."""
    gate_effect, rule_effect = gate_effects(
        [
            trial("a", rejected_by("4"), ACCEPTED, score=1.0),
            trial(
                "b",
                rejected_by("4", "ecom/return"),
                rejected_by("ecom/return"),
                rejected_by("4"),
                score=0.0,
            ),
        ]
    )

    assert (
        gate_effect
        == GateEffect(
            "4",
            sent_back=3,
            mended=2,  # the next answer was not rejected by the gate: in a, and the first of b
            trials=2,
            accepted=1,
            right=1,
            fallback=0,
        )
    )
    assert rule_effect == GateEffect(
        "ecom/return",
        sent_back=2,
        mended=1,  # the second answer of b
        trials=1,
        accepted=0,
        right=0,
        fallback=0,
    )
