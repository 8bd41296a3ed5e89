"""Right answers to tasks that others wrote are not sent back.

Gates are checks of an answer; one that objects sends the answer back to the model. They were not
tuned for the domains of these tasks. Each task comes with its right answer: replies of a model
whose scripts solve it. The tasks are not part of the project, and without them the tests are skipped.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.gates.fresh_tasks import FRESH, FreshTasks

pytestmark = [
    pytest.mark.second_tier,
    pytest.mark.skipif(not FRESH.exists(), reason="the tasks of others are not here"),
]


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


def as_path(path: str) -> object:
    """`/a/b.md` -> `/a/b.md`"""
    return path


def as_name(path: str) -> object:
    """`/a/b.md` -> `b.md`"""
    return path.rpartition("/")[2]


def as_path_with_action(path: str) -> object:
    """`/a/b.md` -> `{"path": "/a/b.md", "action": "write"}`"""
    return {"path": path, "action": "write"}


class TestAnswersWithChanges:
    """A right answer whose script wrote files passes, however it declares them, or does not.

    A task that changes files is a dictionary: its `change` has the written paths and texts, such
    as `("/a/b.md", "new text")`, and `right["changes"]` is what the script of its right answer
    declares. Each test replaces this declaration, and then plays the tasks.
    """

    @pytest.mark.parametrize("declare", [as_path, as_name, as_path_with_action])
    def test_right_answers_that_declare_their_changes_are_not_sent_back(
        self, fresh: FreshTasks, declare: Callable[[str], object], tmp_path: Path
    ) -> None:
        """`/a/b.md` is declared by its path, by `b.md`, or by its path with an action."""
        tasks = fresh.with_changes()
        for task in tasks:
            written_paths = [path for path, _text in task["change"]]
            task["right"]["changes"] = [declare(path) for path in written_paths]

        assert_not_sent_back(fresh, tasks, tmp_path)

    def test_right_answers_that_do_not_declare_their_changes_are_not_sent_back(
        self, fresh: FreshTasks, tmp_path: Path
    ) -> None:
        """A script need not declare the files that it wrote."""
        tasks = fresh.with_changes()
        for task in tasks:
            task["right"]["changes"] = None

        assert_not_sent_back(fresh, tasks, tmp_path)


COUNT_OF_FRESH_TASKS = 60


class TestValuesOfRightAnswers:
    """All tasks are asked as questions of a user, whose answers get a footnote for each value.

    A value that is in no text which the script read is marked as unverified there. Too many such
    marks on right answers would teach the user to ignore them.
    """

    def test_right_answers_are_sent_and_few_of_their_values_are_unverified(
        self, fresh: FreshTasks, tmp_path: Path
    ) -> None:
        plays = fresh.play(tmp_path, as_questions=True)

        assert len(plays) == COUNT_OF_FRESH_TASKS
        sent_back = [play.task_id for play in plays if play.objections]
        assert sent_back == []
        with_unverified_values = [play for play in plays if play.unverified_values]
        # Authors of nine answers worked a value out in their head: no file states it.
        assert len(with_unverified_values) <= 9
