"""Failed trials are grouped by the grader's reasons, without paths and numbers, in reports.

The reasons "missing /x" and "missing /y" are of one group, "missing …", so that a user sees what went
wrong most often. The trials of two runs, of which only b is of the second one:

    a   score 0      "missing /x", "missing /y", "late"
    b   score 0      "missing /z"
    c   score 1
    d   score 0      no reason
    e   score 0.83   "delivered avg 9.5 of 10"
"""

from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.report.run_facts import TrialFacts
from controlplane.report.run_pages import SILENT, failure_groups


def answered_trial(
    task: str, *, run: int = 0, score: float | None = 0.0, details: tuple[str, ...] = ()
) -> TrialFacts:
    """Return a trial on a page about several runs; `run` is the index of its own.

    `details` are the grader's reasons for the score.
    """
    summary = TrialSummary(task, task, state="answered", score=score, details=details)
    return TrialFacts(f"trial-{run + 1}-{task}", run, summary)


FAILED_AND_RIGHT_TRIALS = [
    answered_trial("a", details=("missing /x", "missing /y", "late")),
    answered_trial("b", details=("missing /z",), run=1),
    answered_trial("c", score=1.0),
    # A failure without a reason.
    answered_trial("d"),
    # Not a failure: the score is above 0.
    answered_trial("e", details=("delivered avg 9.5 of 10",), score=0.83),
]
"""The trials of two runs. Only b is of the second run."""


def test_failures_are_grouped_by_their_reasons_without_paths_and_numbers() -> None:
    """The three reasons "missing ..." of a and b are one group. Those of c and e are of
    none."""
    groups = failure_groups(FAILED_AND_RIGHT_TRIALS, run_count=2)

    assert [group.title for group in groups] == ["missing …", "late", SILENT]
    missing, _late, _silent = groups
    reasons = [failure.words for failure in missing.failures]
    assert reasons == ["missing /x", "missing /y", "missing /z"]


def test_a_group_of_failures_counts_each_trial_of_a_run_once() -> None:
    """The trial a has two reasons "missing ...", and counts once. The numbers are those of the
    first and of the second run."""
    missing, late, silent = failure_groups(FAILED_AND_RIGHT_TRIALS, run_count=2)

    assert missing.trials_by_run == (1, 1)
    assert late.trials_by_run == (1, 0)
    assert silent.trials_by_run == (1, 0)
