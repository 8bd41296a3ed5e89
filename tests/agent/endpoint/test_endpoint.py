"""The endpoint against a real HTTP server: right replies
in every mode, and one clear line for everything else."""

import gzip
import json
import socket
import threading
import time
from contextlib import closing

import pytest

from controlplane.agent.endpoint import Endpoint, EndpointSettings
from controlplane.agent.endpoint.replies.finish_reasons import finish_reason_of
from controlplane.agent.model import ReplyMode
from controlplane.agent.reply.action import Action
from controlplane.agent.reply.reply import action_of
from controlplane.sandbox.interface import bounds
from tests.support.byte_server import free_port
from tests.support.endpoints import (
    ACTION_JSON,
    CANARY_API_KEY,
    MEETS_EVERY_TRIAL,
    MESSAGES,
    PASSES_BY_ITSELF,
    ModelHttpRequest,
    action_text_of,
    completion_json,
    error_of_request,
    error_response,
    http_response,
    model_server,
    request_reply,
    responding_always,
)

PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head><body><h1>Welcome</h1></body></html>"


@pytest.mark.parametrize("mode", list(ReplyMode))
def test_every_reply_mode_asks_in_its_own_form_and_gives_the_same_action(
    mode: ReplyMode,
) -> None:
    said = (
        completion_json(None, tool=ACTION_JSON, finish="tool_calls")
        if mode is ReplyMode.TOOL
        else completion_json(ACTION_JSON)
    )
    with model_server(http_response(200, said)) as server:
        reply = request_reply(
            server.url, mode=mode, max_output_tokens=50, temperature=0.5
        )
    action = action_of(action_text_of(reply))

    assert isinstance(action, Action)
    assert action.code == "print(1)"
    body = server.asked[0].body
    assert (
        body["model"],
        body["messages"],
        body["max_tokens"],
        body["temperature"],
    ) == (
        "m",
        MESSAGES,
        50,
        0.5,
    )
    form = (
        body.get("response_format", {}).get("type")
        if "response_format" in body
        else None
    )
    assert form == {"schema": "json_schema", "json": "json_object"}.get(mode)
    assert ("tools" in body) == (mode is ReplyMode.TOOL)
    assert server.asked[0].headers["authorization"] == f"Bearer {CANARY_API_KEY}"
    assert server.asked[0].path == "/v1/chat/completions"


