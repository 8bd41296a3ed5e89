"""One request to a model's endpoint, sent to a real HTTP server on this machine.

The tests show how an action is requested, that the user's key never becomes visible, and
that no server can hang a run or fill its memory: every request ends in time, and a reply
that is too large is refused.
"""

import gzip
import socket
import threading
from contextlib import closing

import pytest

from controlplane.agent.endpoint import Endpoint, EndpointSettings
from controlplane.agent.model import ReplyMode
from controlplane.agent.reply.action import Action
from controlplane.agent.reply.reply import action_of
from controlplane.sandbox.interface import bounds
from tests.support.byte_server import free_port
from tests.support.endpoints import (
    ACTION_JSON,
    CANARY_API_KEY,
    MESSAGES,
    ModelHttpRequest,
    action_text_of,
    completion_json,
    error_of_request,
    error_response,
    http_response,
    model_server,
    request_reply,
)

MIB = 2**20

# A model is asked for an action, a JSON object with the script to run: `{"code": "print(1)", ...}`. It
# replies with the action as text, or as the arguments of a tool call.
TEXT_COMPLETION = completion_json(ACTION_JSON)
CALL_COMPLETION = completion_json(None, tool=ACTION_JSON, finish="tool_calls")


@pytest.mark.parametrize(
    ("mode", "completion"),
    [
        (ReplyMode.SCHEMA, TEXT_COMPLETION),
        (ReplyMode.JSON, TEXT_COMPLETION),
        (ReplyMode.TEXT, TEXT_COMPLETION),
        (ReplyMode.TOOL, CALL_COMPLETION),
    ],
)
def test_action_is_read_in_every_reply_mode(mode: ReplyMode, completion: str) -> None:
    """A reply mode is the way in which a model is asked for an action."""
    with model_server(http_response(200, completion)) as server:
        reply = request_reply(server.url, mode=mode)

    action = action_of(action_text_of(reply))
    assert isinstance(action, Action)
    assert action.code == "print(1)"


@pytest.mark.parametrize(
    ("mode", "completion", "format_type", "has_tools"),
    [
        (ReplyMode.SCHEMA, TEXT_COMPLETION, "json_schema", False),
        (ReplyMode.JSON, TEXT_COMPLETION, "json_object", False),
        (ReplyMode.TEXT, TEXT_COMPLETION, None, False),
        (ReplyMode.TOOL, CALL_COMPLETION, None, True),
    ],
)
def test_request_has_the_form_of_its_reply_mode(
    mode: ReplyMode, completion: str, format_type: str | None, has_tools: bool
) -> None:
    """An action is requested by a JSON schema, as any JSON object, as text, or by a tool. The other
    fields are the same in all modes."""
    with model_server(http_response(200, completion)) as server:
        request_reply(server.url, mode=mode, max_output_tokens=50, temperature=0.5)

    request = server.asked[0]
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {CANARY_API_KEY}"
    assert request.body["model"] == "m"
    assert request.body["messages"] == MESSAGES
    assert request.body["max_tokens"] == 50
    assert request.body["temperature"] == 0.5
    response_format = request.body.get("response_format", {})
    assert response_format.get("type") == format_type
    assert ("tools" in request.body) == has_tools


