"""The index tells what the journals tell, whatever becomes of it or of them."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from controlplane.journal.journal_file import newest_first
from controlplane.journal.run_summary import RunSummary, TrialSummary
from controlplane.view import run_results
from controlplane.view.run_results import INDEX_FILE, cases_of_run, indexed_names, indexed_runs, write_junit
from tests.support.command import Type
from tests.support.scored_journal import scored_journal


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    runs = tmp_path / "runs"
    runs.mkdir()
    for at in range(4):
        scored_journal(runs / f"r{at}.jsonl", {"a": [at / 4], "b": [1.0]})
    (runs / "letter.jsonl").write_text("a letter\n")
    return runs


def told(folder: Path) -> list[object]:
    return [run.model_dump() for run in indexed_runs(folder, newest_first(folder))]


def without_index(folder: Path, elsewhere: Path) -> list[object]:
    """What is told of the same files where no index can be."""
    copy = shutil.copytree(folder, elsewhere)
    (copy / INDEX_FILE).unlink(missing_ok=True)
    paths = [copy / each.name for each in newest_first(folder)]
    found = [run.model_dump() for run in indexed_runs(copy, paths)]
    return [{**one, "error": str(one["error"]).replace(str(copy), str(folder))} for one in found]


def read_journals(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The journals that are read from here on."""
    found: list[Path] = []
    glance = run_results.glance_at
    monkeypatch.setattr(run_results, "glance_at", lambda path, **how: (found.append(path), glance(path, **how))[1])
    return found


def test_a_journal_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = read_journals(monkeypatch)
    first = told(folder)
    assert len(read) == 5
    assert told(folder) == first
    assert len(read) == 5


def swap(folder: Path) -> None:
    (folder / "r0.jsonl").replace(folder / "x.jsonl")
    (folder / "r1.jsonl").replace(folder / "r0.jsonl")


def edit_in_place(folder: Path) -> None:
    path = folder / "r1.jsonl"
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b'"score":0.25', b'"score":0.35'))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "r2.jsonl").unlink(),
        lambda folder: scored_journal(folder / "new.jsonl", {"a": [0.5]}),
        lambda folder: (folder / "r3.jsonl").write_bytes((folder / "r3.jsonl").read_bytes()[:-100]),
        lambda folder: (folder / INDEX_FILE).unlink(),
        lambda folder: (folder / INDEX_FILE).write_bytes(b"no index"),
        lambda folder: (folder / INDEX_FILE).write_bytes((folder / INDEX_FILE).read_bytes()[:-50]),
        lambda folder: (folder / INDEX_FILE).write_text('{"form": 2, "lines": {}}'),
        swap,
        edit_in_place,
    ],
)
def test_what_changed_since_is_told_as_it_is(change: Callable[[Path], object], folder: Path, tmp_path: Path) -> None:
    told(folder)
    change(folder)
    assert told(folder) == without_index(folder, tmp_path / "copy")


def test_without_a_place_for_the_index_the_list_is_the_same(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, *data: object, missing_ok: bool = False) -> int:
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    expected = without_index(folder, tmp_path / "copy")
    monkeypatch.setattr(Path, "write_bytes", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)  # such a file system refuses this even of a file that is not there
    assert told(folder) == expected
    assert not (folder / INDEX_FILE).exists()


def test_runs_are_found_by_their_names_with_and_without_it(type_in: Type) -> None:
    type_in("run", "calendar-date.1", "--name", "mine", "--quiet")
    (journal,) = newest_first(Path("runs"))
    assert indexed_names(Path("runs"), [journal]) == {}
    assert type_in("runs", "--json").json[0]["name"] == "mine"
    assert indexed_names(Path("runs"), [journal]) == {journal: "mine"}
    assert type_in("show", "mine").code == 0


def test_a_list_names_the_options_that_were_set(type_in: Type) -> None:
    type_in("run", "calendar-date.1", "--set", "profile=dev", "--set", "names=own", "--quiet")
    assert "ecom names=own profil" in type_in("runs").out  # It is cut where the line is narrow.
    assert type_in("runs", "--json").json[0]["played"] == "ecom names=own profile=dev"
    assert "-dev-" in type_in("show", "last", "--json").json["trials"][0]["trial_id"]


def test_trials_pass_fail_err_or_are_skipped(tmp_path: Path) -> None:
    hostile = "\x00\x1b[31m <b>&\ud800"
    trials = [
        TrialSummary("right", state="answered", score=1.0),
        TrialSummary("wrong", state="answered", score=0.5, details=(hostile,)),
        TrialSummary("sealed", state="answered"),
        TrialSummary("lost", state="fallback", score=0.0, reason="no steps left"),
        TrialSummary("never", state="failed", reason="refused"),
    ]
    path = tmp_path / "r.xml"
    write_junit(path, "run", cases_of_run(RunSummary(trials={trial.trial_id: trial for trial in trials})))
    root = ElementTree.parse(path).getroot()
    kinds = {case.get("name"): [each.tag for each in case] for case in root}
    assert kinds == {"right": [], "wrong": ["failure"], "sealed": ["skipped"], "lost": ["error"], "never": ["error"]}
    assert [root.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["5", "1", "2", "1"]
    assert "score 0.500" in path.read_text(encoding="utf-8")


def test_run_writes_the_file_and_fails_under_a_score(script: Path, type_in: Type, tmp_path: Path) -> None:
    crowd = ("run", "--benchmark", "tests.support.many_trials:5", "--model", f"scripted:{script}", "--quiet")
    assert type_in(*crowd, "--fail-under", "0.8").code == 0
    assert type_in(*crowd, "--fail-under", "nan").code == 1
    low = type_in(*crowd, "--fail-under", "0.9", "--junit", "r.xml")
    assert (low.code, low.err) == (1, "--fail-under: the mean score 0.800 is lower than 0.9\n")
    assert ElementTree.parse(tmp_path / "r.xml").getroot().get("failures") == "1"
