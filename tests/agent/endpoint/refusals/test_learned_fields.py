"""A field that a model's API refuses is left out of the requests, and no other field is.

A request is repeated without each refused field, and the user is told once. The field is left out
of all later requests, also by a later process. A refusal for another reason teaches nothing.
"""

import socket
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pytest

from controlplane.agent.endpoint import Endpoint, EndpointSettings
from controlplane.agent.endpoint.errors import read_error_reply
from controlplane.agent.model import Message, ModelError, Reply, ReplyMode
from controlplane.agent.reply.reply import SCHEMA
from tests.agent.endpoint.look_tool import LOOK_TOOL
from tests.support.endpoint_requests import (
    ACTION_JSON,
    MESSAGES,
    error_of_request,
    single_reply_of,
)
from tests.support.phonebook_model import (
    ModelHttpRequest,
    completion_json,
    error_response,
    http_response,
    model_server,
)

# Requests for an action, with every field that one of the vendors refuses.
#
#     with opened_endpoint(server.url) as endpoint:
#         reply = ask_for_action(endpoint)
#
# An action is a JSON object with the script to run.


def opened_endpoint(url: str, learned: Any = None) -> closing[Endpoint]:
    """Return the client of a vendor's API for a `with` block. It sets all fields.

    `learned` is what an earlier client has learned of the vendor, `reply.learned`.
    """
    settings = EndpointSettings(
        "m",
        url,
        max_output_tokens=9,
        temperature=0.5,
        top_p=0.9,
        seed=7,
        reasoning_effort="low",
    )
    return closing(Endpoint(settings, learned))


def ask_for_action(endpoint: Endpoint) -> Reply:
    """Ask for an action, first by a JSON schema, and return the reply."""
    return endpoint.complete(MESSAGES, "solve", SCHEMA)


# A vendor of models that refuses parts of our requests, and accepts a request without them.
#
#     no_seeds = Refusal(if_request_has="'seed'", message="no seeds")
#     Vendor(refusals=(no_seeds,), accepted_fields={"top_p": 0.9}, accepted_mode="json")
#
# refuses each request with a seed, with the message "no seeds". The request that it accepts at last
# has this `top_p`, and asks for a JSON object.


@dataclass(frozen=True)
class Refusal:
    """A vendor's refusal of every request that has a part of some name."""

    if_request_has: str
    """A text in the request's body, as Python prints it: `'seed'` as a key, `json_schema` anywhere."""
    message: str
    """What the vendor says then."""
    status: int = 400
    """The HTTP status of the refusal."""


@dataclass(frozen=True)
class Vendor:
    """An endpoint that refuses parts of our requests."""

    refusals: tuple[Refusal, ...]
    """Each happens once, because the refused part is not sent again."""
    accepted_fields: dict[str, object]
    """Fields of the request that is accepted at last, with their values."""
    accepted_mode: str
    """How that request asks for an action: `schema`, `json` or `text` (see `ReplyMode`)."""

    def respond(self, request: ModelHttpRequest, connection: socket.socket) -> bytes:
        """Return the first refusal that applies to the request, or else an action."""
        for refusal in self.refusals:
            if refusal.if_request_has in str(request.body):
                return error_response(refusal.status, refusal.message)
        return http_response(200, completion_json(ACTION_JSON))

    def assert_accepts(self, body: dict[str, Any]) -> None:
        """Assert that a request has all that the vendor accepts, and nothing that it refuses."""
        for field, value in self.accepted_fields.items():
            assert body[field] == value
        for refusal in self.refusals:
            assert refusal.if_request_has not in str(body)
        has_response_format = self.accepted_mode in ("schema", "json")
        assert ("response_format" in body) == has_response_format
        assert "tools" not in body


# Vendors of models that refuse parameters of our requests, each with its own message and status.
#
# A `Refusal` applies if the request's body, as Python prints it, has a text: `'seed'` is the key of
# `{'seed': 7}`. The first request has `max_tokens=9, temperature=0.5, top_p=0.9, seed=7,
# reasoning_effort="low"`, and asks for an action by a JSON schema. The request that is accepted at last has
# `accepted_fields`, and still asks by a schema (`accepted_mode`).

