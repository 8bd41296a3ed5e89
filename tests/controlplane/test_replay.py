"""The journal that comes with the repository replays exactly."""

from pathlib import Path

from tests.support.command import ROOT, controlplane

SAMPLE = ROOT / "runs/sample.jsonl"


def test_the_sample_journal_replays_byte_for_byte(tmp_path: Path) -> None:
    result = controlplane("replay", SAMPLE, "--verify", cwd=tmp_path)
    assert result.code == 0, result.err
    assert "3 steps: everything is as recorded" in result.out


def test_the_sample_shows_a_rejection_and_its_repair(tmp_path: Path) -> None:
    trial = controlplane("replay", SAMPLE, "--trial", "calendar-date.1", "--json", cwd=tmp_path).json
    accepted = [judged["accepted"] for step in trial["steps"] for judged in step["verdicts"]]
    assert (accepted, trial["score"]) == ([False, True], 1.0)