THIS_TRIAL = (False, False)
SAID = [
    (
        error_response(401, f"Incorrect API key provided: {CANARY_API_KEY}"),
        MEETS_EVERY_TRIAL,
        ["the key is refused", "OPENAI_API_KEY", "[key]"],
    ),
    (
        error_response(403, "not for you"),
        MEETS_EVERY_TRIAL,
        ["the key is refused (403: not for you)", "OPENAI_API_KEY"],
    ),
    (
        error_response(403, "Input was flagged by moderation"),
        THIS_TRIAL,
        ["403: Input was flagged"],
    ),
    (
        error_response(402, "Insufficient credits"),
        MEETS_EVERY_TRIAL,
        ["no credit is left", "402"],
    ),
    (
        error_response(404, "model not found"),
        MEETS_EVERY_TRIAL,
        ["no model 'm'", "--model", "OPENAI_BASE_URL"],
    ),
    (
        http_response(404, "404 page not found"),
        MEETS_EVERY_TRIAL,
        ["404 page not found", "/v1"],
    ),
    (
        error_response(400, "the request exceeds the available context size"),
        THIS_TRIAL,
        ["--initial-prompt-chars", "context"],
    ),
    (
        error_response(400, "This model's maximum context length is 8 tokens"),
        THIS_TRIAL,
        ["--initial-prompt-chars"],
    ),
    (
        error_response(400, "temperature must be 1"),
        MEETS_EVERY_TRIAL,
        ["the request is refused (400: temperature must be 1)"],
    ),
    (
        http_response(422, '{"detail": [{"msg": "field required"}]}'),
        MEETS_EVERY_TRIAL,
        ["422", "field required"],
    ),
    (
        error_response(400, "Failed to generate JSON", code="json_validate_failed"),
        (True, False),
        ["no proper form"],
    ),
    (
        error_response(429, "slow down"),
        PASSES_BY_ITSELF,
        ["too many requests", "--concurrency", "slow down"],
    ),
    (
        error_response(
            429, "You exceeded your current quota", code="insufficient_quota"
        ),
        MEETS_EVERY_TRIAL,
        ["no credit is left"],
    ),
    (error_response(500, "boom"), PASSES_BY_ITSELF, ["500: boom"]),
    (http_response(503, ""), PASSES_BY_ITSELF, ["(503)"]),
    (
        http_response(523, "<title>Origin is unreachable</title>"),
        PASSES_BY_ITSELF,
        ["(523: Origin is unreachable)"],
    ),
    (http_response(599, ""), PASSES_BY_ITSELF, ["(599)"]),
    (
        http_response(502, "<html><title>502 Bad Gateway</title><body>x</body></html>"),
        PASSES_BY_ITSELF,
        ["(502: 502 Bad Gateway)"],
    ),
    (
        http_response(302, "", {"location": "https://elsewhere.test/"}),
        MEETS_EVERY_TRIAL,
        ["elsewhere.test", "OPENAI_BASE_URL"],
    ),
    (http_response(405, "no"), MEETS_EVERY_TRIAL, ["no requests are taken", "/v1"]),
    (
        http_response(200, PAGE, {"content-type": "text/html"}),
        PASSES_BY_ITSELF,
        ["other than a chat completion", "'Sign in'", "OPENAI_BASE_URL"],
    ),
    (
        http_response(200, ""),
        PASSES_BY_ITSELF,
        ["other than a chat completion", "an empty body"],
    ),
    (
        http_response(200, '{"models": []}'),
        PASSES_BY_ITSELF,
        ["other than a chat completion", "it has no choices", "/v1"],
    ),
    (
        http_response(200, "[" * 100_000),
        PASSES_BY_ITSELF,
        ["other than a chat completion"],
    ),
    (
        http_response(200, f'{{"choices": [{"{}," * 100_000}{{}}]}}'),
        (True, False),
        ["it holds too many values"],
    ),
    (
        http_response(400, f'{{"error": [{"{}," * 100_000}{{}}]}}'),
        MEETS_EVERY_TRIAL,
        ["the request is refused (400"],
    ),
    (
        http_response(200, "{}", {"content-encoding": "br"}),
        PASSES_BY_ITSELF,
        ["content-encoding is 'br'"],
    ),
    (
        http_response(429, "no", {"retry-after": "\u00d9"}),
        PASSES_BY_ITSELF,
        ["too many requests"],
    ),
    (
        http_response(200, b"\xff\xfe\x00" + CANARY_API_KEY.encode()),
        PASSES_BY_ITSELF,
        ["other than a chat completion"],
    ),
    (
        error_response(200, "Provider returned error", code=502),
        PASSES_BY_ITSELF,
        ["502: Provider returned error"],
    ),
    (
        error_response(200, "no key", code=401),
        MEETS_EVERY_TRIAL,
        ["the key is refused"],
    ),
    (
        b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{",
        PASSES_BY_ITSELF,
        ["broke off", "is the server still running?"],
    ),
    (b"", PASSES_BY_ITSELF, ["broke off"]),
    (b"SSH-2.0-OpenSSH\r\n\r\n", PASSES_BY_ITSELF, ["broke off"]),
]


@pytest.mark.parametrize(("answer", "kind", "error_texts"), SAID, ids=range(len(SAID)))
def test_a_reply_without_a_completion_is_one_line_with_its_remedy(
    answer: bytes, kind: tuple[bool, bool], error_texts: list[str]
) -> None:
    """`kind` says whether the error may pass, and whether every trial meets it."""
    may_pass, affects_all = kind

    with model_server(answer) as server:
        error = error_of_request(server.url)

    assert error.retryable == may_pass, error
    assert error.affects_all == affects_all, error
    for text in error_texts:
        assert text in str(error)
    assert f"127.0.0.1:{server.port}/v1" in str(error)
    # An unknown refusal is followed by a small request, which shows whether every trial meets it.
    is_unknown_refusal = str(error).startswith("the request is refused")
    assert len(server.asked) == (2 if is_unknown_refusal else 1)


def test_a_refusal_that_a_small_request_does_not_meet_ends_this_trial_alone() -> None:
    """The server refuses the messages of the trial, and answers the small request."""

    def refuse_trial(asked: ModelHttpRequest, connection: socket.socket) -> bytes:
        if asked.body["messages"] == MESSAGES:
            return error_response(400, "no")
        return http_response(200, completion_json(ACTION_JSON))

    with model_server(refuse_trial) as server:
        error = error_of_request(server.url)

    assert (error.retryable, error.affects_all) == THIS_TRIAL
    trial_body, small_body = [asked.body for asked in server.asked]
    assert small_body["messages"][0] == MESSAGES[0]
    assert small_body.keys() == trial_body.keys()
    # The small request is paid, too: `completion_json` reports 11 and 7 tokens.
    assert error.paid is not None
    assert error.paid.usage.prompt_tokens == 11
    assert error.paid.usage.completion_tokens == 7


# The forms in which gateways pass on an error of another endpoint, with INNER for its message.
WRAPPINGS: list[object] = [
    {
        "error": {
            "message": "Provider returned error",
            "code": 400,
            "metadata": {"raw": "INNER"},
        }
    },
    {
        "error": {
            "message": "All providers failed.",
            "attempts": [{"status": 400, "message": "INNER"}],
        }
    },
    [{"error": {"message": "INNER"}}],
    {"detail": [{"loc": ["body"], "msg": "INNER"}]},
    {"detail": {"error": {"message": "INNER"}}},
    {
        "error": {
            "message": "litellm.BadRequestError: OpenAIException - {'error': {'message': 'INNER'}}"
        }
    },
    {"error": {"message": 'upstream said {"error": {"message": "INNER"}}'}},
    {"success": False, "errors": [{"code": 7, "message": "INNER"}]},
    {"object": "error", "message": "INNER"},
]


@pytest.mark.parametrize("wrapping", WRAPPINGS, ids=range(len(WRAPPINGS)))
def test_an_error_is_read_in_every_wrapping(wrapping: object) -> None:
    inner_message = "Your credit balance is too low to access the API."
    body = json.dumps(wrapping).replace("INNER", inner_message)

    with model_server(http_response(400, body)) as server:
        error = error_of_request(server.url)

    assert (error.retryable, error.affects_all) == MEETS_EVERY_TRIAL
    assert str(error).startswith("no credit is left")
    assert inner_message in str(error)


def test_no_secret_of_the_settings_is_ever_shown() -> None:
    def echo(asked: ModelHttpRequest, connection: socket.socket) -> bytes:
        return http_response(
            200, completion_json(f"your key is {asked.headers['authorization']}")
        )

    with model_server(echo) as server:
        address = (
            f"http://user-{CANARY_API_KEY}:{CANARY_API_KEY}@127.0.0.1:{server.port}/v1"
        )
        settings = EndpointSettings("m", address, CANARY_API_KEY)
        assert CANARY_API_KEY not in repr(settings) + settings.shown_url
        assert CANARY_API_KEY not in request_reply(server.url).text
        server.answer = responding_always(error_response(401, f"bad {CANARY_API_KEY}"))
        assert f"http://127.0.0.1:{server.port}/v1" in str(error_of_request(address))


def test_an_address_where_nobody_listens_cannot_be_reached() -> None:
    error = error_of_request(f"http://127.0.0.1:{free_port()}/v1")

    assert (error.retryable, error.affects_all) == PASSES_BY_ITSELF
    assert "cannot be reached (" in str(error)
    assert "refused" in str(error).lower()


def test_an_address_with_an_unknown_host_is_not_found() -> None:
    error = error_of_request("http://no-such-host.invalid/v1")

    assert (error.retryable, error.affects_all) == PASSES_BY_ITSELF
    assert "host name that is not found" in str(error)


def test_a_proxy_that_refuses_is_told_from_the_endpoint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.getsockname()[1]}")
        monkeypatch.setenv("NO_PROXY", "")

        def refuse() -> None:
            with proxy.accept()[0] as visitor:
                visitor.recv(4096)
                visitor.sendall(
                    b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n"
                )

        thread = threading.Thread(target=refuse)
        thread.start()
        error = error_of_request("https://models.invalid/v1")
        thread.join()

    assert (
        "through the proxy (407 Proxy Authentication Required); fix HTTPS_PROXY"
        in str(error)
    )


