"""Conversations with calls of tools, for an endpoint that takes only texts.

A reply with calls becomes a message with a JSON text: `{"calls": [{"name": "read", ...}]}`. Their
results become one message of the user, together with what the user says next.
"""

import json

from controlplane.agent.endpoint.requests import plain_messages
from controlplane.agent.model import Message, ToolCall


def test_calls_become_a_json_text_of_the_model() -> None:
    calls = (
        ToolCall(id="a", name="read", arguments='{"path": "/x"}'),
        ToolCall(id="b", name="list", arguments='{"path": "/"}'),
    )

    (message,) = plain_messages(
        [{"role": "assistant", "content": "", "tool_calls": calls}]
    )

    assert message["role"] == "assistant"
    assert json.loads(message["content"])["calls"] == [
        {"name": "read", "arguments": {"path": "/x"}},
        {"name": "list", "arguments": {"path": "/"}},
    ]


def test_arguments_that_are_not_json_stay_a_string() -> None:
    """The model has written half of a JSON object."""
    call = ToolCall(id="b", name="list", arguments="{")

    (message,) = plain_messages(
        [{"role": "assistant", "content": "", "tool_calls": (call,)}]
    )

    (plain_call,) = json.loads(message["content"])["calls"]
    assert plain_call == {"name": "list", "arguments": "{"}


def test_results_become_one_message_with_what_the_user_says_next() -> None:
    """A result names its call by the id, and its text names the tool instead."""
    calls = (
        ToolCall(id="a", name="read", arguments='{"path": "/x"}'),
        ToolCall(id="b", name="list", arguments="{"),
    )
    conversation: list[Message] = [
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "content": "one", "tool_call_id": "a"},
        {"role": "tool", "content": "two", "tool_call_id": "b"},
        {"role": "user", "content": "which?"},
    ]

    _calls_message, results_message = plain_messages(conversation)

    assert results_message["role"] == "user"
    assert results_message["content"] == (
        '<result of="read">\none\n</result>\n<result of="list">\ntwo\n</result>\nwhich?'
    )
