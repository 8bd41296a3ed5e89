"""`rescore` asks today's grader about the recorded answer and the end state, which it rebuilds."""

from pathlib import Path

import pytest

from benchmarks.ecom import ecom_benchmark
from benchmarks.ecom.tasks.grader import Grade, grade
from controlplane import open_journal
from tests.support.command import ROOT, Result, Type, check_line, controlplane


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a run with a refund, which changes files, and a look-up."""
    folder = tmp_path_factory.mktemp("played")
    return (
        folder
        / controlplane(
            "run", "refund-approval.1", "calendar-date.1", "--set", "wordings=known", "--json", cwd=folder
        ).json["journal"]
    )


def test_the_same_grader_gives_the_same_scores(played: Path, type_in: Type) -> None:
    found = type_in("rescore", str(played), "--json").json
    assert [(each["before"], each["after"], each["problem"]) for each in found["trials"]] == [(1.0, 1.0, "")] * 2
    assert "2 trials graded anew, 0 changed" in type_in("rescore", str(played)).out
    records = [each.record for each in open_journal(played).trials.values()]
    calls = [call for record in records for step in record.steps for call in step.calls]
    assert calls, "the refund made no call, so this test shows nothing"


def test_another_grader_is_asked_about_the_same_answers(
    played: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stricter(truth: object, environment: object) -> Grade:
        found = grade(truth, environment)
        changes = environment.changes
        return Grade(0.25, ("too short",)) if not changes else found

    monkeypatch.setattr(ecom_benchmark, "grade", stricter)
    before = played.read_bytes()
    found = type_in("rescore", str(played))
    assert "1 changed" in found.out
    assert "too short" in found.out
    assert "mean score 1.000 before, 0.625 after" in found.out
    assert played.read_bytes() == before


def test_runs_whose_worlds_cannot_be_rebuilt_are_refused(recorded: tuple[Path, Result], type_in: Type) -> None:
    check_line(type_in("rescore", str(next((recorded[0] / "runs").glob("*.jsonl")))), 2, "cannot rebuild the end state")
    check_line(type_in("rescore", str(ROOT / "runs/sample.jsonl")), 2, "cannot be graded anew")
