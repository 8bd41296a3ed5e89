"""What a gate rejected in a run, and how those trials ended: a row of a table in reports.

A gate, or a rule that a benchmark adds, is a check of a submitted answer. It may reject the answer,
and the model submits another one. `GateEffect("4", sent_back=3, trials=2, ...)` counts that for the
gate 4.
"""

from controlplane.gate_effects import GateEffect, gate_effects
from controlplane.journal.totals.objections import Objections
from controlplane.journal.totals.trial_summary import TrialSummary


def rejected_by(*gates: str) -> Objections:
    """Return what is counted of an answer that these gates and rules rejected."""
    return Objections(rejected=gates, overridden=())


ACCEPTED = rejected_by()


def trial(
    trial_id: str,
    *answers: Objections,
    score: float | None = None,
    state: str = "answered",
) -> TrialSummary:
    """Return a trial in which the model submitted these answers, one after the other."""
    return TrialSummary(
        trial_id, "t", state=state, score=score, submissions=list(answers)
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
