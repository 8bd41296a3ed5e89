"""A request of OpenAI's Responses API, the newer of two protocols that we speak to models.

Whoever uses an endpoint does not notice which of the two it speaks. The fields here are the same in
each *reply mode*, that is, however the model is asked for its next script.
"""

import pytest

from controlplane.agent.endpoint import EndpointSettings
from controlplane.agent.model import ReplyMode
from controlplane.agent.reply.action_call import SCHEMA
from tests.agent.endpoint.responses.reply_modes import REPLY_MODES
from tests.agent.endpoint.responses.responses_items import ask_for_action, response_with
from tests.support.endpoint_requests import MESSAGES, single_reply_of
from tests.support.endpoints import model_server


@pytest.mark.parametrize(("mode", "item"), REPLY_MODES)
def test_request_has_the_fields_of_the_protocol(
    mode: ReplyMode, item: dict[str, object]
) -> None:
    """The older protocol calls them `messages`, `max_tokens` and `reasoning_effort`."""
    with model_server(response_with(item)) as server:
        settings = EndpointSettings(
            "m",
            server.url,
            api="responses",
            reply_mode=mode,
            max_output_tokens=50,
            reasoning_effort="low",
        )
        single_reply_of(settings, MESSAGES, schema=SCHEMA)

    (request,) = server.asked
    assert request.path == "/v1/responses"
    assert request.body["input"] == MESSAGES
    assert request.body["max_output_tokens"] == 50
    assert request.body["reasoning"] == {"effort": "low"}


@pytest.mark.parametrize(("mode", "item"), REPLY_MODES)
def test_vendor_is_told_not_to_store_the_conversation(
    mode: ReplyMode, item: dict[str, object]
) -> None:
    """By default, OpenAI keeps each response, and its users find it in the dashboard. The user
    of an endpoint has not agreed to that."""
    with model_server(response_with(item)) as server:
        ask_for_action(server.url, mode)

    (request,) = server.asked
    assert request.body["store"] is False
