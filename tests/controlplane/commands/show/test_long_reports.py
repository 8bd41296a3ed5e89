"""`show` prints the 20 worst trials of a large run, so that the report fits a terminal.

The rest is counted: "5 more trials". A family of tasks with similar scores is one line: "0.00  family0
×4".
"""

import re
from pathlib import Path

from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.support.command import run_in_process
from tests.support.terminal import Terminal


def test_a_report_shows_the_20_worst_trials_and_counts_the_rest(tmp_path: Path) -> None:
    trials = []
    for number in range(1, 26):
        # seat-05, seat-10, seat-15, seat-20 and seat-25 have failed.
        is_right = number % 5 != 0
        trials.append(ReportedTrial(f"seat-{number:02}", score=float(is_right)))
    journal_of_trials(tmp_path / "runs/first.jsonl", trials, name="first")

    shown = run_in_process("show", "first", cwd=tmp_path, COLUMNS="80")

    table, _, rest = shown.out.partition("\n5 more trials\n")
    tasks = re.findall(r"^seat-\d+", table, re.MULTILINE)
    assert len(tasks) == 20
    worst_tasks = tasks[:5]
    assert worst_tasks == ["seat-05", "seat-10", "seat-15", "seat-20", "seat-25"]
    assert rest.startswith("mean score 0.800 over 25 of 25 trials\n")
    assert re.search(r" show first --all$", rest.rstrip())  # the command for the rest


def test_a_terminal_of_24_lines_holds_the_essentials_of_80_trials(
    tmp_path: Path,
) -> None:
    """The user should not have to scroll up to learn why trials failed."""
    trials = []
    for family in range(20):
        # Family 0 has the score 0, family 1 the score 0.05, and so on to 0.95.
        for number in range(4):
            task = f"family{family}.{number}"
            trials.append(ReportedTrial(task, score=family / 20, details=("not it",)))
    journal_of_trials(tmp_path / "runs/many.jsonl", trials, name="many")

    with Terminal("show", "many", cwd=tmp_path, columns=80, rows=24) as terminal:
        assert terminal.finish() == 0
        screen = terminal.text

    assert "many · " in screen  # the title
    assert "family0.0" in screen  # the worst trial
    assert "not it" in screen  # why it failed
    assert "more trials" in screen
    assert "mean score 0.475" in screen
    assert "0.00  family0 ×4" in screen  # the worst family
    assert "next " in screen  # a command to type
    assert " --all" in screen  # the command for the whole table
