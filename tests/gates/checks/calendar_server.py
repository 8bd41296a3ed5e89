"""A calendar as an MCP server, whose tool `create_event` changes something.

It is not part of the project, and without it the tests are skipped.
"""

from __future__ import annotations

from tests.support.command import ROOT

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
