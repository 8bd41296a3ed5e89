"""Below the picture of a run, three causes of notices are shown, and the others are counted.

A notice is a text about a trial, such as "server 1 is away". Many may have the same cause.
"""

import sys
from pathlib import Path

from controlplane.agent.events import Noticed
from controlplane.facts.run_facts import run_details
from controlplane.journal.totals.run_summary import fold_event
from controlplane.view.progress import NewNotices
from tests.support.run_summaries import run_with_trials
from tests.support.terminal import Terminal

# A command that takes long shows on a terminal what it works on, in a line that goes away.


def test_a_terminal_shows_what_takes_long_only_while_it_lasts(tmp_path: Path) -> None:
    script = """
import time
from controlplane.commands.arguments.options import show_status

with show_status("counting") as change_text:
    time.sleep(0.5)
    change_text("counting: 2 of 3")
    time.sleep(0.5)
print("counted")
"""
    with Terminal(cwd=tmp_path, argv=(sys.executable, "-c", script)) as terminal:
        terminal.wait_for("counting: 2 of 3")

        assert terminal.finish() == 0
        assert terminal.is_as_before
        assert terminal.text.strip() == "counted"


def lines_below_picture(*notices: str) -> list[str]:
    """Return what a terminal shows of these notices about one trial, none of which it has shown."""
    summary = run_with_trials(["loan.1"])
    for text in notices:
        fold_event(summary, Noticed(trial_id="loan.1", text=text))
    return NewNotices(shown=0).causes(run_details(summary, Path("run.jsonl")))


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
