"""A report counts how trials ended in which a gate rejected an answer.

A gate is a check of a submitted answer. The trial may end with an accepted answer, which is right if it
scored 1, or with the fallback, an answer of the product.
"""

from controlplane.gate_effects import gate_effects
from tests.controlplane.report.gate_effects.rejected_trials import (
    ACCEPTED,
    rejected_by,
    trial,
)


def test_a_trial_counts_as_accepted_if_its_last_answer_was() -> None:
    (effect,) = gate_effects(
        [
            trial("a", rejected_by("4"), ACCEPTED),
            trial("b", rejected_by("4")),
        ]
    )

    assert effect.accepted == 1


def test_a_trial_counts_as_right_if_it_scored_1() -> None:
    """The score of the trial c is not known."""
    (effect,) = gate_effects(
        [
            trial("a", rejected_by("4"), ACCEPTED, score=1.0),
            trial("b", rejected_by("4"), ACCEPTED, score=0.0),
            trial("c", rejected_by("4"), ACCEPTED, score=None),
        ]
    )

    assert effect.right == 1


def test_without_a_known_score_it_is_unknown_how_many_trials_were_right() -> None:
    (effect,) = gate_effects([trial("a", rejected_by("4"), ACCEPTED, score=None)])

    assert effect.right is None


def test_a_trial_that_ended_with_the_fallback_answer_is_counted() -> None:
    (effect,) = gate_effects(
        [
            trial("a", rejected_by("4"), state="fallback"),
            trial("b", rejected_by("4"), ACCEPTED, state="answered"),
        ]
    )

    assert effect.fallback == 1
