"""A request that is refused for another reason than a field is not repeated without the field.

The message of the refusal may still name a field: "maximum context length is 8192 tokens,
max_tokens is 9". That the conversation is too long is not cured by leaving out `max_tokens`.
"""

import pytest

from controlplane.agent.endpoint import EndpointSettings
from controlplane.agent.model import ModelError, ReplyMode
from controlplane.agent.reply.action_call import SCHEMA
from tests.support.endpoint_requests import error_of_request, single_reply_of
from tests.support.endpoints import error_response, model_server


@pytest.mark.parametrize(
    ("message", "expected_error"),
    [
        pytest.param(
            "messages.3: prompt is too long: 210000 tokens > 200000 maximum",
            "longer than the model's context",
            id="names the messages",
        ),
        pytest.param(
            "This model's maximum context length is 8192 tokens, max_tokens is 9",
            "longer than the model's context",
            id="names max_tokens",
        ),
        pytest.param(
            "Image in messages was flagged: see docs/reasoning and the seed",
            "refused for its content",
            id="names reasoning and the seed",
        ),
    ],
)
def test_field_that_is_only_mentioned_in_a_refusal_is_not_left_out(
    message: str, expected_error: str
) -> None:
    """The message names a field, such as `messages`, `max_tokens` or `seed`. But the request is
    refused for another reason, so it is not repeated without the field."""
    with model_server(error_response(400, message)) as server:
        settings = EndpointSettings("m", server.url, max_output_tokens=9)
        with pytest.raises(ModelError, match=expected_error):
            single_reply_of(settings, schema=SCHEMA)

    assert len(server.asked) == 1


def test_refusal_of_tools_that_the_user_asked_for_names_the_option_to_change() -> None:
    """The user chose to ask by tool calls, so this mode is not replaced by another."""
    refusal = error_response(400, "tools are not supported by this model")

    with model_server(refusal) as server:
        error = error_of_request(server.url, mode=ReplyMode.TOOL)

    assert len(server.asked) == 1
    assert error.affects_all
    assert "--reply-mode" in str(error)
