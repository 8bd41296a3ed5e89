import pytest

from agent.events import Judged, StepDone, VerdictRecord
from controlplane.journal.run_summary import TrialSummary
from controlplane.report.report_file import (
    SILENT,
    TrialFacts,
    failure_groups,
    labels_by_submission,
    repairs_of,
    task_rows,
)


def judged(*verdicts: VerdictRecord) -> Judged:
    accepted = not any(verdict.result == "reject" and verdict.enforcement != "off" for verdict in verdicts)
    return Judged(accepted=accepted, answer="", outcome="", refs=(), message="", verdicts=verdicts)


def rejects(gate: int, name: str, *, enforcement: str = "block") -> VerdictRecord:
    return VerdictRecord(gate=gate, name=name, result="reject", reason="why", enforcement=enforcement)


def test_gates_are_told_by_number_and_name_and_those_switched_off_send_nothing_back() -> None:
    first = judged(rejects(4, "citations were read"), rejects(0, "ecom/policy"), rejects(6, "class", enforcement="off"))
    steps = [StepDone(trial_id="t", step=1, verdicts=(first, judged())), StepDone(trial_id="t", step=2)]
    submissions = labels_by_submission(steps, lambda judged: judged.rejections)
    assert submissions == ({"gate 4: citations were read", "rule ecom/policy"}, set())
    assert TrialFacts("a", 0, TrialSummary("t"), submissions).times_sent_back == 1


def facts(name: str, *details: str, run: int = 0, score: float | None = 0.0, state: str = "answered") -> TrialFacts:
    summary = TrialSummary(name, name, state=state, score=score, details=details)
    return TrialFacts(f"trial-{run + 1}-{name}", run, summary, ())


def test_groups_hold_the_exact_words_and_count_each_trial_once_the_largest_first() -> None:
    trials = [
        facts("a", "missing /x", "missing /y", "late"),
        facts("b", "missing /z", run=1),
        facts("c", score=1.0),
        facts("d"),
        facts("e", "delivered avg 9.5 of 10", score=0.83),
    ]
    first, *others = failure_groups(trials, 2)
    assert (first.title, first.trials) == ("missing …", (1, 1))
    assert [words for _, words in first.failures] == ["missing /x", "missing /y", "missing /z"]
    assert [(other.title, other.trials) for other in others] == [("late", (1, 0)), (SILENT, (1, 0))]


A, B = "gate 4: citations were read", "rule ecom/policy"


def tried(*submissions: set[str], score: float | None = 1.0) -> TrialFacts:
    summary = TrialSummary("t", "t", state="answered", score=score)
    return TrialFacts("trial-1-1", 0, summary, tuple(map(frozenset, submissions)))


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


def played(task: str, score: float | None, outcome: str = "ok", state: str = "answered") -> TrialFacts:
    return TrialFacts("a", 0, TrialSummary(task, task, state=state, score=score, outcome=outcome), ())


@pytest.mark.parametrize(
    ("cells", "blinks", "agrees"),
    [
        ([[played("t", 1.0)], [played("t", 1.0)]], False, False),
        ([[played("t", 1.0)], [played("t", 0.5)]], True, False),
        ([[played("t", 1.0), played("t", 0.0)], []], True, False),
        ([[played("t", 1.0)], [played("t", None)]], False, False),
        ([[played("t", None, "ok")], [played("t", None, "denied")]], True, False),
        ([[played("t", None, "ok")], [played("t", None, "ok")]], False, True),
        ([[played("t", None, "ok")], [played("t", None, "", "running")]], False, False),
    ],
)
def test_a_task_blinks_if_its_tries_differ(cells: list[list[TrialFacts]], blinks: bool, agrees: bool) -> None:
    (row,) = task_rows(cells)
    assert (row.blinks, row.agrees) == (blinks, agrees)
