"""A reply may be an action without JSON: a *state line*, and a fence with the code below it.

    state: reading the rules
    ```
    print(1)
    ```

The state is what the model is doing. A fence of Python counts without this line, but a fence that names no
language does not: it may hold any text.
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


def test_object_with_a_state_may_stand_in_place_of_the_state_line() -> None:
    """The object is an action, too, but its code is empty, so the code of the fence counts."""
    object_without_code = '{"action": {"state": "looking", "code": ""}}'

    action = read_action(f"{object_without_code}\n```python\nprint(1)\n```")

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
    """A program may annotate a variable `state`. A state line stands before the code."""
    action = read_action(reply)

    assert action.state == ""
    assert action.code.strip() == "state: int = 4\nprint(state)"


def test_fence_that_names_no_language_is_not_run_without_a_state_line() -> None:
    reading = action_of("I have read this in a file.\n```\nopen\n```")

    assert isinstance(reading, Unusable)
