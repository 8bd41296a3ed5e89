"""The user's key for a model's API is sent with each request, and shown nowhere.

A server may repeat it in a reply or an error, and the user may have put it into the address. The key
of these requests is `CANARY_API_KEY`: "your key is sk-canary-..." -> "your key is [key]".
"""

import socket

from controlplane.agent.endpoint import EndpointSettings
from tests.support.endpoint_requests import (
    CANARY_API_KEY,
    error_of_request,
    request_reply,
)
from tests.support.endpoints import (
    ModelHttpRequest,
    completion_json,
    error_response,
    http_response,
    model_server,
)


def repeat_key(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Reply with the key of the request."""
    key = request.headers["authorization"]
    return http_response(200, completion_json(f"your key is {key}"))


def test_key_in_a_reply_is_replaced() -> None:
    """Replies are written to the journal, so the key must not be in them."""
    with model_server(repeat_key) as server:
        reply = request_reply(server.url)

    assert "your key is" in reply.text
    assert CANARY_API_KEY not in reply.text


def test_key_in_an_address_is_not_shown_in_settings_and_errors() -> None:
    """The address has the key as the user's name and password, and the server repeats it in its
    error. `error_of_request` checks that the key is nowhere in the error and its traceback."""
    refusal = error_response(401, f"bad {CANARY_API_KEY}")

    with model_server(refusal) as server:
        host = f"127.0.0.1:{server.port}"
        url_with_key = f"http://user-{CANARY_API_KEY}:{CANARY_API_KEY}@{host}/v1"
        settings = EndpointSettings("m", url_with_key, CANARY_API_KEY)
        error = error_of_request(url_with_key)

    assert CANARY_API_KEY not in repr(settings)
    assert CANARY_API_KEY not in settings.shown_url
    assert f"http://{host}/v1" in str(error)