HALF_HEAD = b"HTTP/1.1 200 OK\r\n"
WHOLE_HEAD = HALF_HEAD + b"content-length: 100000\r\n\r\n"


@pytest.mark.parametrize(
    ("beginning", "drop"),
    [(b"", b""), (HALF_HEAD, b"x-y: z\r\n"), (WHOLE_HEAD, b" ")],
    ids=["silence", "a head without end", "a body that drips"],
)
def test_a_hang_ends_at_the_time_out_before_the_head_and_in_the_body(
    beginning: bytes, drop: bytes
) -> None:
    """The server sends the beginning of a response, and then a drop again and again."""

    def hang(asked: ModelHttpRequest, connection: socket.socket) -> bytes:
        connection.sendall(beginning)
        while not server.ended.wait(0.05):
            connection.sendall(drop)
        return b""

    with model_server(hang) as server:
        started = time.monotonic()
        error = error_of_request(server.url, timeout_s=0.4)
        assert time.monotonic() - started < 20

    assert (error.retryable, error.affects_all) == PASSES_BY_ITSELF
    assert "did not answer within 0.4 s" in str(error)
    assert "--model-timeout" in str(error)


def test_a_body_without_end_is_not_read_to_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one_mib = 2**20
    monkeypatch.setattr(bounds, "MOST_REPLY_BYTES", one_mib)
    sent_sizes = []

    def flood(asked: ModelHttpRequest, connection: socket.socket) -> bytes:
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100000000000\r\n\r\n")
        while not server.ended.is_set():
            sent_sizes.append(connection.send(b" " * 2**16))
        return b""

    with model_server(flood) as server:
        error = error_of_request(server.url)

    assert "sent more than 1 MiB" in str(error)
    assert (error.retryable, error.affects_all) == PASSES_BY_ITSELF
    # More than the limit may be on its way when the connection is closed, but not much more.
    assert sum(sent_sizes) < 32 * one_mib


