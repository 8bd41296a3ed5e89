"""Right answers to tasks that others wrote pass the gates, which were not tuned for these tasks.

A gate is a check of an answer. If it objects, the answer is sent back to the model. Each task comes
with its right answer, a script, which is played here. The tasks are not part of the project: they are in
the folder `FRESH`, and without it the tests are skipped.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gates.fresh_tasks import FRESH, FreshTasks

pytestmark = [
    pytest.mark.second_tier,
    pytest.mark.skipif(not FRESH.exists(), reason="the tasks of others are not here"),
]


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[FreshTasks]:
    """The tasks of others, from a module that is imported anew for each test."""
    monkeypatch.syspath_prepend(str(FRESH))
    yield FreshTasks(importlib.import_module("run"))
    for name in list(sys.modules):
        if name == "run" or name.partition(".")[0] == "authored":
            del sys.modules[name]


def declared(path: str, form: str) -> object:
    """Return how a script declares that it has changed a file: `/a/b.md`, or just `b.md`."""
    if form == "path":
        return path
    if form == "name":
        return path.rpartition("/")[2]
    assert form == "path with action"
    return {"path": path, "action": "write"}


@pytest.mark.parametrize("form", ["path", "name", "path with action"])
def test_an_answer_may_declare_the_files_that_its_script_has_written_in_any_form(
    fresh: FreshTasks, form: str, tmp_path: Path
) -> None:
    tasks = fresh.with_changes()
    for task in tasks:
        written_paths = [path for path, _text in task["change"]]
        task["right"]["changes"] = [declared(path, form) for path in written_paths]

    plays = fresh.play(tmp_path, *[task["id"] for task in tasks])

    assert len(plays) == len(tasks)
    assert [play.task_id for play in plays if play.objections] == []


def test_an_answer_need_not_declare_the_files_that_its_script_has_written(
    fresh: FreshTasks, tmp_path: Path
) -> None:
    tasks = fresh.with_changes()
    for task in tasks:
        task["right"]["changes"] = None

    plays = fresh.play(tmp_path, *[task["id"] for task in tasks])

    assert len(plays) == len(tasks)
    assert [play.task_id for play in plays if play.objections] == []


def test_right_answers_to_questions_pass_and_few_of_their_values_are_unverified(
    fresh: FreshTasks, tmp_path: Path
) -> None:
    """A value is unverified, and marked for the user, if no text has it that the script has read. Too
    many such marks on right answers would teach the user to ignore them."""
    plays = fresh.play(tmp_path, as_questions=True)

    assert len(plays) == 60
    assert [play.task_id for play in plays if play.objections] == []
    with_unverified_values = [play for play in plays if play.unverified_values]
    # Authors of nine answers worked a value out in their head: no file states it.
    assert len(with_unverified_values) <= 9
