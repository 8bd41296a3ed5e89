"""The example reply in the system prompt, whose form small models copy.

It answers an invented question by a script, in JSON or in a fence:

    {"state": "the parcels decide", "plan": [], "done": true, "code": "late = []\\nfor ..."}

A script that cannot read files prints `harness`, the object with all calls.
"""

from __future__ import annotations

import json
from typing import Final

from controlplane.agent.loop.initial_prompt.example_script import (
    QUESTION,
    example_script,
)
from controlplane.sandbox.interface import FILE_OPERATIONS, ToolSchema

JSON_FORM: Final = (
    "Reply with one JSON object alone: `state` (one line), `plan` (up to five steps), `done` and "
    "`code` (Python, run at once)."
)
FENCED_FORM: Final = "Reply with a line `state: ...` and one whole script in a ```python fence, which is run at once."
"""For models that fail to escape quotation marks and newlines in JSON strings."""


def example_reply(tool_schema: ToolSchema, *, in_fences: bool = False) -> str:
    """Return a complete example reply, with the question that it answers.

    All trials of an environment get the same, so that an endpoint can cache the system prompt.
    """
    if not _can_read(tool_schema):
        action = {
            "state": "nothing is known yet",
            "plan": ["look at what can be called", "answer"],
            "done": False,
            "code": "print(harness)",
        }
        return f"The first reply may be:\n\n{_written(action, in_fences)}"

    action = {
        "state": "the parcels decide",
        "plan": [],
        "done": True,
        "code": example_script(is_cited=tool_schema.is_cited),
    }
    return f'For "{QUESTION}" a whole reply is:\n\n{_written(action, in_fences)}'


def _written(action: dict[str, object], in_fences: bool) -> str:
    """Return an action as a model writes it: its state and script in a fence, or all as JSON."""
    if in_fences:
        return f"state: {action['state']}\n```python\n{action['code']}\n```"
    return json.dumps(action)


def _can_read(tool_schema: ToolSchema) -> bool:
    """Return True if scripts can call `read` and `find` as the example does.

    An environment may have operations of its own with these names, which take other arguments.
    """
    for name in ("read", "find"):
        if tool_schema.operation(name) not in FILE_OPERATIONS:
            return False
    return True
