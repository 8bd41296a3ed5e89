"""Right plays by others' hands: none is sent back, however it spells what it changed, or if it leaves that out."""

import importlib
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from controlplane.journal.journal_reader import open_journal
from controlplane.view.asked_answer import marker_of_trial
from gates.marks import unverified_in
from gates.submission import OK
from tests.support.command import ROOT, controlplane

SHARED = ROOT.parent / "shared"
FRESH, CALENDAR = SHARED / "fresh", SHARED / "public/mcp_change"
OBJECT = '[{"path": scratchpad["p"], "action": "execute"}]'
SPELLINGS: dict[str, Callable[[str], object]] = {
    "path": str,
    "name": lambda path: path.rpartition("/")[2],
    "object": lambda path: {"path": path, "action": "write"},
}


@pytest.mark.second_tier
@pytest.mark.skipif(not CALENDAR.exists(), reason="the server of others is not here")
@pytest.mark.parametrize(
    "changes",
    ["", OBJECT, '[scratchpad["p"]]', '["create_event"]', '["cal.create_event"]', '["harness.cal.create_event()"]'],
)
def test_a_servers_tool_that_succeeded_is_a_change(changes: str, tmp_path: Path) -> None:
    shutil.copytree(CALENDAR / "docs", tmp_path / "docs")
    played = (CALENDAR / "r2.toml").read_text()
    assert OBJECT in played
    lines = [line for line in played.splitlines() if changes or OBJECT not in line]
    (tmp_path / "replies.toml").write_text("\n".join(lines).replace(OBJECT, changes))
    words = (
        "--mcp",
        f"cal={sys.executable} {CALENDAR / 'srv.py'}",
        "--allow",
        "cal.*",
        "--model",
        "scripted:replies.toml",
    )
    request = "Create the event Team lunch in room 4, where the team meets."
    asked = controlplane("ask", request, "docs", *words, "--json", cwd=tmp_path)
    assert (asked.json["status"], asked.json["steps"]) == ("answered", 2), asked.err
    assert asked.json["changed"] == ["cal.create_event"]


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(FRESH))
    yield importlib.import_module("run")
    for name in [name for name in sys.modules if name == "run" or name.partition(".")[0] == "authored"]:
        del sys.modules[name]


@pytest.mark.second_tier
@pytest.mark.skipif(not FRESH.exists(), reason="the plays of others are not here")
@pytest.mark.parametrize("spelling", [*SPELLINGS, "left out"])
def test_no_right_play_of_a_change_is_sent_back(fresh: Any, spelling: str, tmp_path: Path) -> None:
    """Plays what changes files; the others declare nothing."""
    tasks = [task for domain in fresh.domains() for task in domain.tasks if task["change"]]
    assert len(tasks) > 2
    for task in tasks:
        paths = [path for path, _ in task["change"]]
        task["right"]["changes"] = [*map(SPELLINGS[spelling], paths)] if spelling in SPELLINGS else None
    sent_back = {name: messages for name, messages, _ in plays(fresh, tmp_path, *(task["id"] for task in tasks))}
    assert len(sent_back) == len(tasks)
    assert not any(sent_back.values()), sent_back


def plays(fresh: Any, folder: Path, *tasks: str, ask: bool = False) -> list[tuple[str, list[str], list[str]]]:
    """Play right answers; return of each its task, what was objected to, and its unverified values if it is an OK."""
    fresh.build(folder / "tasks", "right", ask)
    words = ("--benchmark", "folder:tasks", "--model", "scripted:tasks/replies.toml", "--runs-dir", "runs", "--json")
    played = controlplane("run", *tasks, *words, cwd=folder)
    assert played.json["score"] == 1.0, played.err
    (journal,) = (folder / "runs").glob("*.jsonl")
    found = []
    with open_journal(journal) as opened:
        for trial in opened.trials.values():
            objections = [one.message for step in trial.record.steps for one in step.verdicts if one.message]
            is_ok = trial.summary.outcome == OK
            marks = marker_of_trial(trial.record, trial.summary).marks(trial.summary.answer) if is_ok else ()
            found.append((trial.summary.task_id, objections, unverified_in(marks)))
    return found


@pytest.mark.second_tier
@pytest.mark.skipif(not FRESH.exists(), reason="the plays of others are not here")
def test_right_answers_of_others_are_let_out_and_few_of_their_values_are_unverified(fresh: Any, tmp_path: Path) -> None:
    played = plays(fresh, tmp_path, ask=True)
    assert len(played) == 60
    assert [name for name, objections, _ in played if objections] == []
    assert len([name for name, _, unverified in played if unverified]) <= 6
