"""A reply may be an action without JSON: a line `state: ...` and a fence with the code.

The state is what the model knows so far. This form is offered to models that fail at JSON.
"""

import pytest

from controlplane.agent.reply.reply import action_of
from controlplane.agent.reply.unusable_reply import Unusable
from tests.agent.reply.written_actions import read_action


@pytest.mark.parametrize("fence", ["```python", "```"])
def test_state_line_and_a_fence_are_an_action(fence: str) -> None:
    action = read_action(f"state: reading the rules\n{fence}\nprint('a \"b\"')\n```")

    assert action.state == "reading the rules"
    assert action.code.strip() == "print('a \"b\"')"


def test_wrapped_object_without_code_and_a_fence_are_an_action() -> None:
    remarks = '{"action": {"state": "looking", "code": ""}}'

    action = read_action(f"{remarks}\n```python\nprint(1)\n```")

    assert action.state == "looking"
    assert action.code.strip() == "print(1)"


@pytest.mark.parametrize(
    "reply",
    [
        "```python\nstate: int = 4\nprint(state)\n```",
        "<code>\nstate: int = 4\nprint(state)\n</code>",
    ],
)
def test_line_of_the_code_is_not_taken_for_the_state(reply: str) -> None:
    """A program may annotate a variable `state`. The state stands in front of the code."""
    action = read_action(reply)

    assert action.state == ""
    assert action.code.strip() == "state: int = 4\nprint(state)"


def test_fence_without_a_language_and_a_state_line_is_prose() -> None:
    reading = action_of("The file holds:\n```\nopen\n```")

    assert isinstance(reading, Unusable)
