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

from tests.support.command import run_controlplane
from tests.support.product_files import ROOT

# A calendar as an MCP server, whose tool `create_event` changes something.
#
# It is not part of the project, and without it the tests are skipped.

CALENDAR = ROOT.parent / "shared/public/mcp_change"
"""The server, `srv.py`, and the folder `docs` of one file that says where the team meets."""

_REPLIES = """
[[reply]]
state = "create the event"
code = '''
harness.read("/a.md")
event = harness.cal.create_event(title="Team lunch", room="room 4")
scratchpad["path of the call"] = event.call_path
scratchpad.cite("/a.md", "where the team meets", "room 4")
'''
[[reply]]
state = "answer"
code = '''
scratchpad["answer"] = "The event 'Team lunch' has been created in room 4."
scratchpad["outcome"] = "OUTCOME_OK"
LINES_THAT_DECLARE_CHANGES
harness.answer(scratchpad, lambda sp: "created" in sp["answer"])
'''
"""


def replies_that_create_an_event(declaring_lines: str) -> str:
    """Return a model's two replies, as TOML: the first one creates an event, the second one answers.

    `declaring_lines` are the lines of the second script that declare what the first one changed:
    `'scratchpad["changes"] = ["create_event"]'`. They may use `scratchpad["path of the call"]`, a
    path that the first script got from the server's reply, and that stands for its call.
    """
    return _REPLIES.replace("LINES_THAT_DECLARE_CHANGES", declaring_lines)


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