# It calls the limit of tokens `max_completion_tokens`, and refuses both parameters of sampling.
REASONING_MODEL = Vendor(
    refusals=(
        Refusal(
            if_request_has="'max_tokens'",
            message="Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
        ),
        Refusal(
            if_request_has="'temperature'",
            message="Unsupported value: 'temperature' does not support 0.5 with this model.",
        ),
        Refusal(
            if_request_has="'top_p'",
            message="Unsupported parameter: 'top_p' is not supported with this model.",
        ),
    ),
    accepted_fields={"max_completion_tokens": 9, "seed": 7, "reasoning_effort": "low"},
    accepted_mode="schema",
)

# It takes a schema of the action, but not one that limits the length of a list (`maxItems`).
SCHEMA_WITHOUT_BOUNDS = Vendor(
    refusals=(
        Refusal(
            if_request_has="'maxItems'",
            message="Invalid schema for response_format 'action': 'maxItems' is not permitted.",
        ),
    ),
    accepted_fields={"temperature": 0.5},
    accepted_mode="schema",
)
# It refuses the same, and its message has no quotation marks around the name `maxItems`.
SCHEMA_WITHOUT_BOUNDS_UNQUOTED = Vendor(
    refusals=(
        Refusal(
            if_request_has="'maxItems'",
            message="invalid schema for response format: "
            "response_format/json_schema: maxItems is not supported",
        ),
    ),
    accepted_fields={"temperature": 0.5},
    accepted_mode="schema",
)

# It refuses every field that is not in the first version of the protocol, mostly with status 422.
OLD_PROXY = Vendor(
    refusals=(
        Refusal(
            if_request_has="'strict'",
            message="json_schema.strict: Extra inputs are not permitted",
            status=422,
        ),
        Refusal(
            if_request_has="'seed'",
            message="body.seed: Extra inputs are not permitted",
            status=422,
        ),
        Refusal(
            if_request_has="'reasoning_effort'",
            message="[{'type': 'extra_forbidden', 'loc': ('body', 'reasoning_effort'), 'msg': 'no'}]",
        ),
    ),
    accepted_fields={"temperature": 0.5},
    accepted_mode="schema",
)


# Vendors of models that refuse the way in which a request asks for an action.
#
# A request asks for an action in one of four ways. Once a way is refused, the next one is tried:
#
#     1. by a JSON schema                 'response_format': {'type': 'json_schema', ...}
#     2. by a tool                        'tools': [...], 'tool_choice': {...}, or 'required', or none
#     3. by any JSON object               'response_format': {'type': 'json_object'}
#     4. by words alone                   neither field
#
# `if_request_has` is a part of such a line. `accepted_mode` is the way that is left: `json` or `text`.

# It refuses ways 1 and 2: first each choice of a tool, then tools.
JSON_OBJECTS_ONLY = Vendor(
    refusals=(
        Refusal(
            if_request_has="json_schema",
            message="This response_format type is unavailable now",
        ),
        Refusal(
            if_request_has="'tool_choice': {",
            message="deepseek-reasoner does not support this tool_choice",
        ),
        Refusal(
            if_request_has="'tool_choice': 'required'",
            message="Thinking mode does not support this tool_choice",
        ),
        Refusal(
            if_request_has="'tools'", message="tools are not supported by this model"
        ),
    ),
    accepted_fields={"response_format": {"type": "json_object"}},
    accepted_mode="json",
)

# It refuses ways 1 and 2. It would take tools if it had been started with the option `--jinja`.
LLAMA_CPP_WITHOUT_TEMPLATES = Vendor(
    refusals=(
        Refusal(if_request_has="json_schema", message="failed to parse grammar"),
        Refusal(
            if_request_has="'tools'",
            message="tools param requires --jinja flag",
            status=500,
        ),
    ),
    accepted_fields={"response_format": {"type": "json_object"}},
    accepted_mode="json",
)

# It refuses ways 1, 2 and 3, because none of the vendors behind it accepts them.
GATEWAY_WITHOUT_A_PROVIDER = Vendor(
    refusals=(
        Refusal(
            if_request_has="json_schema",
            message="No endpoints found that can handle the requested parameters.",
            status=404,
        ),
        Refusal(
            if_request_has="'tools'",
            message="No endpoints found that support tool use.",
            status=404,
        ),
        Refusal(
            if_request_has="response_format",
            message="No endpoints found that can handle the requested parameters.",
            status=404,
        ),
    ),
    accepted_fields={},
    accepted_mode="text",
)

