"""Requests of the product to a model's API, and what came of them: a reply or an error.

    with model_server(http_response(200, completion_json("hello"))) as server:
        assert request_reply(server.url).text == "hello"

`Endpoint` is the product's client of such an API.
"""

import traceback
from contextlib import closing

import pytest

from controlplane.agent.endpoint import Endpoint, EndpointSettings
from controlplane.agent.model import Message, ModelError, Reply, ReplyMode
from controlplane.agent.reply.reply import SCHEMA, action_call

CANARY_API_KEY = "sk-canary-0123456789abcdef"
"""The API key of all requests here, which no error may ever show."""
MESSAGES = [Message(role="system", content="s"), Message(role="user", content="u")]
"""The conversation that requests send if a test does not care."""
ACTION_JSON = '{"state": "s", "plan": [], "done": false, "code": "print(1)"}'
"""A model's reply that asks the agent to run `print(1)`."""
LONGEST_ERROR = 700
"""An error's message has fewer characters than this, so that a user still reads it."""


def request_reply(
    url: str,
    *,
    timeout_s: float = 5.0,
    mode: ReplyMode | None = ReplyMode.SCHEMA,
    **settings: object,
) -> Reply:
    """Ask the API at this address once for an action, `{"code": ...}`, and return the reply.

    `mode` says how the model is told the form of an action: by a JSON schema, by a tool, or in the
    text. `settings` are further fields of `EndpointSettings`.
    """
    endpoint_settings = EndpointSettings(
        "m",
        base_url=url,
        api_key=CANARY_API_KEY,
        reply_mode=mode,
        timeout_s=timeout_s,
        **settings,
    )
    return single_reply_of(endpoint_settings, schema=SCHEMA)


def single_reply_of(
    settings: EndpointSettings, messages: list[Message] = MESSAGES, **request: object
) -> Reply:
    """Open an endpoint, the product's client of an API, for one request, and return the reply.

    `request` has further arguments of `Endpoint.complete`, such as `schema`.
    """
    with closing(Endpoint(settings)) as endpoint:
        return endpoint.complete(messages, "solve", **request)


def action_text_of(reply: Reply) -> str:
    """Return the JSON of the action that a reply asks for, such as `ACTION_JSON`.

    The action is in the arguments of the reply's tool call, or else in its text.
    """
    call = action_call(reply)
    if call:
        return call.arguments
    return reply.text


def error_of_request(url: str, **settings: object) -> ModelError:
    """Return the error of a request that must fail; see `request_reply` for the arguments.

    Asserts that its message is one short line, and that nothing of it shows the API key.
    """
    with pytest.raises(ModelError) as caught:
        request_reply(url, **settings)

    error = caught.value
    assert CANARY_API_KEY not in str(error)
    assert CANARY_API_KEY not in repr(error)
    assert CANARY_API_KEY not in "".join(traceback.format_exception(error))
    assert "\n" not in str(error)
    assert len(str(error)) < LONGEST_ERROR
    return error
