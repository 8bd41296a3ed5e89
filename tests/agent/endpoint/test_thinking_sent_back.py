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

THINKING_MESSAGE = {
    "content": "so",
    "reasoning_content": "hm",
    "reasoning_details": [{"type": "reasoning.encrypted", "data": "sealed"}],
    "tool_calls": None,
}
"""A reply of a model that has thought, and then says "so"."""

# Gemini signs a call, and refuses it in later requests if the signature is missing.
SIGNED_CALL = {
    "id": "a",
    "type": "function",
    "function": {"name": "look", "arguments": '{"x": 1}'},
    "extra_content": {"google": {"thought_signature": "signed"}},
}
THINKING_MESSAGE_WITH_CALL = {**THINKING_MESSAGE, "tool_calls": [SIGNED_CALL]}

LOOK_TOOL = Tool(
    name="look", description="Look.", parameters={"type": "object", "properties": {}}
)


class TestReadThinking:
    """The thinking of a reply is read, if it has a known shape."""

    @pytest.mark.parametrize(
        "message",
        [
            pytest.param(THINKING_MESSAGE, id="without a call"),
            pytest.param(THINKING_MESSAGE_WITH_CALL, id="with a call"),
        ],
    )
    def test_thinking_in_plain_text_is_read(self, message: dict[str, object]) -> None:
        response = http_response(200, json.dumps({"choices": [{"message": message}]}))
        with model_server(response) as server:
            settings = EndpointSettings("m", server.url)
            reply = single_reply_of(settings, MESSAGES, tools=[LOOK_TOOL])

        assert reply.reasoning == "hm"

    def test_thinking_of_an_unknown_shape_is_left_out(self) -> None:
        """A chat completion has the field in which replies of the Responses API have a list."""
        message = {"content": "so", "reasoning_items": 5, "tool_calls": [SIGNED_CALL]}
        response = http_response(200, json.dumps({"choices": [{"message": message}]}))

        with model_server(response) as server:
            settings = EndpointSettings("m", server.url)
            reply = single_reply_of(settings, MESSAGES, tools=[LOOK_TOOL])

        assert [call.name for call in reply.tool_calls] == ["look"]
        assert reply.thinking == ()


def message_sent_back(
    message: dict[str, object], thinking_back: ThinkingBack
) -> dict[str, object]:
    """Return the model's message as the next request repeats it."""
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


def thinking_fields_of(message: dict[str, object]) -> set[str]:
    """Return the fields of a message that hold thinking. Vendors use one or two of three fields."""
    all_fields = {"reasoning", "reasoning_content", "reasoning_details"}
    return all_fields & message.keys()


def is_signed(message: dict[str, object]) -> bool:
    """Return True if the calls of a message have the signature that came with them."""
    return "signed" in str(message.get("tool_calls"))


class TestThinkingSentBack:
    """The next request repeats a message with the thinking that the vendor wants.

    The model's message has thinking in `reasoning_content` and in `reasoning_details`. If it has a
    call, the call is signed by the vendor. `message_sent_back` returns what the next request
    repeats of it.
    """

    def test_thinking_before_a_call_is_sent_back_by_default(self) -> None:
        """A vendor may refuse a call that comes back without its thinking or its signature. Of the
        two fields with thinking, OpenRouter wants `reasoning_details` back."""
        message = message_sent_back(THINKING_MESSAGE_WITH_CALL, thinking_back="auto")

        assert thinking_fields_of(message) == {"reasoning_details"}
        assert is_signed(message)

    def test_thinking_without_a_call_is_not_sent_back_by_default(self) -> None:
        """No vendor requires it, and it would make each further request more expensive."""
        message = message_sent_back(THINKING_MESSAGE, thinking_back="auto")

        assert thinking_fields_of(message) == set()
        assert not is_signed(message)

    @pytest.mark.parametrize(
        "message_of_model",
        [
            pytest.param(THINKING_MESSAGE, id="without a call"),
            pytest.param(THINKING_MESSAGE_WITH_CALL, id="with a call"),
            pytest.param(
                {**THINKING_MESSAGE, "reasoning_items": []},
                id="from a gateway to the Responses API",
            ),
        ],
    )
    def test_thinking_is_sent_back_in_the_field_that_the_user_has_set(
        self, message_of_model: dict[str, object]
    ) -> None:
        """The user knows what the vendor wants. Nothing else is sent back, not even the signature
        of a call."""
        message = message_sent_back(message_of_model, thinking_back="reasoning_content")

        assert thinking_fields_of(message) == {"reasoning_content"}
        assert not is_signed(message)

    def test_thinking_is_never_sent_back_if_the_user_has_set_that(self) -> None:
        """With `none`, the signature of a call is left out as well."""
        message = message_sent_back(THINKING_MESSAGE_WITH_CALL, thinking_back="none")

        assert thinking_fields_of(message) == set()
        assert not is_signed(message)
