"""Commands show the metrics of a grader, numbers besides the score, for example `security`."""

from pathlib import Path
from typing import Any

import pytest

import controlplane
from controlplane import Task
from tests.controlplane.library.program_tasks import open_cash_desk
from tests.support.command import run_in_process


@pytest.fixture
def folder(settings: dict[str, Any], tmp_path: Path) -> Path:
    """A folder with two runs: `security` is 1 in the run "before", and 0.25 in the run "after"."""
    for name, security in (("before", 1.0), ("after", 0.25)):
        task = Task(
            "pay.1",
            "Pay 2.5.",
            environment=open_cash_desk,
            grade=lambda end, security=security: (1.0, [], {"security": security}),
        )
        controlplane.run([task], name=name, **settings)
    return tmp_path


def test_show_prints_metrics(folder: Path) -> None:
    shown = run_in_process("show", "after", cwd=folder)

    assert shown.code == 0, shown.err
    assert "security 0.250" in shown.out


def test_replay_prints_metrics_beside_the_score(folder: Path) -> None:
    replay = run_in_process("replay", "after", "--trial", "pay.1", cwd=folder)

    assert replay.code == 0, replay.err
    assert "score 1.00 · security 0.250" in replay.out


def test_compare_prints_the_difference_of_metrics(folder: Path) -> None:
    comparison = run_in_process("compare", "before", "after", cwd=folder)

    assert comparison.code == 0, comparison.err
    assert "security 1.000 → 0.250, difference -0.750" in comparison.out


def test_report_has_metrics_on_its_page(folder: Path) -> None:
    report = run_in_process("report", "after", "-o", "report.html", cwd=folder)

    assert report.code == 0, report.err
    page = (folder / "report.html").read_text()
    assert "security" in page
    assert "0.250" in page


def test_export_has_metrics_as_json_in_a_cell(folder: Path) -> None:
    export = run_in_process("export", "after", "--to", "trials.csv", cwd=folder)

    assert export.code == 0, export.err
    # A CSV file has each quote in a cell twice.
    assert '""security"": 0.25' in (folder / "trials.csv").read_text()
