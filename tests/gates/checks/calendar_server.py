"""A calendar as an MCP server, whose tool `create_event` changes something.

It is not part of the project, and without it the tests are skipped.
"""

from __future__ import annotations

from tests.support.command import ROOT

CALENDAR = ROOT.parent / "shared/public/mcp_change"
"""The server, `srv.py`, and the folder `docs` of one file that says where the team meets."""

REPLIES = """
[[reply]]
state = "create the event"
code = '''
harness.read("/a.md")
event = harness.cal.create_event(title="Team lunch", room="room 4")
scratchpad["p"] = event.call_path
scratchpad.cite("/a.md", "where the team meets", "room 4")
'''
[[reply]]
state = "answer"
code = '''
scratchpad["answer"] = "The event 'Team lunch' has been created in room 4."
scratchpad["outcome"] = "OUTCOME_OK"
DECLARATION
harness.answer(scratchpad, lambda sp: "created" in sp["answer"])
'''
"""
"""The two replies of the model: the first one creates the event, and the second one answers."""
