"""Replies of a model that have an action: a JSON object with the code of its next step.

    read_action(f"Here is my step: {ACTION}").code     -> "print(1)"
    code_to_run(ACTION, finish_reason="length")        -> None: the reply was cut off
    action_with_code("print(2)")                       -> '{"state": ..., "code": "print(2)"}'

`ACTION` is an action as a text.
"""

import json

from controlplane.agent.reply.reply import Action, action_of
from controlplane.agent.reply.unusable_reply import Unusable

ACTION = (
    '{"state": "looking", "plan": ["read", "answer"], "done": false, '
    '"code": "print(1)"}'
)
"""The action that the replies in the tests mean, if they mean any."""
OTHER_ACTION = (
    '{"state": "later", "plan": [], "done": false, "code": "print(\'later\')"}'
)
"""An action that must not be run: it is in the model's thinking, or comes second."""
XML_CALL = """\
<tool_call>
<function=execute_script>
<parameter=state>
looking
</parameter>
<parameter=code>
print(1)
</parameter>
</function>
</tool_call>"""
"""A call of a tool with the code `print(1)`, as Qwen and other models write it into the text."""


def read_action(text: str) -> Action:
    """Return the action in a reply that must have one."""
    action = action_of(text)
    assert isinstance(action, Action), action
    return action


def code_to_run(text: str, finish_reason: str) -> str | None:
    """Return the code that is run for a reply; None if nothing is run."""
    reading = action_of(text, finish_reason)
    if isinstance(reading, Action):
        return reading.code
    assert isinstance(reading, Unusable)
    return None


def action_with_code(code: str) -> str:
    """Return the text of a reply: an action whose code is `code`."""
    return json.dumps({"state": "looking", "plan": [], "done": False, "code": code})
