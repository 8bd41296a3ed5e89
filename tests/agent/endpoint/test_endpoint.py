"""One request to a model's endpoint, sent to a real HTTP server on this machine.

A model is asked for an *action*, a JSON object with the script to run: `{"code": "print(1)"}`. It
may be asked in four ways, the *reply modes*. The user's key is in each request, and nowhere else.
"""

import socket
from contextlib import closing

import pytest

from controlplane.agent.endpoint import Endpoint, EndpointSettings
from controlplane.agent.model import ReplyMode
from controlplane.agent.reply.action import Action
from controlplane.agent.reply.reply import action_of
from tests.support.endpoint_requests import (
    ACTION_JSON,
    CANARY_API_KEY,
    MESSAGES,
    action_text_of,
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

TEXT_COMPLETION = completion_json(ACTION_JSON)
CALL_COMPLETION = completion_json(None, tool=ACTION_JSON, finish="tool_calls")
"""Two replies with the action that runs `print(1)`: as text, and as the arguments of a tool call."""

in_each_reply_mode = pytest.mark.parametrize(
    ("mode", "completion"),
    [
        pytest.param(ReplyMode.SCHEMA, TEXT_COMPLETION, id="schema"),
        pytest.param(ReplyMode.JSON, TEXT_COMPLETION, id="JSON"),
        pytest.param(ReplyMode.TEXT, TEXT_COMPLETION, id="text"),
        pytest.param(ReplyMode.TOOL, CALL_COMPLETION, id="tool"),
    ],
)


class TestReplyModes:
    """A request asks for an action in one of four ways, and the reply is read.

    They are a JSON schema, any JSON object, text, and a tool call. `completion` is the server's
    reply, with the action that runs `print(1)`.
    """

    @in_each_reply_mode
    def test_action_is_read_in_every_reply_mode(
        self, mode: ReplyMode, completion: str
    ) -> None:
        with model_server(http_response(200, completion)) as server:
            reply = request_reply(server.url, mode=mode)

        action = action_of(action_text_of(reply))
        assert isinstance(action, Action)
        assert action.code == "print(1)"

    @pytest.mark.parametrize(
        ("mode", "completion", "format_type", "has_tools"),
        [
            pytest.param(
                ReplyMode.SCHEMA, TEXT_COMPLETION, "json_schema", False, id="schema"
            ),
            pytest.param(
                ReplyMode.JSON, TEXT_COMPLETION, "json_object", False, id="JSON"
            ),
            pytest.param(ReplyMode.TEXT, TEXT_COMPLETION, None, False, id="text"),
            pytest.param(ReplyMode.TOOL, CALL_COMPLETION, None, True, id="tool"),
        ],
    )
    def test_request_has_the_form_of_its_reply_mode(
        self, mode: ReplyMode, completion: str, format_type: str | None, has_tools: bool
    ) -> None:
        """The format tells the vendor to write JSON, and a tool lets the model write arguments."""
        with model_server(http_response(200, completion)) as server:
            request_reply(server.url, mode=mode)

        body = server.asked[0].body
        response_format = body.get("response_format", {})
        assert response_format.get("type") == format_type
        assert ("tools" in body) == has_tools

    @in_each_reply_mode
    def test_request_has_the_settings_in_every_reply_mode(
        self, mode: ReplyMode, completion: str
    ) -> None:
        """The model's name in the settings of `request_reply` is "m"."""
        with model_server(http_response(200, completion)) as server:
            request_reply(server.url, mode=mode, max_output_tokens=50, temperature=0.5)

        request = server.asked[0]
        assert request.path == "/v1/chat/completions"
        assert request.headers["authorization"] == f"Bearer {CANARY_API_KEY}"
        assert request.body["model"] == "m"
        assert request.body["messages"] == MESSAGES
        assert request.body["max_tokens"] == 50
        assert request.body["temperature"] == 0.5


class TestRaisedTemperature:
    """A model that repeats itself is asked with a higher temperature."""

    @pytest.mark.parametrize(
        ("configured", "sent"),
        [
            pytest.param(None, 1.0, id="not configured"),
            pytest.param(0.2, 1.0, id="lower"),
            pytest.param(1.5, 1.5, id="higher"),
        ],
    )
    def test_request_may_raise_the_configured_temperature(
        self, configured: float | None, sent: float
    ) -> None:
        """The request says `min_temperature=1.0`. A configured temperature above that is kept."""
        with model_server(http_response(200, TEXT_COMPLETION)) as server:
            settings = EndpointSettings(
                model="m", base_url=server.url, temperature=configured
            )
            with closing(Endpoint(settings)) as endpoint:
                endpoint.complete(
                    [{"role": "user", "content": "x"}], min_temperature=1.0
                )

        assert server.asked[0].body["temperature"] == sent


class TestKeys:
    """The user's key, here `CANARY_API_KEY`, is sent, and shown nowhere.

    A server may repeat it in a reply or an error, and the user may have put it into the address.
    """

    def test_key_in_a_reply_is_replaced(self) -> None:
        """The server repeats the key that it got. Replies are written to the journal, so the key
        must not be in them."""

        def repeat_key(request: ModelHttpRequest, connection: socket.socket) -> bytes:
            key = request.headers["authorization"]
            return http_response(200, completion_json(f"your key is {key}"))

        with model_server(repeat_key) as server:
            reply = request_reply(server.url)

        assert "your key is" in reply.text
        assert CANARY_API_KEY not in reply.text

    def test_key_in_an_address_is_not_shown_in_settings_and_errors(self) -> None:
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
