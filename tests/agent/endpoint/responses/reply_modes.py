"""The four *reply modes*, ways to ask a model for an action, as cases of parametrized tests.

An action is a JSON object with the script to run. Beside each mode stands what the model replies: an
item with the action that runs `print(1)`, as a text or as a call of a tool.
"""

import pytest

from controlplane.agent.model import ReplyMode
from tests.agent.endpoint.responses.responses_items import ACTION_CALL_ITEM, TEXT_ITEM

REPLY_MODES = [
    pytest.param(ReplyMode.SCHEMA, TEXT_ITEM, id="schema"),
    pytest.param(ReplyMode.JSON, TEXT_ITEM, id="JSON"),
    pytest.param(ReplyMode.TEXT, TEXT_ITEM, id="text"),
    pytest.param(ReplyMode.TOOL, ACTION_CALL_ITEM, id="tool"),
]
