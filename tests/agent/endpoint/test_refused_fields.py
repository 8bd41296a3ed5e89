"""Endpoints that refuse a field of our requests, such as `temperature` or `tools`.

Vendors do not accept the same fields, and none says in advance which. So the endpoint
reads the refusal, leaves the field out, asks again, and remembers it for later requests:
400 "Unsupported parameter: 'top_p'" -> the same request without `top_p`.
"""

from contextlib import closing
from typing import Any

import pytest

from controlplane.agent.endpoint import Endpoint, EndpointSettings
from controlplane.agent.model import ModelError, ReplyMode
from controlplane.agent.reply.action_schema import SCHEMA
from tests.agent.endpoint.refusing_vendor import Vendor, settings_with_all_fields
from tests.agent.endpoint.refusing_vendors import (
    GATEWAY_WITHOUT_A_PROVIDER,
    JSON_OBJECTS_ONLY,
    LLAMA_CPP_WITHOUT_TEMPLATES,
    OLD_PROXY,
    REASONING_MODEL,
    SCHEMA_WITHOUT_BOUNDS,
    SCHEMA_WITHOUT_BOUNDS_UNQUOTED,
)
from tests.support.endpoint_requests import MESSAGES, error_of_request, single_reply_of
from tests.support.endpoints import error_response, model_server

every_vendor = pytest.mark.parametrize(
    "vendor",
    [
        pytest.param(REASONING_MODEL, id="reasoning model"),
        pytest.param(JSON_OBJECTS_ONLY, id="JSON objects only"),
        pytest.param(LLAMA_CPP_WITHOUT_TEMPLATES, id="llama.cpp without templates"),
        pytest.param(GATEWAY_WITHOUT_A_PROVIDER, id="gateway without a provider"),
        pytest.param(SCHEMA_WITHOUT_BOUNDS, id="schema without bounds"),
        pytest.param(SCHEMA_WITHOUT_BOUNDS_UNQUOTED, id="the same without quotes"),
        pytest.param(OLD_PROXY, id="old proxy"),
    ],
)


def check_is_accepted(body: dict[str, Any], vendor: Vendor) -> None:
    """Assert that a request has all that the vendor accepts, and nothing that it refuses."""
    for field, value in vendor.accepted_fields.items():
        assert body[field] == value
    for refusal in vendor.refusals:
        assert refusal.if_request_has not in str(body)
    has_response_format = vendor.accepted_mode in ("schema", "json")
    assert ("response_format" in body) == has_response_format
    assert "tools" not in body


class TestRepeatedRequests:
    """A request is repeated without each field that the vendor refuses.

    Each `vendor` is a server that refuses some fields, or a way of asking for an action, and
    accepts a request without them. `settings_with_all_fields` sets all of them.
    """

    @every_vendor
    def test_request_is_repeated_without_each_refused_field(
        self, vendor: Vendor
    ) -> None:
        """If the vendor refuses the way in which an action is requested (`json_schema` or `tools`),
        the endpoint tries another way."""
        with model_server(vendor.respond) as server:
            settings = settings_with_all_fields(server.url)
            reply = single_reply_of(settings, schema=SCHEMA)

        assert reply.reply_mode == vendor.accepted_mode
        *refused_requests, accepted_request = server.asked
        assert len(refused_requests) == len(vendor.refusals)
        check_is_accepted(accepted_request.body, vendor)

    @every_vendor
    def test_user_is_told_once_of_each_refused_field(self, vendor: Vendor) -> None:
        """The notices are in the first reply, and not in the second one."""
        with model_server(vendor.respond) as server:
            settings = settings_with_all_fields(server.url)
            with closing(Endpoint(settings)) as endpoint:
                first_reply = endpoint.complete(MESSAGES, "solve", SCHEMA)
                second_reply = endpoint.complete(MESSAGES, "solve", SCHEMA)

        assert len(first_reply.notices) == len(vendor.refusals)
        assert second_reply.notices == ()


class TestLearnedFields:
    """A field that was refused once is left out of all later requests.

    What an endpoint has learned is in `reply.learned`, and so in the journal.
    """

    @every_vendor
    def test_refused_field_is_not_sent_again_by_the_same_endpoint(
        self, vendor: Vendor
    ) -> None:
        """The endpoint has learned it from the first request, so the second one is accepted at
        once."""
        with model_server(vendor.respond) as server:
            settings = settings_with_all_fields(server.url)
            with closing(Endpoint(settings)) as endpoint:
                endpoint.complete(MESSAGES, "solve", SCHEMA)
                requests_for_first_reply = len(server.asked)
                second_reply = endpoint.complete(MESSAGES, "solve", SCHEMA)

        (request,) = server.asked[requests_for_first_reply:]
        check_is_accepted(request.body, vendor)
        assert second_reply.reply_mode == vendor.accepted_mode
        assert second_reply.learned is None  # There was nothing new to learn.

    @every_vendor
    def test_refused_field_is_not_sent_by_a_later_process(self, vendor: Vendor) -> None:
        """A process that resumes the run gives its endpoint what the earlier one has learned."""
        with model_server(vendor.respond) as server:
            settings = settings_with_all_fields(server.url)
            first_reply = single_reply_of(settings, schema=SCHEMA)
            assert first_reply.learned is not None
            requests_for_first_reply = len(server.asked)
            with closing(Endpoint(settings, first_reply.learned)) as later_endpoint:
                later_reply = later_endpoint.complete(MESSAGES, "solve", SCHEMA)

        (request,) = server.asked[requests_for_first_reply:]
        check_is_accepted(request.body, vendor)
        assert later_reply.reply_mode == vendor.accepted_mode
        assert later_reply.notices == ()


class TestOtherRefusals:
    """A request that is refused for another reason is not repeated.

    The message of the refusal may still name a field, such as `max_tokens`.
    """

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
        self, message: str, expected_error: str
    ) -> None:
        """The message names a field, such as `messages`, `max_tokens` or `seed`. But the request is
        refused for another reason, so it is not repeated without the field."""
        with model_server(error_response(400, message)) as server:
            settings = EndpointSettings("m", server.url, max_output_tokens=9)
            with pytest.raises(ModelError, match=expected_error):
                single_reply_of(settings, schema=SCHEMA)

        assert len(server.asked) == 1

    def test_refusal_of_tools_that_the_user_asked_for_names_the_option_to_change(
        self,
    ) -> None:
        """The user chose to ask by tool calls, so this mode is not replaced by another."""
        refusal = error_response(400, "tools are not supported by this model")

        with model_server(refusal) as server:
            error = error_of_request(server.url, mode=ReplyMode.TOOL)

        assert len(server.asked) == 1
        assert error.affects_all
        assert "--reply-mode" in str(error)
