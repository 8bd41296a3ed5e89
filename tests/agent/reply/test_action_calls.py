"""Which of the tool calls in a reply is the action.

Models are offered the tool `execute_script`, whose arguments are an action. Some invent another name
for it, or call other tools as well. `action_call` returns the call with the action; None if there is
none for certain.
"""

import pytest

from controlplane.agent.model import Reply, ToolCall
from controlplane.agent.reply.action_call import action_call

ARGUMENTS = '{"state": "look", "code": "print(1)"}'
"""The arguments of a tool call that are clearly an action."""


@pytest.mark.parametrize(
    "tool_calls",
    [
        pytest.param(
            (ToolCall(name="run_python", arguments=ARGUMENTS),), id="invented name"
        ),
        pytest.param(
            (
                ToolCall(name="execute_script", arguments=ARGUMENTS),
                ToolCall(name="other", arguments=ARGUMENTS),
            ),
            id="right name and another call",
        ),
    ],
)
def test_tool_call_that_is_clearly_the_action_is_used(
    tool_calls: tuple[ToolCall, ...],
) -> None:
    reply = Reply(text="", tool_calls=tool_calls)

    assert action_call(reply) == tool_calls[0]


@pytest.mark.parametrize(
    "tool_calls",
    [
        pytest.param(
            (
                ToolCall(
                    name="run_python",
                    arguments='{"path": "/a", "code": "print(1)", "state": ""}',
                ),
            ),
            id="argument that no action has",
        ),
        pytest.param(
            (
                ToolCall(name="run_python", arguments=ARGUMENTS),
                ToolCall(name="run_python", arguments=ARGUMENTS),
            ),
            id="two calls of an unknown tool",
        ),
    ],
)
def test_tool_call_that_may_mean_something_else_is_not_used(
    tool_calls: tuple[ToolCall, ...],
) -> None:
    """The parser never guesses which program to run."""
    reply = Reply(text="", tool_calls=tool_calls)

    assert action_call(reply) is None
