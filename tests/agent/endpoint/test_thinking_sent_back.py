"""A model's thinking, which some vendors want back in the next request of the conversation.

A reply may have its thinking in two fields, as plain text and encrypted:
`{"reasoning_content": "hm", "reasoning_details": [{"data": "sealed"}]}`. The setting `thinking_back`
says which field is sent back: `auto`, by what is known of vendors, a field's name, or `none`.
"""

import json

import pytest

from controlplane.agent.endpoint import EndpointSettings, ThinkingBack
from controlplane.agent.model import Message, Tool
from tests.support.endpoint_requests import MESSAGES, single_reply_of
from tests.support.endpoints import http_response, model_server

LOOK_TOOL = Tool(
    name="look", description="Look.", parameters={"type": "object", "properties": {}}
)


def message_sent_back(
    message: dict[str, object], thinking_back: ThinkingBack
) -> dict[str, object]:
    """Let a model reply with a message, and return it as the next request repeats it."""
    response = http_response(200, json.dumps({"choices": [{"message": message}]}))
    with model_server(response) as server:
        settings = EndpointSettings("m", server.url, thinking_back=thinking_back)
        reply = single_reply_of(settings, MESSAGES, tools=[LOOK_TOOL])
        repeated_message = Message(
            role="assistant",
            content=reply.text,
            tool_calls=reply.tool_calls,
            thinking=reply.thinking,
        )
        single_reply_of(settings, [*MESSAGES, repeated_message], tools=[LOOK_TOOL])

    _first_request, second_request = server.asked
    last_message: dict[str, object] = second_request.body["messages"][-1]
    return last_message


def look_call(**signature: object) -> dict[str, object]:
    """Return a call of the tool `look`. Gemini signs a call, as `extra_content`."""
    function = {"name": "look", "arguments": '{"x": 1}'}
    return {"id": "a", "type": "function", "function": function, **signature}


SIGNATURE = {"google": {"thought_signature": "signed"}}


class TestMessagesWithoutCalls:
    """The model has thought "hm", and then says "so"."""

    def test_thinking_is_not_sent_back_by_default(self) -> None:
        """No vendor requires it, and it would make each further request more expensive."""
        message = {
            "content": "so",
            "reasoning_content": "hm",
            "reasoning_details": [{"type": "reasoning.encrypted", "data": "sealed"}],
        }

        sent_back = message_sent_back(message, thinking_back="auto")

        assert sent_back == {"role": "assistant", "content": "so"}

    def test_thinking_is_sent_back_in_the_field_that_the_user_has_set(self) -> None:
        message = {
            "content": "so",
            "reasoning_content": "hm",
            "reasoning_details": [{"type": "reasoning.encrypted", "data": "sealed"}],
        }

        sent_back = message_sent_back(message, thinking_back="reasoning_content")

        assert sent_back == {
            "role": "assistant",
            "content": "so",
            "reasoning_content": "hm",
        }

    def test_thinking_of_a_gateway_to_the_responses_api_is_sent_back_alike(
        self,
    ) -> None:
        """Such a gateway adds the field in which replies of the Responses API have a list."""
        message = {"content": "so", "reasoning_content": "hm", "reasoning_items": []}

        sent_back = message_sent_back(message, thinking_back="reasoning_content")

        assert sent_back == {
            "role": "assistant",
            "content": "so",
            "reasoning_content": "hm",
        }


class TestMessagesWithCalls:
    """The model has thought "hm", and then calls a tool. The vendor has signed the call."""

    def test_thinking_and_signature_are_sent_back_by_default(self) -> None:
        """A vendor may refuse a call that comes back without its thinking or its signature. Of the
        two fields with thinking, OpenRouter wants `reasoning_details` back."""
        message = {
            "content": "so",
            "reasoning_content": "hm",
            "reasoning_details": [{"type": "reasoning.encrypted", "data": "sealed"}],
            "tool_calls": [look_call(extra_content=SIGNATURE)],
        }

        sent_back = message_sent_back(message, thinking_back="auto")

        assert sent_back == {
            "role": "assistant",
            "content": "so",
            "reasoning_details": [{"type": "reasoning.encrypted", "data": "sealed"}],
            "tool_calls": [look_call(extra_content=SIGNATURE)],
        }

    def test_only_the_field_that_the_user_has_set_is_sent_back(self) -> None:
        """The user knows what the vendor wants, so that the signature is left out, too."""
        message = {
            "content": "so",
            "reasoning_content": "hm",
            "reasoning_details": [{"type": "reasoning.encrypted", "data": "sealed"}],
            "tool_calls": [look_call(extra_content=SIGNATURE)],
        }

        sent_back = message_sent_back(message, thinking_back="reasoning_content")

        assert sent_back == {
            "role": "assistant",
            "content": "so",
            "reasoning_content": "hm",
            "tool_calls": [look_call()],
        }

    def test_nothing_is_sent_back_if_the_user_has_set_that(self) -> None:
        message = {
            "content": "so",
            "reasoning_content": "hm",
            "tool_calls": [look_call(extra_content=SIGNATURE)],
        }

        sent_back = message_sent_back(message, thinking_back="none")

        assert sent_back == {
            "role": "assistant",
            "content": "so",
            "tool_calls": [look_call()],
        }


class TestReadThinking:
    """The thinking of a reply is read, if it has a known shape."""

    @pytest.mark.parametrize(
        "calls",
        [
            pytest.param(None, id="without a call"),
            pytest.param([look_call(extra_content=SIGNATURE)], id="with a call"),
        ],
    )
    def test_thinking_in_plain_text_is_read(self, calls: object) -> None:
        message = {"content": "so", "reasoning_content": "hm", "tool_calls": calls}
        response = http_response(200, json.dumps({"choices": [{"message": message}]}))

        with model_server(response) as server:
            settings = EndpointSettings("m", server.url)
            reply = single_reply_of(settings, MESSAGES, tools=[LOOK_TOOL])

        assert reply.reasoning == "hm"

    def test_thinking_of_an_unknown_shape_is_left_out(self) -> None:
        """A chat completion has the field in which replies of the Responses API have a list."""
        message = {"content": "so", "reasoning_items": 5, "tool_calls": [look_call()]}
        response = http_response(200, json.dumps({"choices": [{"message": message}]}))

        with model_server(response) as server:
            settings = EndpointSettings("m", server.url)
            reply = single_reply_of(settings, MESSAGES, tools=[LOOK_TOOL])

        assert [call.name for call in reply.tool_calls] == ["look"]
        assert reply.thinking == ()
