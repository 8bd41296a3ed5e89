"""Forms in which models write their program, though they were asked for a JSON object.

Some write a call of the tool `execute_script`, others a fence of Python in prose. Each of these
replies is read as one action with the code `print(1)`.
"""

import pytest

from tests.agent.reply.written_actions import (
    ACTION,
    XML_CALL,
    action_with_code,
    read_action,
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(XML_CALL, id="call as XML"),
        pytest.param(
            '<minimax:tool_call><invoke name="execute_script">'
            '<parameter name="code">print(1)</parameter></invoke>',
            id="call of MiniMax",
        ),
        pytest.param(
            "I look.\n```python\nprint(1)\n```\nThen I answer.",
            id="fence of Python",
        ),
        pytest.param(
            f'{{"name": "execute_script", "arguments": {ACTION}}}',
            id="call as JSON",
        ),
        pytest.param(action_with_code("\ufeffprint(1)"), id="byte order mark"),
    ],
)
def test_program_is_read_in_the_form_of_each_model(text: str) -> None:
    action = read_action(text)

    assert action.code.strip() == "print(1)"
    assert action.further_actions == 0
