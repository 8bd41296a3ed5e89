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
    fresh.build(tmp_path / "tasks", "right", False)
    words = ("--benchmark", "folder:tasks", "--model", "scripted:tasks/replies.toml", "--runs-dir", "runs", "--json")
    played = controlplane("run", *(task["id"] for task in tasks), *words, cwd=tmp_path)
    assert played.json["score"] == 1.0, played.err
    (journal,) = (tmp_path / "runs").glob("*.jsonl")
    with open_journal(journal) as opened:
        sent_back = {
            trial_id: [judged.message for step in trial.record.steps for judged in step.verdicts if not judged.accepted]
            for trial_id, trial in opened.trials.items()
        }
    assert len(sent_back) == len(tasks)
    assert not any(sent_back.values()), sent_back