# It names fields as its own servers do, or with their values.
GATEWAY_WITH_OTHER_NAMES = Vendor(
    refusals=(
        Refusal(
            if_request_has="'top_p'",
            message="Argument not supported on this model: topP",
        ),
        Refusal(
            if_request_has="'reasoning_effort'",
            message='XaiException - {"code": "invalid", "error": "Argument not supported '
            'on this model: reasoningEffort"}. Fallbacks=[{"a": ["b"]}]',
        ),
        Refusal(
            if_request_has="'temperature'",
            message="gpt-5-nano doesn't support temperature=0.5 while reasoning is active. "
            "Only temperature=1 is supported unless it is off.",
        ),
    ),
    accepted_fields={"seed": 7},
    accepted_mode="schema",
)

# Its programs fail at a schema, two with the status of a failure of the server.
SERVERS_WITHOUT_THIS_SCHEMA = (
    Refusal(
        if_request_has="json_schema",
        message="The provided JSON schema contains features not supported by xgrammar.",
    ),
    Refusal(
        if_request_has="json_schema",
        message='response_format type must be one of "text" or "json_object"',
        status=500,
    ),
    Refusal(
        if_request_has="json_schema",
        message="[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), "
        "'msg': 'no'}]",
        status=500,
    ),
)


# All vendors of models whose refusals are known, as `VENDORS`, for parametrized tests.

VENDORS = [
    pytest.param(REASONING_MODEL, id="reasoning model"),
    pytest.param(JSON_OBJECTS_ONLY, id="JSON objects only"),
    pytest.param(LLAMA_CPP_WITHOUT_TEMPLATES, id="llama.cpp without templates"),
    pytest.param(GATEWAY_WITHOUT_A_PROVIDER, id="gateway without a provider"),
    pytest.param(SCHEMA_WITHOUT_BOUNDS, id="schema without bounds"),
    pytest.param(SCHEMA_WITHOUT_BOUNDS_UNQUOTED, id="the same without quotes"),
    pytest.param(OLD_PROXY, id="old proxy"),
    pytest.param(GATEWAY_WITH_OTHER_NAMES, id="gateway with other names"),
]


@pytest.mark.parametrize("refusal", SERVERS_WITHOUT_THIS_SCHEMA)
def test_a_schema_that_a_server_fails_at_is_not_sent_again(refusal: Refusal) -> None:
    vendor = Vendor((refusal,), accepted_fields={}, accepted_mode="text")
    with (
        model_server(vendor.respond) as server,
        opened_endpoint(server.url) as endpoint,
    ):
        reply = ask_for_action(endpoint)

    assert reply.reply_mode == "tool"
    assert "json_schema" not in str(server.asked[-1].body)


# A request that is refused for another reason than a field is not repeated without the field.
#
# The message of the refusal may still name a field: "maximum context length is 8192 tokens,
# max_tokens is 9". That the conversation is too long is not cured by leaving out `max_tokens`.


@pytest.mark.parametrize("status", [400, 500])
@pytest.mark.parametrize(
    ("message", "expected_error"),
    [
        pytest.param(
            "context size exceeded while building structured output",
            "longer than the model's context",
            id="names what is asked for",
        ),
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
    message: str, expected_error: str, status: int
) -> None:
    """The message names a field, such as `messages`, `max_tokens` or `seed`. But the request is
    refused for another reason, so it is not repeated without the field. Some servers say so with
    the status 500."""
    with model_server(error_response(status, message)) as server:
        settings = EndpointSettings("m", server.url, max_output_tokens=9)
        with pytest.raises(ModelError, match=expected_error):
            single_reply_of(settings, schema=SCHEMA)

    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("message", "model"),
    [
        pytest.param("model 'acme/seed' not found", "acme/seed", id="in quotes"),
        pytest.param("Model not found: acme/seed", "acme/seed", id="at the end"),
        pytest.param("model `seed` is unknown here", "acme/seed", id="without vendor"),
        pytest.param("models/seed is not supported", "seed", id="below a folder"),
    ],
)
def test_the_name_of_an_unknown_model_is_not_taken_for_a_field(
    message: str, model: str
) -> None:
    """The model's name is `seed`, as is that of a field. The request is not repeated without it."""
    with model_server(error_response(404, message)) as server:
        settings = EndpointSettings(model, server.url, seed=7)
        with pytest.raises(ModelError, match="there is no model"):
            single_reply_of(settings, schema=SCHEMA)

    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("message", "fields"),
    [
        pytest.param(
            "'max_tokens' does not support values above 4096", {}, id="values above"
        ),
        pytest.param("max_tokens: 9000 is not supported", {}, id="its value"),
        pytest.param(
            "Unsupported value: 'max_tokens' must be smaller", {}, id="in words"
        ),
        pytest.param(
            "'max_tokens' is not supported so high",
            {"code": "unsupported_value"},
            id="by a code",
        ),
    ],
)
def test_limit_of_tokens_with_a_refused_value_keeps_its_name(
    message: str, fields: dict[str, object]
) -> None:
    """Another name for the field would not help: the user has to choose another value."""
    with model_server(error_response(400, message, **fields)) as server:
        settings = EndpointSettings("m", server.url, max_output_tokens=9000)
        with pytest.raises(ModelError, match="max_tokens"):
            single_reply_of(settings, schema=SCHEMA)

    for request in server.asked:
        assert request.body["max_tokens"] == 9000


