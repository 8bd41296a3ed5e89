"""A change by a tool of an MCP server may be declared in any spelling.

A script of a model creates an event in a calendar by the tool `create_event` of the server `cal`,
and answers in its next step. The gates compare what it declares in `changes` with the calls that
were made, and must know the tool by each name that models give it.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.gates.checks.calendar_server import CALENDAR, replies_that_create_an_event
from tests.support.command import run_controlplane

pytestmark = [
    pytest.mark.second_tier,
    pytest.mark.skipif(
        not CALENDAR.exists(), reason="the server of others is not here"
    ),
]


DECLARE_IN_EVERY_SPELLING = """
scratchpad["changes"] = [
    {"path": scratchpad["path of the call"], "action": "execute"},
    scratchpad["path of the call"],
    "create_event",  # the name of the tool
    "cal.create_event",  # with the server
    "harness.cal.create_event()",  # the call as in the script
]
"""


@pytest.mark.parametrize(
    "declaring_lines",
    [
        pytest.param("", id="left out"),
        pytest.param(DECLARE_IN_EVERY_SPELLING, id="in every spelling"),
    ],
)
def test_the_change_by_a_tool_of_a_server_may_be_declared_in_any_spelling(
    declaring_lines: str, tmp_path: Path
) -> None:
    """The gates accept the answer whether it declares the change or not."""
    replies = replies_that_create_an_event(declaring_lines)
    (tmp_path / "replies.toml").write_text(replies)
    shutil.copytree(CALENDAR / "docs", tmp_path / "docs")

    result = run_controlplane(
        "ask",
        "Create the event Team lunch in room 4, where the team meets.",
        "docs",
        f"--mcp=cal={sys.executable} {CALENDAR / 'srv.py'}",
        "--allow=cal.*",
        "--model=scripted:replies.toml",
        "--json",
        cwd=tmp_path,
    )

    assert result.json["status"] == "answered", result.err
    # One step makes the event, the next one answers: the answer was not sent back.
    assert result.json["steps"] == 2
    assert result.json["changed"] == ["cal.create_event"]
