"""The command `python -m controlplane.gates` starts without libraries that are slow to import.

The libraries take a second to import, and most uses of the command do not need them.
"""

from __future__ import annotations

from tests.support.command import run_python

SCRIPT = """
import sys
import controlplane.gates.__main__
for library in ("pydantic", "openai", "rich", "httpx2"):
    if library in sys.modules:
        print(library)
"""
"""Prints the slow libraries that the command has imported."""


def test_the_command_starts_without_importing_slow_libraries() -> None:
    assert run_python("-c", SCRIPT).out.strip() == ""
