"""A model's reply may be written as a Python dictionary, though it was asked for a JSON object.

The object is an *action*, with the Python code of the model's next step. Each of these replies is
read as `{"state": "looking", "plan": ["read", "answer"], "done": false, "code": "print(1)"}`.
"""

import pytest

from tests.agent.reply.written_actions import read_action


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "{'state': 'looking', 'plan': ['read', 'answer'], 'done': False, "
            "'code': 'print(1)'}",
            id="Python syntax",
        ),
        pytest.param(
            '{"state": "looking", "plan": ["read", "answer"], "done": False, '
            '"code": "print(1)"}',
            id="JSON with a Python boolean",
        ),
        pytest.param(
            "{'state': 'looking', 'plan': ('read', 'answer'), "
            "'done': false,  # it's the first step\n"
            "'code': 'print(1)'}",
            id="Python with a JSON boolean, a tuple and a comment",
        ),
        pytest.param(
            "{'state': 'looking', 'plan': 'read\nanswer', 'done': false, "
            "'code': 'print(1)'}",
            id="Python with a raw newline in a string",
        ),
        pytest.param(
            "{'state': 'looking', 'plan': ['read', 'answer'], 'done': false, "
            "'code': 'print(1)', 'change': +2, 'rows': {-1: 'last'}}",
            id="Python with a plus sign, and a negative number as a key",
        ),
    ],
)
def test_action_in_the_syntax_of_python_is_read(text: str) -> None:
    action = read_action(text)

    assert action.state == "looking"
    assert action.plan == ("read", "answer")
    assert not action.done
    assert action.code == "print(1)"
