"""Replies of a model that have an action: a JSON object with the code of its next step.

`{"state": "looking", "plan": ["read", "answer"], "done": false, "code": "print(1)"}`
"""

import json

from controlplane.agent.reply.action import Action
from controlplane.agent.reply.reply import action_of

ACTION = (
    '{"state": "looking", "plan": ["read", "answer"], "done": false, '
    '"code": "print(1)"}'
)
"""The action that the replies in the tests mean, if they mean any."""
OTHER_ACTION = (
    '{"state": "later", "plan": [], "done": false, "code": "print(\'later\')"}'
)
"""An action that must not be run: it is in the model's thinking, or comes second."""


def read_action(text: str) -> Action:
    """Return the action in a reply that must have one."""
    action = action_of(text)
    assert isinstance(action, Action), action
    return action


def action_with_code(code: str) -> str:
    """Return the text of a reply: an action whose code is `code`."""
    fields = {
        "state": "looking",
        "plan": ["read", "answer"],
        "done": False,
        "code": code,
    }
    return json.dumps(fields)
