"""A report about two runs has a map of the tasks, which marks a task whose trials differ.

What is not known makes no difference. An outcome is the kind of an answer, such as "denied"; trials are
compared by it if their scores are not known.
"""

import pytest

from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.report.run_facts import TrialFacts
from controlplane.report.task_map import task_rows


def attempt(
    score: float | None, *, outcome: str = "ok", state: str = "answered"
) -> TrialFacts:
    """Return a trial of the task "t".

    The outcome is the kind of its answer, such as "denied". Trials can be compared by it if their
    scores are not known.
    """
    summary = TrialSummary("t", "t", state=state, score=score, outcome=outcome)
    return TrialFacts("a", 0, summary)


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
    first_run: list[TrialFacts], second_run: list[TrialFacts], differs: bool
) -> None:
    """The map has a row for each task."""
    (row,) = task_rows([first_run, second_run])

    assert row.differs is differs
