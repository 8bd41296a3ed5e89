"""A conversation of two requests with a model behind OpenAI's Responses API.

First request: the model thinks, and calls the tool `look` twice. Second request: OpenAI has stored
nothing, so the request has all again: the thought, the two calls, and the result of the first one.
"""

from controlplane.agent.model import Message, ToolCall
from tests.agent.endpoint.look_tool import ask_with_tool
from tests.agent.endpoint.responses.responses_items import THOUGHT_ITEM, response_with
from tests.support.endpoint_requests import MESSAGES
from tests.support.endpoints import model_server

THOUGHT_AND_TWO_CALLS = response_with(
    THOUGHT_ITEM,
    {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"},
    {"type": "function_call", "call_id": "b", "name": "look", "arguments": '{"x": 1}'},
)


def test_calls_are_read_in_order() -> None:
    """The model's response has a thought, and then the calls "a" and "b"."""
    with model_server(THOUGHT_AND_TWO_CALLS) as server:
        reply = ask_with_tool(server.url, MESSAGES, api="responses")

    assert reply.tool_calls == (
        ToolCall(name="look", arguments="{}", id="a"),
        ToolCall(name="look", arguments='{"x": 1}', id="b"),
    )


def test_thought_and_calls_are_sent_back_in_order() -> None:
    """OpenAI has stored nothing of the first request. So the second one has its two messages, what the
    model replied, and the result of the call "a"."""
    with model_server(THOUGHT_AND_TWO_CALLS) as server:
        reply = ask_with_tool(server.url, MESSAGES, api="responses")
        calls_message = Message(
            role="assistant",
            content="",
            tool_calls=reply.tool_calls,
            thinking=reply.thinking,
        )
        result_message = Message(role="tool", content="seen", tool_call_id="a")
        conversation = [*MESSAGES, calls_message, result_message]
        ask_with_tool(server.url, conversation, api="responses")

    _first_request, second_request = server.asked
    items = second_request.body["input"]
    system, user, thought, first_call, second_call, result = items
    assert system["role"] == "system"
    assert user["role"] == "user"
    assert thought == THOUGHT_ITEM
    assert first_call["type"] == "function_call"
    assert second_call["type"] == "function_call"
    assert result["type"] == "function_call_output"


def test_thoughts_are_requested_in_a_form_that_can_be_sent_back() -> None:
    """OpenAI does not show thoughts to anybody. But it includes them in encrypted form if the request
    says so."""
    with model_server(THOUGHT_AND_TWO_CALLS) as server:
        ask_with_tool(server.url, MESSAGES, api="responses")

    (request,) = server.asked
    assert request.body["include"] == ["reasoning.encrypted_content"]
