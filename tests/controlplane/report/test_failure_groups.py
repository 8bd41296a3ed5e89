"""Groups of failed trials with the same reason, and tasks that differ between runs, in reports.

The reasons "missing /x" and "missing /y" are of one group, "missing …", so that a user sees what went
wrong most often. A map of the tasks marks those with different scores in two runs.
"""

import pytest

from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.report.failure_groups import SILENT, failure_groups
from controlplane.report.task_map import task_rows
from controlplane.report.trial_facts import TrialFacts


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


class TestFailureGroups:
    """Failed trials are grouped by the grader's reasons, without paths and numbers.

    The trials of two runs, of which only b is of the second one:

        a   score 0      "missing /x", "missing /y", "late"
        b   score 0      "missing /z"
        c   score 1
        d   score 0      no reason
        e   score 0.83   "delivered avg 9.5 of 10"
    """

    def test_failures_are_grouped_by_their_reasons_without_paths_and_numbers(
        self,
    ) -> None:
        """The three reasons "missing ..." of a and b are one group. Those of c and e are of
        none."""
        groups = failure_groups(FAILED_AND_RIGHT_TRIALS, run_count=2)

        assert [group.title for group in groups] == ["missing …", "late", SILENT]
        missing, _late, _silent = groups
        reasons = [failure.words for failure in missing.failures]
        assert reasons == ["missing /x", "missing /y", "missing /z"]

    def test_a_group_of_failures_counts_each_trial_of_a_run_once(self) -> None:
        """The trial a has two reasons "missing ...", and counts once. The numbers are those of the
        first and of the second run."""
        missing, late, silent = failure_groups(FAILED_AND_RIGHT_TRIALS, run_count=2)

        assert missing.trials_by_run == (1, 1)
        assert late.trials_by_run == (1, 0)
        assert silent.trials_by_run == (1, 0)


def attempt(
    score: float | None, *, outcome: str = "ok", state: str = "answered"
) -> TrialFacts:
    """Return a trial of the task "t".

    The outcome is the kind of its answer, such as "denied". Trials can be compared by it if their
    scores are not known.
    """
    summary = TrialSummary("t", "t", state=state, score=score, outcome=outcome)
    return TrialFacts("a", 0, summary)


class TestTaskMap:
    """The map of the tasks of two runs marks a task whose trials differ.

    What is not known makes no difference. An outcome is the kind of an answer, such as "denied".
    """

    @pytest.mark.parametrize(
        ("first_run", "second_run", "differs"),
        [
            pytest.param([attempt(1.0)], [attempt(1.0)], False, id="the same score"),
            pytest.param([attempt(1.0)], [attempt(0.5)], True, id="another score"),
            pytest.param(
                [attempt(1.0), attempt(0.0)], [], True, id="two scores in one run"
            ),
            pytest.param(
                [attempt(1.0)],
                [attempt(None)],
                False,
                id="one of the scores is unknown",
            ),
            pytest.param(
                [attempt(None, outcome="ok")],
                [attempt(None, outcome="denied")],
                True,
                id="no scores, another outcome",
            ),
            pytest.param(
                [attempt(None, outcome="ok")],
                [attempt(None, outcome="ok")],
                False,
                id="no scores, the same outcome",
            ),
            pytest.param(
                [attempt(None, outcome="ok")],
                [attempt(None, outcome="", state="running")],
                False,
                id="one trial is not over",
            ),
        ],
    )
    def test_a_task_differs_if_its_attempts_have_other_scores_or_outcomes(
        self, first_run: list[TrialFacts], second_run: list[TrialFacts], differs: bool
    ) -> None:
        """The map has a row for each task."""
        (row,) = task_rows([first_run, second_run])

        assert row.differs is differs
