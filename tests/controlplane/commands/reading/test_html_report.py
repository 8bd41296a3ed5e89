"""`controlplane report` from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.controlplane.report.reported_run import Played, journal
from tests.support.command import Type, check_line


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for name in ("one", "two"):
        journal(tmp_path / "runs" / f"{name}.jsonl", [Played("a"), Played("b", 0.0)], name=f"{name}-name")
    return tmp_path


def test_one_file_holds_all_runs_and_the_command_says_so(runs: Path, type_in: Type) -> None:
    done = type_in("report", "one", "two-name", "-o", "out.html")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("report   out.html (0.")
    assert "4 trials of 2 runs" in done.out
    html = (runs / "out.html").read_text(encoding="utf-8")
    assert "one-name" in html
    assert "two-name" in html
    assert [each.name for each in runs.iterdir() if each.name.startswith(".")] == []


def test_json_tells_the_file_and_what_it_holds(runs: Path, type_in: Type) -> None:
    told = type_in("report", "one", "-o", "out.html", "--json").json
    assert told == {"file": "out.html", "bytes": (runs / "out.html").stat().st_size, "runs": 1, "trials": 2}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("one",), "Missing option '-o'"),
        (("-o", "out.html"), "Missing argument 'RUN...'"),
        (("three", "-o", "out.html"), "no run 'three'"),
        (("one", "one-name", "-o", "out.html"), "a second time"),
        (("one", "-o", "runs/two.jsonl"), "takes the name of an HTML file"),
        (("one", "-o", "nowhere/out.html"), "there is no directory nowhere"),
        (("one", "-o", "folder.html"), "is a directory"),
    ],
)
def test_what_is_wrong_is_told_in_one_line_and_nothing_is_written(
    runs: Path, type_in: Type, words: tuple[str, ...], says: str
) -> None:
    (runs / "folder.html").mkdir()
    before = {each: each.read_bytes() for each in runs.rglob("*") if each.is_file()}
    check_line(type_in("report", *words), 2, says)
    assert {each: each.read_bytes() for each in runs.rglob("*") if each.is_file()} == before


def test_a_damaged_journal_leaves_the_earlier_report(runs: Path, type_in: Type) -> None:
    type_in("report", "one", "-o", "out.html")
    before = (runs / "out.html").read_bytes()
    path = runs / "runs" / "two.jsonl"
    path.write_bytes(path.read_bytes().replace(b"state 1", b"state 2"))
    check_line(type_in("report", "one", "two", "-o", "out.html"), 5, "is damaged")
    assert (runs / "out.html").read_bytes() == before