def test_key_in_a_reply_is_replaced() -> None:
    """The server repeats the key that it got. Replies are written to the journal, so the key must not
    be in them."""

    def repeat_key(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        key = request.headers["authorization"]
        return http_response(200, completion_json(f"your key is {key}"))

    with model_server(repeat_key) as server:
        reply = request_reply(server.url)

    assert "your key is" in reply.text
    assert CANARY_API_KEY not in reply.text


def test_key_in_an_address_is_not_shown_in_settings_and_errors() -> None:
    """The address has the key as the user's name and password, and the server repeats it in its error.
    `error_of_request` checks that the key is nowhere in the error and its traceback."""
    refusal = error_response(401, f"bad {CANARY_API_KEY}")

    with model_server(refusal) as server:
        host = f"127.0.0.1:{server.port}"
        url_with_key = f"http://user-{CANARY_API_KEY}:{CANARY_API_KEY}@{host}/v1"
        settings = EndpointSettings("m", url_with_key, CANARY_API_KEY)
        error = error_of_request(url_with_key)

    assert CANARY_API_KEY not in repr(settings)
    assert CANARY_API_KEY not in settings.shown_url
    assert f"http://{host}/v1" in str(error)


def test_address_without_a_server_is_an_error_that_may_pass() -> None:
    """The server may be starting, so the request may be tried again. All trials meet this error."""
    error = error_of_request(f"http://127.0.0.1:{free_port()}/v1")

    assert error.retryable
    assert error.affects_all
    assert "cannot be reached (" in str(error)
    assert "refused" in str(error).lower()


def test_address_with_an_unknown_host_is_an_error_that_may_pass() -> None:
    """Names cannot be found while the network is down, so the request may be tried again."""
    error = error_of_request("http://no-such-host.invalid/v1")

    assert error.retryable
    assert error.affects_all
    assert "host name that is not found" in str(error)


def test_error_of_a_proxy_names_the_proxy_and_not_the_endpoint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All requests go through a proxy on this machine, which refuses them with the status 407: it
    requires a login."""
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        proxy_port = proxy.getsockname()[1]
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy_port}")
        monkeypatch.setenv("NO_PROXY", "")

        def refuse_one_connection() -> None:
            connection, _ = proxy.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(
                    b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n"
                )

        thread = threading.Thread(target=refuse_one_connection)
        thread.start()
        error = error_of_request("https://models.invalid/v1")
        thread.join()

    expected_text = (
        "through the proxy (407 Proxy Authentication Required); fix HTTPS_PROXY"
    )
    assert expected_text in str(error)


@pytest.mark.parametrize(
    ("beginning", "repeated_bytes"),
    [
        pytest.param(b"", b"", id="silence"),
        pytest.param(b"HTTP/1.1 200 OK\r\n", b"x-y: z\r\n", id="headers without end"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n", b" ", id="slow body"
        ),
    ],
)
def test_reply_that_does_not_end_is_given_up_after_the_timeout(
    beginning: bytes, repeated_bytes: bytes
) -> None:
    """The server sends a beginning, and then a few bytes again and again, without end.

    The timeout is for the whole reply, so that these bytes do not extend it.
    """

    def respond_slowly(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        connection.sendall(beginning)
        while not server.ended.wait(0.05):
            connection.sendall(repeated_bytes)
        return b""

    with model_server(respond_slowly) as server:
        error = error_of_request(server.url, timeout_s=0.4)

    assert error.retryable
    assert error.affects_all
    assert "did not answer within 0.4 s" in str(error)
    assert "--model-timeout" in str(error)


def test_body_without_end_is_not_read_beyond_the_size_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The server sends blanks until the connection is closed. The limit is lowered to 1 MiB, so that
    the test is fast."""
    monkeypatch.setattr(bounds, "MOST_REPLY_BYTES", MIB)
    sent_sizes: list[int] = []

    def send_blanks(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        endless_length = b"content-length: 100000000000\r\n\r\n"
        connection.sendall(b"HTTP/1.1 200 OK\r\n" + endless_length)
        while not server.ended.is_set():
            sent_sizes.append(connection.send(b" " * 2**16))
        return b""

    with model_server(send_blanks) as server:
        error = error_of_request(server.url)

    assert "sent more than 1 MiB" in str(error)
    assert error.retryable
    assert error.affects_all
    # Buffers of both sides hold some MiB when the connection is closed, but not much more.
    assert sum(sent_sizes) < 32 * MIB


def test_compressed_body_is_not_unpacked_beyond_the_size_limit() -> None:
    """The body, in gzip, is far smaller than the limit. Unpacked, it is one byte larger."""
    blanks = b" " * (bounds.MOST_REPLY_BYTES + 1)
    head = (
        b"HTTP/1.1 200 OK\r\n"
        b"content-encoding: gzip\r\n"
        b"content-type: application/json\r\n"
        b"connection: close\r\n\r\n"
    )
    body = gzip.compress(blanks, compresslevel=1)

    with model_server(head + body) as server:
        error = error_of_request(server.url)

    limit_mib = bounds.MOST_REPLY_BYTES // MIB
    assert f"sent more than {limit_mib} MiB" in str(error)
    assert error.retryable
    assert error.affects_all


@pytest.mark.parametrize(
    ("configured", "sent"),
    [
        pytest.param(None, 1.0, id="not configured"),
        pytest.param(0.2, 1.0, id="lower"),
        pytest.param(1.5, 1.5, id="higher"),
    ],
)
def test_request_may_raise_the_configured_temperature(
    configured: float | None, sent: float
) -> None:
    """A model that repeats itself is asked with a higher temperature. The request says
    `min_temperature=1.0`, and a configured temperature above that is kept."""
    with model_server(http_response(200, TEXT_COMPLETION)) as server:
        settings = EndpointSettings(
            model="m", base_url=server.url, temperature=configured
        )
        with closing(Endpoint(settings)) as endpoint:
            endpoint.complete([{"role": "user", "content": "x"}], min_temperature=1.0)

    assert server.asked[0].body["temperature"] == sent
