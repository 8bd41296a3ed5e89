"""Reports for tests in a real browser: HTML files about one run, two runs, and hostile ones.

    reports = write_reports(folder)
    browser.open(reports.of_one_run)

The run has the trials alpha, beta, gamma and delta.
"""

from pathlib import Path
from typing import NamedTuple

from controlplane.report.run_report import run_report
from tests.controlplane.report.hostile_journal import hostile_journal
from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial

LONG_TEXT = "a long text that is shown when it is unfolded " * 40
TRIALS = [
    ReportedTrial(
        "alpha",
        score=0.0,
        details=("answer should be '4'", "/docs/a.md is missing"),
        rejected_answers=1,
    ),
    ReportedTrial("beta", score=0.5, details=("answer should be '7'",), steps=12),
    ReportedTrial("gamma", score=1.0, text=LONG_TEXT),
    ReportedTrial("delta", score=1.0, steps=2),
]
"""The trials of the run that most tests look at. Their mean score is 0.625."""


class Reports(NamedTuple):
    """Report files."""

    of_one_run: Path
    """About the run with `TRIALS`."""
    of_two_runs: Path
    """About that run and another one."""
    of_hostile_runs: Path
    """About two runs whose texts are HTML with scripts."""


def write_report(path: Path, *journals: Path) -> Path:
    """Write a report about runs, and return its path."""
    path.write_text("".join(run_report(journals).pieces), encoding="utf-8")
    return path


def write_reports(folder: Path) -> Reports:
    """Write the three report files into the folder."""
    first = journal_of_trials(folder / "a.jsonl", TRIALS)
    trials_of_second_run = [
        ReportedTrial("alpha", score=1.0),
        ReportedTrial("beta", score=0.5),
        ReportedTrial("new", score=None),
    ]
    second = journal_of_trials(folder / "b.jsonl", trials_of_second_run, name="second")
    hostile = hostile_journal(folder / "h.jsonl")
    other_hostile = hostile_journal(folder / "i.jsonl")
    return Reports(
        of_one_run=write_report(folder / "one.html", first),
        of_two_runs=write_report(folder / "two.html", first, second),
        of_hostile_runs=write_report(folder / "hostile.html", hostile, other_hostile),
    )
