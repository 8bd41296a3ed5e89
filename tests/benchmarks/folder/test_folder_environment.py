"""One trial of a task in a folder: its calls, its pattern, its one answer."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.folder.folder_benchmark import AIDE_MODULES, FolderEnvironment, grade, values_lacking
from benchmarks.folder.task_folder import read_folder
from sandbox import Aide, ForkServer
from sandbox.interface import CallError
from tests.support.command import ROOT

LIBRARY = ROOT / "docs/examples/library"
OK = "OUTCOME_OK"


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    with ForkServer(AIDE_MODULES) as running:
        yield running


def environment(tmp_path: Path, pattern: str) -> FolderEnvironment:
    shutil.copytree(LIBRARY / "desk", tmp_path / "t/one/files")
    text = f"instruction = 'x'\n[expected]\noutcome = 'OUTCOME_OK'\npattern = '{pattern}'\n"
    (tmp_path / "t/one/task.toml").write_text(text, encoding="utf-8")
    return FolderEnvironment(read_folder(tmp_path / "t").tasks["one"])


@pytest.mark.parametrize(
    ("pattern", "answer", "fits"),
    [(r"\d+ loans", " 2 loans\n", True), (r"\d+ loans", "2 loans!", False), ("(a+)+b", "a" * 60, False)],
)
def test_an_answer_is_matched_with_the_expected_pattern(pattern: str, answer: str, fits: bool, tmp_path: Path) -> None:
    here = environment(tmp_path, pattern)
    here.answer(answer, OK, ())
    faults = grade(read_folder(tmp_path / "t").tasks["one"], here).details
    assert faults == () if fits else faults[0].startswith("answer should fit the pattern")


def test_a_world_has_what_its_task_says_and_one_answer(server: ForkServer, tmp_path: Path) -> None:
    here = environment(tmp_path, "")
    assert here.surface.operation("exec") is None
    assert here.surface.rules_document == "/AGENTS.MD"
    with Aide(server) as aide:
        here.use_aide(aide)
        here.call("write", {"path": "/loans/new.json", "content": "{}"})
        assert here.call("find", {"name": "new.json"})["paths"] == ["/loans/new.json"]
        assert here.changes == {"/loans/new.json": "{}"}
        assert here.knows_file("/loans/new.json")
        assert not here.knows_file("/loans/none.json")
        here.answer("x", OK, ())
        with pytest.raises(CallError, match="already"):
            here.answer("y", OK, ())
        here.close()
        with pytest.raises(CallError, match="ended"):
            here.call("read", {"path": "/AGENTS.MD"})


@pytest.mark.parametrize(
    ("right", "answer", "lacking"),
    [
        ("EUR 1,250.00 by 3 May 2026, says Ada Lovelace.", "Ada Lovelace wants 1250 EUR until 2026-05-03", []),
        ("EUR 1,250.00 by 3 May 2026.", "EUR 1,520.00 by 3 May 2026", ["1,250.00"]),
        ("loan-02 is kept 14 days.", "two weeks: 14 days", []),
        ("Helvetia.", "The insurer is HELVETIA", []),
        ("Helvetia.", "The insurer is Allianz", ["helvetia"]),
        ("No.", "Yes, of course", ["no"]),
        ("The tenant has to have the heating serviced every year.", "A yearly service, by the tenant", []),
    ],
)
def test_an_answer_is_compared_by_the_values_of_the_right_one(right: str, answer: str, lacking: list[str]) -> None:
    assert values_lacking(answer, right, "What about loan-02, and who is the insurer?") == lacking