def test_field_that_a_failing_server_quotes_is_not_left_out() -> None:
    """With the status 500, the server has failed, and may quote any part of the request."""
    with model_server(error_response(500, "failed at 'seed'")) as server:
        settings = EndpointSettings("m", server.url, seed=7)
        with pytest.raises(ModelError, match="a failure for the moment"):
            single_reply_of(settings, schema=SCHEMA)

    assert len(server.asked) == 1


def test_demand_of_any_tool_is_kept_if_only_that_of_a_certain_tool_is_refused() -> None:
    """The vendor refuses `tool_choice` if it names a tool, and takes `required`."""

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        if request.body["tool_choice"] != "required":
            return error_response(400, "'tool_choice' is not supported")
        return http_response(200, completion_json(None, tool=ACTION_JSON))

    with model_server(respond) as server:
        settings = EndpointSettings("m", server.url, reply_mode=ReplyMode.TOOL)
        reply = single_reply_of(settings, schema=SCHEMA)

    assert len(server.asked) == 2
    (notice,) = reply.notices
    assert "asking for any call" in notice


def test_demand_of_any_tool_that_is_refused_is_left_out() -> None:
    """The request has tools, and demands a call of any. The endpoint is not told to take no
    certain tool, which the request did not demand."""

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        if "tool_choice" in request.body:
            return error_response(400, "'tool_choice' is not supported")
        return http_response(200, completion_json(None, tool=ACTION_JSON))

    with model_server(respond) as server:
        settings = EndpointSettings("m", server.url)
        reply = single_reply_of(settings, tools=[LOOK_TOOL], tool_choice="required")

    assert len(server.asked) == 2
    assert reply.learned is not None
    assert reply.learned.takes_named_tool
    assert not reply.learned.takes_required_tool


def test_refusal_of_a_demand_that_was_not_made_teaches_nothing() -> None:
    """The request leaves it to the model whether it calls a tool."""
    refusal = error_response(400, "'tool_choice' is not supported")

    with model_server(refusal) as server:
        settings = EndpointSettings("m", server.url)
        with pytest.raises(ModelError, match="the request is refused"):
            single_reply_of(settings, tools=[LOOK_TOOL])

    assert len(server.asked) == 2  # the second one is the small request


def test_keyword_of_a_schema_is_left_out_before_the_field_that_has_the_schema() -> None:
    """The error's field names the parameter, and its text the keyword `strict` in the schema."""

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        if "'strict'" in str(request.body):
            return error_response(
                400, "'strict' is not supported", param="response_format"
            )
        return http_response(200, completion_json(ACTION_JSON))

    with model_server(respond) as server:
        reply = single_reply_of(EndpointSettings("m", server.url), schema=SCHEMA)

    assert len(server.asked) == 2
    assert reply.reply_mode == "schema"


def test_lesson_is_not_kept_if_another_request_has_learned_meanwhile() -> None:
    """A request is refused for its seed. Meanwhile one of another trial is refused for `top_p`, and
    keeps that. Only kept lessons are told; a later request learns about the seed."""
    other_messages = [Message(role="user", content="another trial")]

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        is_other = request.body["messages"] == other_messages
        if is_other and "top_p" in request.body:
            return error_response(400, "'top_p' is not supported")
        if not is_other and "seed" in request.body:
            other_reply = endpoint.complete(other_messages)
            assert len(other_reply.notices) <= 1
            return error_response(400, "'seed' is not supported")
        return http_response(200, completion_json("hello"))

    with model_server(respond) as server:
        settings = EndpointSettings("m", server.url, seed=7, top_p=0.9)
        with closing(Endpoint(settings)) as endpoint:
            reply = endpoint.complete(MESSAGES)
            later_reply = endpoint.complete(MESSAGES)

    assert reply.notices == ()
    assert reply.learned is None
    assert later_reply.learned is not None
    assert later_reply.learned.refused == ("top_p", "seed")


