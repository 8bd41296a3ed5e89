"""The effects of a gate and of a rule on the same trials are counted side by side in a report.

A gate, here the one called "4", is a check of a submitted answer. A rule, here "ecom/return", is a
check that a benchmark adds. Trial a submits two answers and trial b three:

    trial   answer   rejected by
    a       1        4
            2        nothing: it is accepted, and right
    b       1        4 and ecom/return
            2        ecom/return
            3        4: the trial ends without an accepted answer
"""

from controlplane.gate_effects import GateEffect, gate_effects
from tests.controlplane.report.gate_effects.rejected_trials import (
    ACCEPTED,
    rejected_by,
    trial,
)


def test_all_numbers_of_a_gate_and_a_rule_are_counted_side_by_side() -> None:
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

    assert gate_effect == GateEffect(
        "4",
        sent_back=3,  # answers that it rejected
        mended=2,  # of them, those whose next answer it did not reject: a1 and b1
        trials=2,  # trials in which it rejected an answer
        accepted=1,  # of them, those that ended with an accepted answer
        right=1,  # of them, those that scored 1
        fallback=0,  # of them, those that ended with an answer of the run's own
    )
    assert rule_effect == GateEffect(
        "ecom/return",
        sent_back=2,
        mended=1,  # b2
        trials=1,
        accepted=0,
        right=0,
        fallback=0,
    )
