"""The user may add headers and fields to each request to a model's API.

Some gateways need them. Values that the user calls secret are shown nowhere:
`headers={"X-Gate": "hush-hush"}, secrets=("hush-hush",)` -> "[key]" wherever it is repeated.
"""

import socket

from controlplane.agent.endpoint import EndpointSettings
from tests.support.endpoint_requests import single_reply_of
from tests.support.endpoints import (
    ModelHttpRequest,
    completion_json,
    http_response,
    model_server,
)


def test_configured_headers_are_sent_and_secret_ones_are_never_shown() -> None:
    """The server repeats the headers `X-Team` and `X-Gate`, of which the latter is a secret. In
    the reply, `[key]` replaces the secret."""

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        team = request.headers["x-team"]
        secret = request.headers["x-gate"]
        return http_response(200, completion_json(f"you sent {team} {secret}"))

    with model_server(respond) as server:
        settings = EndpointSettings(
            "m",
            server.url,
            headers={"X-Team": "blue", "X-Gate": "hush-hush"},
            secrets=("hush-hush",),
        )
        reply = single_reply_of(settings)

    assert reply.text == "you sent blue [key]"
    assert "hush" not in repr(settings)


def test_configured_fields_are_added_to_the_request() -> None:
    """A field of `body` replaces the setting of the same name."""
    with model_server(http_response(200, completion_json("hello"))) as server:
        settings = EndpointSettings(
            "m",
            server.url,
            temperature=0.1,
            body={
                "temperature": 0.7,
                "provider": {"order": ["a"]},
                "chat_template_kwargs": {"enable_thinking": False},
            },
        )
        single_reply_of(settings)

    (request,) = server.asked
    body = request.body
    assert body["temperature"] == 0.7  # not 0.1
    assert body["provider"] == {"order": ["a"]}
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
