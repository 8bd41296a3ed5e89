"""The tasks that others wrote, each with its right answer."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator

import pytest

from tests.gates.right_answers.tasks_of_others import TASKS_FOLDER, TasksOfOthers


@pytest.fixture
def tasks_of_others(monkeypatch: pytest.MonkeyPatch) -> Iterator[TasksOfOthers]:
    """The tasks of others, from a module that is imported anew for each test."""
    monkeypatch.syspath_prepend(str(TASKS_FOLDER))
    yield TasksOfOthers(importlib.import_module("run"))
    for name in list(sys.modules):
        if name == "run" or name.partition(".")[0] == "authored":
            del sys.modules[name]
