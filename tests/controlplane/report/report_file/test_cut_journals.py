"""A run whose journal breaks off anywhere in a trial is reported.

A journal is the record of a run, a file with an event in each line. A kill may cut it off. The report,
an HTML file, says "The run was cut off".
"""

from pathlib import Path

from controlplane.report.run_report import run_report
from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.support.journals.read_events import first_line_with


def test_a_journal_that_breaks_off_anywhere_in_a_trial_is_reported(
    tmp_path: Path,
) -> None:
    """The journal of two trials is cut off in the middle of each line of the second one."""
    trials = [ReportedTrial("over"), ReportedTrial("cut", steps=3)]
    journal = journal_of_trials(tmp_path / "a.jsonl", trials, closed=False)
    lines = journal.read_bytes().splitlines(keepends=True)
    start_of_second_trial = first_line_with(
        b'"trial_started","trial_id":"cut-r1"', lines
    )

    for whole_lines in range(start_of_second_trial, len(lines)):
        cut_journal = tmp_path / f"cut-{whole_lines}.jsonl"
        begun_line = lines[whole_lines][:40]
        cut_journal.write_bytes(b"".join(lines[:whole_lines]) + begun_line)

        report = run_report([cut_journal])

        assert report.trials == 2
        assert "The run was cut off" in "".join(report.pieces)
