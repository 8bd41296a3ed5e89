"""`rerun` plays the trials that it is told to, in their worlds, into a journal that names its parent."""

import shutil
from pathlib import Path

import pytest

from controlplane import open_journal
from tests.support.command import ROOT, Result, Type, check_line

FAILING = ["seat-005", "seat-010", "seat-015", "seat-020", "seat-025"]


@pytest.fixture
def runs(recorded: tuple[Path, Result], tmp_path: Path) -> Path:
    """A folder of its own with the recorded run, whose journal it returns."""
    shutil.copytree(recorded[0] / "runs", tmp_path / "runs")
    return next((tmp_path / "runs").glob("*.jsonl"))


@pytest.mark.parametrize(
    ("flags", "tasks"),
    [
        (("--below", "1"), FAILING),
        (("--trials", "seat-003", "--trials", "seat-005-t4"), ["seat-003", "seat-005"]),
        (("--below", "1", "--failed", "--trials", "seat-001"), ["seat-001", *FAILING]),
    ],
)
def test_it_plays_what_it_is_told_to_and_names_its_parent(
    flags: tuple[str, ...], tasks: list[str], type_in: Type, runs: Path
) -> None:
    found = type_in("rerun", "first", *flags, "--name", "again", "--json").json
    assert [each["task_id"] for each in found["trials"]] == tasks
    journal = open_journal(Path(found["journal"]))
    assert journal.opened.parent is not None
    assert (journal.opened.parent.run, journal.opened.parent.how) == (runs.stem, "rerun")
    assert journal.opened.name == "again"
    assert type_in("replay", "again", "--verify").code == 0
    compared = type_in("compare", "first", f"{runs.stem}+again", "--json").json
    assert (len(compared["tasks"]), compared["unpaired"]) == (25, [])


def test_the_worlds_are_those_of_the_tries_that_it_plays(type_in: Type) -> None:
    whole = type_in("run", "calendar-date.1", "--repeats", "3", "--seed", "5", "--json").json
    second = whole["trials"][1]["trial_id"]
    again = type_in("rerun", "last", "--trials", second, "--json").json
    assert len(again["trials"]) == 1
    then, now = (open_journal(Path(each["journal"])) for each in (whole, again))
    (trial,) = now.trials.values()
    assert (trial.summary.number, trial.summary.instruction) == (1, then.trials[second].summary.instruction)
    assert trial.summary.answer == then.trials[second].summary.answer
    assert "compare" in type_in("show", "last").out


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--failed",), "is so; see them with: "),
        (("--trials", "seat-999"), "no trial 'seat-999'"),
        (("--base-url", "ftp://x"), "--base-url"),
    ],
)
def test_what_cannot_be_played_is_said_in_one_line(
    flags: tuple[str, ...], says: str, type_in: Type, runs: Path
) -> None:
    check_line(type_in("rerun", "first", *flags), 2, says)
    assert len(list(runs.parent.glob("*.jsonl"))) == 1


def test_a_run_of_other_worlds_is_not_played_again(type_in: Type, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs/examples", tmp_path / "docs/examples")
    shutil.copy(ROOT / "runs/sample.jsonl", tmp_path / "sample.jsonl")
    check_line(type_in("rerun", "sample.jsonl", "--trials", "calendar-date.1"), 2, "cannot be played")
