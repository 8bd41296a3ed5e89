"""The tasks that others wrote, each with its right answer."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator

import pytest

from tests.gates.right_answers.fresh_tasks import FRESH, FreshTasks


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[FreshTasks]:
    """The tasks of others, from a module that is imported anew for each test."""
    monkeypatch.syspath_prepend(str(FRESH))
    yield FreshTasks(importlib.import_module("run"))
    for name in list(sys.modules):
        if name == "run" or name.partition(".")[0] == "authored":
            del sys.modules[name]
