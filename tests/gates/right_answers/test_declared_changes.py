"""A right answer passes the gates whether it declares the files that its script has written or not.

The gates are checks of an answer; if one objects, the answer is sent back to the model. The tasks
were written by others, each with its right answer, a script that is played here. The tasks are not
part of the project, and without them the tests are skipped.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gates.right_answers.tasks_of_others import TASKS_FOLDER, TasksOfOthers

pytestmark = [
    pytest.mark.second_tier,
    pytest.mark.skipif(
        not TASKS_FOLDER.exists(), reason="the tasks of others are not here"
    ),
]


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
    tasks_of_others: TasksOfOthers, form: str, tmp_path: Path
) -> None:
    tasks = tasks_of_others.with_changes()
    for task in tasks:
        written_paths = [path for path, _text in task["change"]]
        task["right"]["changes"] = [declared(path, form) for path in written_paths]

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