def test_field_is_read_from_a_location_in_python_syntax() -> None:
    """FastAPI's `loc` is a tuple, which a gateway has written into a text. Nothing else names the
    field."""
    message = "[{'type': 'extra_forbidden', 'loc': ('body', 'seed'), 'msg': 'no'}]"
    assert read_error_reply(400, {}, message).parameters == ("body", "seed")


def test_refusal_of_tools_that_the_user_asked_for_names_the_option_to_change() -> None:
    """The user chose to ask by tool calls, so this mode is not replaced by another."""
    refusal = error_response(400, "tools are not supported by this model")

    with model_server(refusal) as server:
        error = error_of_request(server.url, mode=ReplyMode.TOOL)

    assert len(server.asked) == 1
    assert error.affects_all
    assert "--reply-mode" in str(error)


# A request to a model's API is repeated without each field that the vendor refuses.
#
# Vendors do not say in advance which fields they accept:
#
#     400 "Unsupported parameter: 'top_p'"    -> the same request without `top_p`
#
# Each `vendor` here is a server that refuses some fields, one in each response. A vendor may also refuse a
# way of asking for an action, such as a JSON schema. Then the next way is tried.


@pytest.mark.parametrize("vendor", VENDORS)
def test_request_is_repeated_without_each_refused_field(vendor: Vendor) -> None:
    """The request sets all fields (`opened_endpoint`), so each refusal of the vendor happens once."""
    with (
        model_server(vendor.respond) as server,
        opened_endpoint(server.url) as endpoint,
    ):
        reply = ask_for_action(endpoint)

    *refused_requests, accepted_request = server.asked
    assert len(refused_requests) == len(vendor.refusals)
    vendor.assert_accepts(accepted_request.body)
    way_of_asking = reply.reply_mode  # a JSON schema, a JSON object or a plain text
    assert way_of_asking == vendor.accepted_mode


@pytest.mark.parametrize("vendor", VENDORS)
def test_user_is_told_once_of_each_refused_field(vendor: Vendor) -> None:
    """The notices are in the first reply, and not in the second one."""
    with (
        model_server(vendor.respond) as server,
        opened_endpoint(server.url) as endpoint,
    ):
        first_reply = ask_for_action(endpoint)
        second_reply = ask_for_action(endpoint)

    assert len(first_reply.notices) == len(vendor.refusals)
    assert second_reply.notices == ()


# A field that a model's API refused once is left out of all later requests.
#
# What an endpoint has learned, such as "takes no `top_p`", is in `reply.learned`, and so in the
# journal of the run. Each `vendor` here is a server that refuses some fields, or a way of asking
# for an action, and accepts a request without them. `opened_endpoint` sets all fields.


@pytest.mark.parametrize("vendor", VENDORS)
def test_refused_field_is_not_sent_again_by_the_same_endpoint(vendor: Vendor) -> None:
    with (
        model_server(vendor.respond) as server,
        opened_endpoint(server.url) as endpoint,
    ):
        ask_for_action(endpoint)
        requests_for_first_reply = len(server.asked)
        second_reply = ask_for_action(endpoint)

    (request,) = server.asked[requests_for_first_reply:]
    vendor.assert_accepts(request.body)
    assert second_reply.reply_mode == vendor.accepted_mode
    assert second_reply.learned is None  # There was nothing new to learn.


@pytest.mark.parametrize("vendor", VENDORS)
def test_refused_field_is_not_sent_by_a_later_process(vendor: Vendor) -> None:
    """A process that resumes the run gives its endpoint what the earlier one has learned."""
    with model_server(vendor.respond) as server:
        with opened_endpoint(server.url) as endpoint:
            learned = ask_for_action(endpoint).learned
        assert learned is not None
        requests_for_first_reply = len(server.asked)
        with opened_endpoint(server.url, learned) as later_endpoint:
            later_reply = ask_for_action(later_endpoint)

    (request,) = server.asked[requests_for_first_reply:]
    vendor.assert_accepts(request.body)
    assert later_reply.reply_mode == vendor.accepted_mode
    assert later_reply.notices == ()
