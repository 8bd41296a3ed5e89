"""Right answers to tasks that others wrote are not sent back.

The gates send an answer back to the model if they object to it. They were not tuned for the
domains of these tasks. Each task comes with its right answer: replies of a model whose scripts
solve it. The tasks are not part of the project, and without them these tests are skipped.
"""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from controlplane.gates.submission import OK
from controlplane.gates.support.support_texts import unverified_in
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.view.answer.trial_evidence import marker_of_trial
from tests.support.command import ROOT, run_controlplane

pytestmark = pytest.mark.second_tier

SHARED = ROOT.parent / "shared"
CALENDAR = SHARED / "public/mcp_change"
"""A calendar as an MCP server, `srv.py`, and a folder of one file that says where the team meets."""
FRESH = SHARED / "fresh"
"""Tasks in four domains, such as a brewery, with their right answers."""
COUNT_OF_FRESH_TASKS = 60

needs_calendar = pytest.mark.skipif(
    not CALENDAR.exists(), reason="the server of others is not here"
)
needs_fresh = pytest.mark.skipif(
    not FRESH.exists(), reason="the tasks of others are not here"
)


# A tool of a server that changed something
# --------------------------------------------------------------------------------------------------------------


@needs_calendar
@pytest.mark.parametrize(
    "declaration",
    [
        pytest.param("", id="left out"),
        pytest.param(
            'scratchpad["changes"] = [{"path": scratchpad["p"], "action": "execute"}]',
            id="path with an action",
        ),
        pytest.param('scratchpad["changes"] = [scratchpad["p"]]', id="path"),
        pytest.param('scratchpad["changes"] = ["create_event"]', id="name of the tool"),
        pytest.param(
            'scratchpad["changes"] = ["cal.create_event"]', id="name with the server"
        ),
        pytest.param(
            'scratchpad["changes"] = ["harness.cal.create_event()"]',
            id="call as in the script",
        ),
    ],
)
def test_the_change_by_a_tool_of_a_server_may_be_declared_in_any_spelling(
    declaration: str, tmp_path: Path
) -> None:
    """The first script creates an event by the tool `create_event` of the server `cal`, and the
    second one answers. It may declare in `changes` what was changed. The gates accept the answer
    whether it does or not, and however it names the tool."""
    replies = f"""
[[reply]]
state = "create the event"
code = '''
harness.read("/a.md")
event = harness.cal.create_event(title="Team lunch", room="room 4")
scratchpad["p"] = event.call_path
scratchpad.cite("/a.md", "where the team meets", "room 4")
'''
[[reply]]
state = "answer"
code = '''
scratchpad["answer"] = "The event 'Team lunch' has been created in room 4."
scratchpad["outcome"] = "OUTCOME_OK"
{declaration}
harness.answer(scratchpad, lambda sp: "created" in sp["answer"])
'''
"""
    (tmp_path / "replies.toml").write_text(replies)
    shutil.copytree(CALENDAR / "docs", tmp_path / "docs")

    result = run_controlplane(
        "ask",
        "Create the event Team lunch in room 4, where the team meets.",
        "docs",
        "--mcp",
        f"cal={sys.executable} {CALENDAR / 'srv.py'}",
        "--allow",
        "cal.*",
        "--model",
        "scripted:replies.toml",
        "--json",
        cwd=tmp_path,
    )

    assert result.json["status"] == "answered", result.err
    # One step makes the event, the next one answers: the answer was not sent back.
    assert result.json["steps"] == 2
    assert result.json["changed"] == ["cal.create_event"]


# Sixty tasks in other domains
# --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Play:
    """A task that was played with its right answer, as the journal of the run records it."""

    task_id: str
    objections: list[str]
    """What the gates objected to in its answer, which was then sent back to the model."""
    unverified_values: list[str]
    """Values of its answer that nothing states which the script read; none if it is a refusal."""


