"""A report has a row for each check that stopped calls, and tells what became of these calls.

The check "provenance" stops a payment whose account comes from a text that is not trusted. What the
model did then is the end of the call: "not done", "done otherwise", or "repeated and sent".
"""

from controlplane.gate_effects import GateEffect, gate_effects
from controlplane.journal.totals.objections import Objections
from controlplane.journal.totals.trial_summary import CallKey, TrialSummary


def trial(trial_id: str, *ends: str, score: float) -> TrialSummary:
    """Return a trial with a stopped payment for each end, and one answer, which was accepted."""
    nobody_objects = Objections(rejected=(), overridden=())
    stopped_calls = {}
    for number, end in enumerate(ends):
        payment = CallKey(
            stopped_by="provenance", operation="pay", path="", arguments=str(number)
        )
        stopped_calls[payment] = end
    return TrialSummary(
        trial_id,
        task_id="t",
        state="answered",
        score=score,
        submissions=[nobody_objects],
        stopped=stopped_calls,
    )


def test_stopped_calls_are_counted_with_the_ends_of_their_trials() -> None:
    """Only the trials a and b count, as no call of c was stopped."""
    (effect,) = gate_effects(
        [
            trial("a", "not done", score=1.0),
            trial("b", "repeated and sent", "done otherwise", score=0.0),
            trial("c", score=1.0),
        ]
    )

    assert effect == GateEffect(
        key="provenance",
        sent_back=3,  # calls that the check stopped, in a and b
        mended=2,  # of these, "not done" and "done otherwise": not made after all
        trials=2,  # with a stopped call: a and b
        accepted=2,  # trials with an accepted answer: a and b
        right=1,  # trials with the score 1: a
        fallback=0,  # trials that ended with a fallback answer, as none was accepted
    )


def test_a_trial_without_stopped_calls_has_no_effects() -> None:
    assert gate_effects([trial("c", score=1.0)]) == ()
