"""One trial of a task in a folder: its calls, its pattern, its one answer."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.folder.folder_environment import AIDE_MODULES, FolderEnvironment
from benchmarks.folder.task_folder import read_folder
from sandbox import Aide, ForkServer
from sandbox.interface import CallError
from sandbox.interface.limits import AideLimits
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
    ("pattern", "answer", "told"),
    [
        (r"\d+ loans", " 2 loans\n", ""),
        (r"\d+ loans", "2 loans!", "answer should fit the pattern"),
        ("(a+)+b", "a" * 60, "could not be told: the call"),
    ],
)
def test_a_pattern_is_matched_in_the_aide_which_is_ended_if_it_overruns(
    pattern: str, answer: str, told: str, server: ForkServer, tmp_path: Path
) -> None:
    here = environment(tmp_path, pattern)
    with Aide(server, limits=AideLimits(call_cpu_s=0.5)) as aide:
        here.use_aide(aide)
        here.answer(answer, OK, ())
    assert told in here.pattern_fault
    assert bool(told) == bool(here.pattern_fault)
    assert here.submission is not None


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
