"""Every command that takes a run finds it by several words."""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.support.command import check_error_line, run_in_process


@pytest.mark.parametrize(
    "word",
    [
        pytest.param("last", id="the newest run"),
        pytest.param("first", id="its name"),
        pytest.param("2026", id="a beginning of its id"),
    ],
)
def test_a_run_is_found(word: str, tmp_path: Path) -> None:
    journal_of_trials(
        tmp_path / "runs/20260422-0930.jsonl", [ReportedTrial("alpha")], name="first"
    )

    shown = run_in_process("show", word, "--json", cwd=tmp_path)

    assert shown.json["run"] == "20260422-0930"
    assert shown.json["name"] == "first"


def test_a_misspelled_run_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    journal_of_trials(
        tmp_path / "runs/20260422-0930.jsonl", [ReportedTrial("alpha")], name="first"
    )

    refused = run_in_process("show", "frist", cwd=tmp_path)

    check_error_line(refused, UsageError.exit_code, "did you mean 'first'?")
