"""Fixtures of the tests of configurations."""

import sys

import pytest

from controlplane.configuration import config_file


@pytest.fixture
def like_a_new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands in the test's process import the module `evil` anew, and print notices again."""
    monkeypatch.delitem(sys.modules, "evil", raising=False)
    config_file.print_once.cache_clear()
