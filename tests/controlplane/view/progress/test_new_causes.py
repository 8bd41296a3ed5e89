"""Below the picture of a run, three causes of notices are shown, and the others are counted.

A notice is a text about a trial, such as "server 1 is away". Many may have the same cause.
"""

from controlplane.agent.events import Noticed
from controlplane.journal.totals.run_folding import fold_event
from controlplane.view.progress.question_display import NewCauses, NewNotices
from tests.support.run_summaries import run_with_trials


def lines_below_picture(*notices: str) -> list[str]:
    """Return what a terminal shows of these notices about one trial, none of which it has shown."""
    summary = run_with_trials(["loan.1"])
    for text in notices:
        fold_event(summary, Noticed(trial_id="loan.1", text=text))
    return list(NewCauses(NewNotices(shown=0)).lines(summary))


def test_three_causes_are_shown() -> None:
    lines = lines_below_picture(
        "server 1 is away", "server 2 is away", "server 3 is away"
    )

    assert lines == [
        "notice: server 1 is away",
        "notice: server 2 is away",
        "notice: server 3 is away",
    ]


def test_a_fourth_cause_is_counted() -> None:
    lines = lines_below_picture(
        "server 1 is away", "server 2 is away", "server 3 is away", "server 4 is away"
    )

    assert lines == [
        "notice: server 1 is away",
        "notice: server 2 is away",
        "notice: server 3 is away",
        "notice: 1 more cause",
    ]


def test_more_than_four_causes_are_counted_together() -> None:
    lines = lines_below_picture(
        "server 1 is away",
        "server 2 is away",
        "server 3 is away",
        "server 4 is away",
        "server 5 is away",
    )

    assert lines == [
        "notice: server 1 is away",
        "notice: server 2 is away",
        "notice: server 3 is away",
        "notice: 2 more causes",
    ]
