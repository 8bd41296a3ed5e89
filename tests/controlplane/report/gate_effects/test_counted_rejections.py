"""A report counts what a gate rejected in a run: answers, and trials.

A gate, or a rule that a benchmark adds, is a check of a submitted answer. It may reject the answer, and
the model submits another one. `GateEffect("4", sent_back=3, trials=2, ...)` counts that for the gate 4.
"""

from controlplane.gate_effects import gate_effects
from tests.controlplane.report.gate_effects.rejected_trials import (
    ACCEPTED,
    rejected_by,
    trial,
)


def test_each_rejection_of_an_answer_counts_as_sent_back() -> None:
    (effect,) = gate_effects(
        [
            trial("a", rejected_by("4"), ACCEPTED),
            trial("b", rejected_by("4"), rejected_by("4"), ACCEPTED),
        ]
    )

    assert effect.key == "4"
    assert effect.sent_back == 1 + 2


def test_a_trial_with_several_rejections_counts_once_among_the_trials() -> None:
    (effect,) = gate_effects(
        [
            trial("a", rejected_by("4"), ACCEPTED),
            trial("b", rejected_by("4"), rejected_by("4"), ACCEPTED),
            trial("c", ACCEPTED),  # no rejection
        ]
    )

    assert effect.trials == 2


def test_the_gate_with_the_most_rejections_comes_first() -> None:
    """A rule counts like a gate, by its name."""
    effects = gate_effects(
        [
            trial("a", rejected_by("4", "ecom/return"), ACCEPTED),
            trial("b", rejected_by("ecom/return"), ACCEPTED),
        ]
    )

    assert [effect.key for effect in effects] == ["ecom/return", "4"]


def test_trials_without_a_rejection_have_no_effects() -> None:
    accepted_at_once = trial("a", ACCEPTED, score=1.0)
    without_an_answer = trial("b", score=1.0)

    assert gate_effects([accepted_at_once, without_an_answer]) == ()
