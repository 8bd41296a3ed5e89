"""A check may stop a call before it is made, and the model does something else: a row in reports.

The check "provenance" stops a payment whose account comes from a text that is not trusted. What the
model did then is the end of the call: "not done", "done otherwise", or "repeated and sent".
"""

from controlplane.gate_effects import GateEffect, gate_effects
from controlplane.journal.totals.call_keys import CallKey
from controlplane.journal.totals.objections import Objections
from controlplane.journal.totals.trial_summary import TrialSummary


def trial(trial_id: str, *ends: str, score: float) -> TrialSummary:
    """Return a trial with a stopped payment for each end, and an accepted answer."""
    accepted = Objections(rejected=(), overridden=())
    stopped = {}
    for number, end in enumerate(ends):
        payment = CallKey("provenance", "pay", path="", arguments=str(number))
        stopped[payment] = end
    return TrialSummary(
        trial_id,
        "t",
        state="answered",
        score=score,
        submissions=[accepted],
        stopped=stopped,
    )


def test_stopped_calls_are_counted_with_the_ends_of_their_trials() -> None:
    """A call counts as mended if the model did not make it after all."""
    (effect,) = gate_effects(
        [
            trial("a", "not done", score=1.0),
            trial("b", "repeated and sent", "done otherwise", score=0.0),
            trial("c", score=1.0),  # no stopped call
        ]
    )

    assert effect == GateEffect(
        "provenance",
        sent_back=3,
        mended=2,  # "not done" and "done otherwise"
        trials=2,
        accepted=2,
        right=1,
        fallback=0,
    )


def test_a_trial_without_stopped_calls_has_no_effects() -> None:
    assert gate_effects([trial("c", score=1.0)]) == ()
