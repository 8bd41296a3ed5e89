"""`judge --grader` grades recorded answers again, for example after a grader was corrected.

The benchmark rebuilds the end of each trial from the recorded calls, and its present grader gives a
score. The command prints "mean score 1.000 before, 0.625 after" and what has changed; the journal keeps
the old scores. The run has a refund, which changes files, and the look-up of a date.
"""

import re
from pathlib import Path

import pytest

from controlplane import open_journal
from controlplane.benchmarks.ecom import ecom_benchmark
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import TaskTruth
from controlplane.errors import UsageError
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import RunOpened
from controlplane.tool_benchmark.local_runs import Grade
from tests.support.command import CommandRunner, check_error_line, run_controlplane
from tests.support.journals import read_events
from tests.support.product_files import ROOT
from tests.support.recorded_run import RecordedRun


@pytest.fixture(scope="session")
def shop_journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a run with two tasks of the shop: a refund, which changes
    files, and the look-up of a date, which does not."""
    folder = tmp_path_factory.mktemp("shop")
    run = run_controlplane(
        "run",
        "refund-approval.1",
        "calendar-date.1",
        "--model=baseline",
        "--set=wordings=known",
        "--json",
        cwd=folder,
    )
    return folder / run.json["journal"]


# `judge --grader` refuses a run whose end cannot be rebuilt, or only with other data.
#
# A grader looks at the files at the end of a trial. Without them, its score would mean nothing.


def copy_with_other_version_of_worlds(source: Path, folder: Path) -> Path:
    """Copy a journal as if its tasks had been played in another version of the worlds.

    The versions of all parts are in the event that opens the run.
    """
    copy = folder / "other-worlds.jsonl"
    with JournalWriter(copy, create=True) as journal:
        for event in read_events(source):
            if isinstance(event, RunOpened):
                versions = event.versions.model_copy(update={"world": "another"})
                event = event.model_copy(update={"versions": versions})
            journal.write(event)
    return copy


def test_a_benchmark_that_cannot_rebuild_its_trials_cannot_be_graded_again(
    recorded: RecordedRun, run_command_here: CommandRunner
) -> None:
    """The benchmark of the run "first" cannot make the data of a trial as they were at its
    end."""
    refused = run_command_here("judge", "--grader", str(recorded.journal))

    check_error_line(refused, UsageError.exit_code, "cannot rebuild the end state")


def test_a_run_in_another_version_of_the_worlds_cannot_be_graded_again(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """`--trust` says that the journal, which has been changed, is to be taken as one's own."""
    # A journal in the repository: one trial of three steps, calendar-date.1.
    sample_journal = ROOT / "runs/sample.jsonl"
    journal = copy_with_other_version_of_worlds(sample_journal, tmp_path)
    refused = run_command_here("judge", "--grader", str(journal), "--trust")

    check_error_line(refused, UsageError.exit_code, "cannot be graded again")


def test_the_refund_has_made_calls(shop_journal: Path) -> None:
    """Otherwise the tests below would not show that the calls are made again."""
    calls = []
    for trial in open_journal(shop_journal).trials.values():
        for step in trial.record.step_summaries:
            calls += step.calls

    assert calls


def test_the_same_grader_gives_the_same_scores(
    shop_journal: Path, run_command_here: CommandRunner
) -> None:
    """The recorded calls are made again, so that the grader sees the changed files."""
    printed = run_command_here("judge", "--grader", str(shop_journal))
    judged = run_command_here("judge", "--grader", str(shop_journal), "--json")

    assert "2 trials graded again, 0 changed" in printed.out
    assert len(judged.json["trials"]) == 2
    for trial in judged.json["trials"]:
        assert trial["after"] == trial["before"]
        assert trial["problem"] == ""


def test_another_grader_gives_other_scores_to_the_same_answers(
    shop_journal: Path,
    run_command_here: CommandRunner,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The shop's grader is replaced by one that gives the first of the two answers 0.25."""
    graded: list[TaskTruth] = []

    def stricter_grade(truth: TaskTruth, environment: EcomEnvironment) -> Grade:
        graded.append(truth)
        if len(graded) == 1:
            return Grade(0.25, ("too short",))
        return grade(truth, environment)

    monkeypatch.setattr(ecom_benchmark, "grade", stricter_grade)
    journal_before = shop_journal.read_bytes()

    judged = run_command_here("judge", "--grader", str(shop_journal))

    assert "1 changed" in judged.out
    assert "too short" in judged.out
    assert re.search(r"mean score \d\.\d+ before, \d\.\d+ after", judged.out)
    assert shop_journal.read_bytes() == journal_before


def test_a_grader_that_gives_no_score_is_told_beside_the_means(
    shop_journal: Path,
    run_command_here: CommandRunner,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        ecom_benchmark, "grade", lambda truth, environment: Grade(2.0, ())
    )

    printed = run_command_here("judge", "--grader", str(shop_journal))
    judged = run_command_here("judge", "--grader", str(shop_journal), "--json")

    reason = "the score 2 is not from 0 to 1"
    text = f"before, - after, 2 without a score ({reason} ×2)"
    assert text in " ".join(printed.out.split())
    assert judged.json["unscored"] == 2
    assert judged.json["trials"][0]["after"] is None
    assert judged.json["trials"][0]["unscored"] == reason