@dataclass(frozen=True)
class FreshTasks:
    """Tasks that others wrote, with their right answers.

    A task that changes files is a dictionary such as `{"id": "vet-4", "change": [("/a/b.md", "new
    text")], "right": {"changes": ["/a/b.md"], ...}, ...}`. `right` is its right answer, whose
    `changes` declares what the script changed.
    """

    module: Any
    """The Python module that holds these dictionaries. Its function `build` writes them as files."""

    def with_changes(self) -> list[dict[str, Any]]:
        """Return the tasks whose right answer changes files, of which there are more than two."""
        tasks: list[dict[str, Any]] = []
        for domain in self.module.domains():
            for task in domain.tasks:
                if task["change"]:
                    tasks.append(task)
        assert len(tasks) > 2
        return tasks

    def play(
        self, folder: Path, *task_ids: str, as_questions: bool = False
    ) -> list[Play]:
        """Run tasks, or all if no id is passed, with their right answers as scripted replies.

        `as_questions` makes each a question of a user, whose answer gets footnotes.
        """
        self.module.build(folder / "tasks", "right", as_questions)
        result = run_controlplane(
            "run",
            *task_ids,
            "--benchmark",
            "folder:tasks",
            "--model",
            "scripted:tasks/replies.toml",
            "--runs-dir",
            "runs",
            "--json",
            cwd=folder,
        )
        assert result.json["score"] == 1.0, result.err
        [journal_path] = (folder / "runs").glob("*.jsonl")
        with open_journal(journal_path) as journal:
            return [play_of_trial(trial) for trial in journal.trials.values()]


def play_of_trial(trial: RecordedTrial) -> Play:
    """Return what a journal records of one trial."""
    objections: list[str] = []
    for step in trial.record.step_summaries:
        for verdict in step.verdicts:
            if verdict.message:
                objections.append(verdict.message)
    unverified_values: list[str] = []
    if trial.summary.outcome == OK:
        marker = marker_of_trial(trial.record, trial.summary)
        unverified_values += unverified_in(marker.marks(trial.summary.answer))
    return Play(trial.summary.task_id, objections, unverified_values)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[FreshTasks]:
    """Import the module of the tasks, and forget it and its parts after the test."""
    monkeypatch.syspath_prepend(str(FRESH))
    yield FreshTasks(importlib.import_module("run"))
    for name in list(sys.modules):
        if name == "run" or name.partition(".")[0] == "authored":
            del sys.modules[name]


def assert_not_sent_back(
    fresh: FreshTasks, tasks: list[dict[str, Any]], folder: Path
) -> None:
    """Play these tasks, and assert that no gate objected to a right answer."""
    task_ids = [task["id"] for task in tasks]

    plays = fresh.play(folder, *task_ids)

    assert len(plays) == len(tasks)
    for play in plays:
        assert play.objections == [], play.task_id


# How a script may declare that it wrote the file `/a/b.md`


def as_path(path: str) -> object:
    """`/a/b.md` -> `/a/b.md`"""
    return path


def as_name(path: str) -> object:
    """`/a/b.md` -> `b.md`"""
    return path.rpartition("/")[2]


def as_path_with_action(path: str) -> object:
    """`/a/b.md` -> `{"path": "/a/b.md", "action": "write"}`"""
    return {"path": path, "action": "write"}


@needs_fresh
@pytest.mark.parametrize("declare", [as_path, as_name, as_path_with_action])
def test_right_answers_that_declare_their_changes_are_not_sent_back(
    fresh: FreshTasks, declare: Callable[[str], object], tmp_path: Path
) -> None:
    """The script of each right answer writes files, such as `/a/b.md`, and declares each of them in
    `changes`: by `/a/b.md`, by `b.md`, or by `{"path": "/a/b.md", "action": "write"}`."""
    tasks = fresh.with_changes()
    for task in tasks:
        written_paths = [path for path, _text in task["change"]]
        task["right"]["changes"] = [declare(path) for path in written_paths]

    assert_not_sent_back(fresh, tasks, tmp_path)


@needs_fresh
def test_right_answers_that_do_not_declare_their_changes_are_not_sent_back(
    fresh: FreshTasks, tmp_path: Path
) -> None:
    """A script need not declare the files that it wrote."""
    tasks = fresh.with_changes()
    for task in tasks:
        task["right"]["changes"] = None

    assert_not_sent_back(fresh, tasks, tmp_path)


@needs_fresh
def test_right_answers_are_sent_and_few_of_their_values_are_unverified(
    fresh: FreshTasks, tmp_path: Path
) -> None:
    """All tasks are played as questions of a user, whose answers get a footnote for each value."""
    plays = fresh.play(tmp_path, as_questions=True)

    assert len(plays) == COUNT_OF_FRESH_TASKS
    sent_back = [play.task_id for play in plays if play.objections]
    assert sent_back == []
    with_unverified_values = [play for play in plays if play.unverified_values]
    # Authors of nine answers worked a value out in their head: no file states it.
    assert len(with_unverified_values) <= 9
