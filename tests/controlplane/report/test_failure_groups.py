"""Failures are grouped by the grader's words, whatever values they name."""

from __future__ import annotations

import pytest

from controlplane.journal.run_summary import TrialSummary
from controlplane.report.failure_groups import SILENT, failure_groups, has_failed, kind_of_fault
from controlplane.report.reported_trial import TrialFacts


def facts(name: str, *details: str, run: int = 0, score: float | None = 0.0, state: str = "answered") -> TrialFacts:
    summary = TrialSummary(name, name, state=state, score=score, details=details)
    return TrialFacts(f"trial-{run + 1}-{name}", run, summary, "", (), ())


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("answer should be '42'", "answer should be …"),
        ('answer should be "a b"', "answer should be …"),
        ("answer should be '[QTY:3]'", "answer should be …"),
        ("no answer within 35 + 5 steps", "no answer within … + … steps"),
        ("references under /docs: missing /docs/a.md, /docs/b c/d.md", "references under …: missing …"),
        ("references under /a: missing /a/Osier & Oak/x-1.json", "references under …: missing …"),
        ("/a/b.json differs from /a/c.json", "… differs from …"),
        ("expected outcome OUTCOME_OK, got OUTCOME_NONE", "expected outcome OUTCOME_OK, got OUTCOME_NONE"),
        ("1,200.50 EUR of 3", "… EUR of …"),
        ("x" * 500, "x" * 159 + "…"),
        ("", ""),
    ],
)
def test_a_kind_of_fault_leaves_out_what_differs_from_trial_to_trial(words: str, kind: str) -> None:
    assert kind_of_fault(words) == kind


def test_groups_hold_the_exact_words_and_count_each_trial_once_the_largest_first() -> None:
    trials = [
        facts("a", "missing /x", "missing /y", "late"),
        facts("b", "missing /z", run=1),
        facts("c", score=1.0),
        facts("d"),
    ]
    first, *others = failure_groups(trials, 2)
    assert (first.title, first.trials) == ("missing …", (1, 1))
    assert [each.words for each in first.failures] == ["missing /x", "missing /y", "missing /z"]
    assert [(each.title, each.trials) for each in others] == [("late", (1, 0)), (SILENT, (1, 0))]


def test_a_fault_that_came_up_once_keeps_its_words() -> None:
    (group,) = failure_groups([facts("a", "missing /x")], 1)
    assert group.title == "missing /x"


@pytest.mark.parametrize(
    ("score", "state", "failed"),
    [
        *((0.0, "answered", True), (0.9, "answered", True), (1.0, "fallback", False), (None, "answered", False)),
        *((None, "fallback", True), (None, "failed", True), (None, "open", False), (None, "waiting", False)),
    ],
)
def test_absent_is_not_zero(score: float | None, state: str, failed: bool) -> None:
    assert has_failed(facts("t", score=score, state=state)) is failed
