"""A right answer passes the gates whether it declares the files that its script has written or not.

The gates are checks of an answer, which object to a wrong one. An answer may declare the files that
its script has written, in `changes`. Others wrote the tasks, each with a script that gives the right
answer. They are not part of the project, and without them the tests are skipped. A task, in short:

    {"id": "vet-4", "change": [("/a/b.md", "new text")], "right": {"changes": ["/a/b.md"]}}

`change` is what the script writes, and `right` the answer. Each test gets tasks of its own, and
alters what the answers declare before it plays them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gates.right_answers.tasks_of_others import TASKS_FOLDER, TasksOfOthers

pytestmark = [
    pytest.mark.second_tier,
    pytest.mark.skipif(
        not TASKS_FOLDER.exists(), reason="the tasks of others are not here"
    ),
]


def declare_path(path: str) -> object:
    return path


def declare_name(path: str) -> object:
    """`/a/b.md` -> `b.md`"""
    return path.rpartition("/")[2]


def declare_path_with_action(path: str) -> object:
    return {"path": path, "action": "write"}


@pytest.mark.parametrize(
    "declare", [declare_path, declare_name, declare_path_with_action]
)
def test_an_answer_may_declare_the_files_that_its_script_has_written_in_any_form(
    tasks_of_others: TasksOfOthers,
    declare: Callable[[str], object],
    tmp_path: Path,
) -> None:
    tasks = tasks_of_others.with_changes()
    for task in tasks:
        written_paths = [path for path, _text in task["change"]]
        task["right"]["changes"] = [declare(path) for path in written_paths]

    plays = tasks_of_others.play(tmp_path, *[task["id"] for task in tasks])

    assert len(plays) == len(tasks)
    assert [play.task_id for play in plays if play.objections] == []


def test_an_answer_need_not_declare_the_files_that_its_script_has_written(
    tasks_of_others: TasksOfOthers, tmp_path: Path
) -> None:
    tasks = tasks_of_others.with_changes()
    for task in tasks:
        task["right"]["changes"] = None

    plays = tasks_of_others.play(tmp_path, *[task["id"] for task in tasks])

    assert len(plays) == len(tasks)
    assert [play.task_id for play in plays if play.objections] == []
