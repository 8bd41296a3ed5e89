"""What became of submissions that a gate or rule sent back."""

from __future__ import annotations

from controlplane.journal.run_summary import TrialSummary
from controlplane.report.repairs import repairs_of
from controlplane.report.reported_trial import TrialFacts

A, B = "gate 4: citations were read", "rule ecom/policy"


def tried(*submissions: set[str], score: float | None = 1.0) -> TrialFacts:
    summary = TrialSummary("t", "t", score=score)
    return TrialFacts("trial-1-1", 0, summary, "", tuple(map(frozenset, submissions)), ())


def test_the_next_submission_tells_whether_a_fault_was_mended() -> None:
    trials = [
        tried({A}, set()),
        tried({A, B}, {B}, {A}, score=0.0),
        tried({A}, {A}, set(), score=None),
        tried(set()),
        tried(),
    ]
    first, second = repairs_of(trials)
    assert (first.label, first.sent_back, first.mended, first.repeated, first.given_up) == (A, 5, 3, 1, 1)
    assert (len(first.trials), first.accepted, first.right, first.scored) == (3, 2, 1, 2)
    assert (second.label, second.sent_back, second.mended, second.repeated, second.given_up) == (B, 2, 1, 1, 0)
    assert (second.accepted, second.right) == (0, 0)
    assert first.outcome_texts == ["3 mended", "1 sent back again", "1 without a next try"]


def test_where_nothing_was_sent_back_there_is_nothing_to_tell() -> None:
    assert repairs_of([tried(set()), tried()]) == []