def test_a_small_body_that_unpacks_to_a_huge_one_is_not_unpacked() -> None:
    packed = gzip.compress(b" " * (bounds.MOST_REPLY_BYTES + 1), compresslevel=1)
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n"
    with model_server(head + packed) as server:
        error = error_of_request(server.url)

    assert f"sent more than {bounds.MOST_REPLY_BYTES // 2**20} MiB" in str(error)
    assert (error.retryable, error.affects_all) == PASSES_BY_ITSELF


# How a vendor says that a reply ended: its `finish_reason`, and its native one if it has both;
# then our spelling of it, and the native reason that is kept beside ours: none if it is the same.
ENDS = [
    ("length", "", "length", ""),
    ("max_tokens", "", "length", "max_tokens"),
    ("MAX_TOKENS", "", "length", "MAX_TOKENS"),
    ("model_length", "", "length", "model_length"),
    ("FINISH_REASON_MAX_TOKENS", "", "length", "FINISH_REASON_MAX_TOKENS"),
    ("content_filter", "", "content_filter", ""),
    ("SAFETY", "", "content_filter", "SAFETY"),
    ("RECITATION", "", "content_filter", "RECITATION"),
    ("refusal", "", "content_filter", "refusal"),
    ("sensitive", "", "content_filter", "sensitive"),
    ("stop", "", "stop", ""),
    ("tool_calls", "", "tool_calls", ""),
    ("end_turn", "", "end_turn", ""),
    ("eos", "", "eos", ""),
    ("function_call", "", "function_call", ""),
    ("STOP", "", "STOP", ""),
    ("stop", "MAX_TOKENS", "length", "MAX_TOKENS"),
    ("", "", "stop", ""),
]


@pytest.mark.parametrize(
    ("finish_reason", "native_reason", "common", "kept_native"), ENDS
)
def test_an_end_is_told_in_one_spelling_for_every_vendor(
    finish_reason: str, native_reason: str, common: str, kept_native: str
) -> None:
    end = finish_reason_of(finish_reason, native_reason)

    assert end.common == common
    assert end.native == kept_native


@pytest.mark.parametrize(("configured", "sent"), [(None, 1.0), (0.2, 1.0), (1.5, 1.5)])
def test_a_request_may_ask_for_more_temperature_than_the_settings(
    configured: float | None, sent: float
) -> None:
    with model_server(http_response(200, completion_json(ACTION_JSON))) as server:
        settings = EndpointSettings(
            model="m", base_url=server.url, temperature=configured
        )
        with closing(Endpoint(settings)) as endpoint:
            endpoint.complete([{"role": "user", "content": "x"}], min_temperature=1.0)

    assert server.asked[0].body["temperature"] == sent
