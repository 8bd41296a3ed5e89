"""`report` writes recorded runs as one HTML file, which opens in a browser without a server.

The file has a table of the trials, worst first. The trials' pages are in it as compressed data, such as
"data-trial-1-2" of the second trial of the first run.
"""

import re
from pathlib import Path

import pytest

from controlplane.report.run_report import run_report
from tests.controlplane.report.packed_data import packed_data
from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial


@pytest.fixture
def journal_of_three_trials(tmp_path: Path) -> Path:
    """The journal of a run with the tasks right, wrong and half, of the scores 1, 0 and 0.5."""
    trials = [
        ReportedTrial("right", score=1.0),
        ReportedTrial("wrong", score=0.0, details=("no",)),
        ReportedTrial("half", score=0.5),
    ]
    return journal_of_trials(tmp_path / "a.jsonl", trials)


def test_a_report_counts_its_runs_and_trials(journal_of_three_trials: Path) -> None:
    report = run_report([journal_of_three_trials])

    assert report.runs == 1
    assert report.trials == 3


def report_html(*journals: Path) -> str:
    """Return the HTML of a report about runs."""
    return "".join(run_report(journals).pieces)


def test_every_trial_has_a_page_of_data(journal_of_three_trials: Path) -> None:
    """The numbers in a page's name are those of the run and of the trial in it."""
    data = packed_data(report_html(journal_of_three_trials))

    assert data["data-trial-1-1"]["task"] == "right"
    assert data["data-trial-1-2"]["task"] == "wrong"
    assert data["data-trial-1-3"]["task"] == "half"


def test_the_table_links_to_every_trial_worst_first(
    journal_of_three_trials: Path,
) -> None:
    html = report_html(journal_of_three_trials)

    _, _, table = html.partition('<table class="trials"')
    assert re.findall(r'<a href="#(trial-1-\d)">(\w+)<', table) == [
        ("trial-1-2", "wrong"),
        ("trial-1-3", "half"),
        ("trial-1-1", "right"),
    ]
