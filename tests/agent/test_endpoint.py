"""The endpoint against a real HTTP server: right replies in every mode, and one clear line for everything else."""

import gzip
import socket
import struct
import threading
import time
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from agent import connection
from agent.connection import COMPRESSED_BYTES
from agent.dialect import ReplyMode
from agent.endpoint import Endpoint, EndpointSettings
from agent.model import Message, ModelError, Reply
from agent.refusal import LONGEST_RETRY_S, retry_after_s
from agent.reply import SCHEMA, Action, action_of, tool_arguments
from tests.support.endpoints import Answer, Asked, completion, model_server, refusal, response

CANARY = "sk-canary-0123456789abcdef"
ASK = [Message(role="system", content="s"), Message(role="user", content="u")]
ACTION = '{"state": "s", "plan": [], "done": false, "code": "print(1)"}'
PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head><body><h1>Welcome</h1></body></html>"


def ask(url: str, *, timeout_s: float = 5.0, mode: ReplyMode = ReplyMode.SCHEMA, **more: object) -> Reply:
    settings = EndpointSettings("m", base_url=url, api_key=CANARY, reply_mode=mode, timeout_s=timeout_s, **more)
    endpoint = Endpoint(settings)
    try:
        return endpoint.complete(ASK, SCHEMA, "solve")
    finally:
        endpoint.close()


def failure(url: str, **more: object) -> ModelError:
    with pytest.raises(ModelError) as caught:
        ask(url, **more)
    shown = "".join(traceback.format_exception(caught.value)) + str(caught.value) + repr(caught.value)
    assert CANARY not in shown
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 700
    return caught.value


@pytest.mark.parametrize("mode", list(ReplyMode))
def test_every_reply_mode_asks_in_its_own_form_and_gives_the_same_action(mode: ReplyMode) -> None:
    said = completion(None, tool=ACTION, finish="tool_calls") if mode is ReplyMode.TOOL else completion(ACTION)
    with model_server(response(200, said)) as server:
        reply = ask(server.url, mode=mode, max_output_tokens=50, temperature=0.5)
    action = action_of(tool_arguments(reply) or reply.text)
    assert isinstance(action, Action)
    assert action.code == "print(1)"
    body = server.asked[0].body
    assert (body["model"], body["messages"], body["max_tokens"], body["temperature"]) == ("m", ASK, 50, 0.5)
    form = body.get("response_format", {}).get("type") if "response_format" in body else None
    assert form == {"schema": "json_schema", "json": "json_object"}.get(mode)
    assert ("tools" in body) == (mode is ReplyMode.TOOL)
    assert server.asked[0].headers["authorization"] == f"Bearer {CANARY}"
    assert server.asked[0].path == "/v1/chat/completions"


def test_tokens_cost_and_reasoning_are_taken_as_the_endpoint_counts_them() -> None:
    said = completion(
        ACTION,
        cost=0.0125,
        prompt_tokens_details={"cached_tokens": 5},
        completion_tokens_details={"reasoning_tokens": 3},
    ).replace('"content"', '"reasoning": "because", "content"')
    with model_server(response(200, said)) as server:
        reply = ask(server.url)
    assert reply.usage.model_dump() == {
        "prompt_tokens": 11,
        "completion_tokens": 7,
        "cached_tokens": 5,
        "reasoning_tokens": 3,
    }
    assert (reply.cost_usd, reply.reasoning, reply.finish_reason) == (0.0125, "because", "stop")


def test_a_reply_without_usage_counts_nothing_and_guesses_no_cost() -> None:
    with model_server(response(200, '{"choices": [{"message": {"content": "x"}}]}')) as server:
        reply = ask(server.url)
    assert (reply.text, reply.usage.prompt_tokens, reply.cost_usd, reply.finish_reason) == ("x", 0, None, "stop")


def test_a_lone_surrogate_is_sent_as_the_character_for_what_is_none() -> None:
    asked = [Message(role="user", content="a \ud83d b \udc00\ud800 \ud83d\ude00 ü")]
    with model_server(response(200, completion(ACTION))) as server:
        endpoint = Endpoint(EndpointSettings("m", base_url=server.url, api_key=CANARY))
        reply = endpoint.complete(asked, SCHEMA, "solve")
        endpoint.close()
    assert reply.text == ACTION
    assert server.asked[0].body["messages"] == [{"role": "user", "content": "a \ufffd b \ufffd\ufffd 😀 ü"}]


@pytest.mark.parametrize("written", [b"\\ud800", b"\\udc00\\ud83d", b"\xff", b"\xf0\x9f\x98"])
def test_a_completion_that_holds_half_a_character_is_a_completion(written: bytes) -> None:
    half = ACTION.replace('"s"', '"half HERE"')
    for said in (completion(half, reasoning="x"), completion("", tool=half, finish="tool_calls")):
        with model_server(response(200, said.encode().replace(b"HERE", written))) as server:
            reply = ask(server.url, mode=ReplyMode.TOOL)
        action = action_of(tool_arguments(reply) or reply.text)
        assert isinstance(action, Action)
        assert action.code == "print(1)"
        assert action.state.rstrip("\ufffd") == "half "
        assert "\ufffd" in action.state


PASSING = (True, True)
FOR_ALL = (False, True)
THIS_TRIAL = (False, False)
SAID = [
    (refusal(401, f"Incorrect API key provided: {CANARY}"), FOR_ALL, ["the key is refused", "OPENAI_API_KEY", "[key]"]),
    (refusal(403, "not for you"), FOR_ALL, ["the key is refused (403: not for you)", "OPENAI_API_KEY"]),
    (refusal(403, "Input was flagged by moderation"), THIS_TRIAL, ["403: Input was flagged"]),
    (refusal(402, "Insufficient credits"), FOR_ALL, ["no credit is left", "402"]),
    (refusal(404, "model not found"), FOR_ALL, ["no model 'm'", "--model", "OPENAI_BASE_URL"]),
    (response(404, "404 page not found"), FOR_ALL, ["404 page not found", "/v1"]),
    (refusal(400, "the request exceeds the available context size"), THIS_TRIAL, ["--opening-chars", "context"]),
    (refusal(400, "This model's maximum context length is 8 tokens"), THIS_TRIAL, ["--opening-chars"]),
    (refusal(400, "temperature must be 1"), THIS_TRIAL, ["the request is refused (400: temperature must be 1)"]),
    (response(422, '{"detail": [{"msg": "field required"}]}'), THIS_TRIAL, ["422", "field required"]),
    (refusal(400, "Failed to generate JSON", code="json_validate_failed"), (True, False), ["no proper form"]),
    (refusal(429, "slow down"), PASSING, ["too many requests", "--concurrency", "slow down"]),
    (refusal(429, "You exceeded your current quota", code="insufficient_quota"), FOR_ALL, ["no credit is left"]),
    (refusal(500, "boom"), PASSING, ["500: boom"]),
    (response(503, ""), PASSING, ["(503)"]),
    (response(523, "<title>Origin is unreachable</title>"), PASSING, ["(523: Origin is unreachable)"]),
    (response(599, ""), PASSING, ["(599)"]),
    (response(502, "<html><title>502 Bad Gateway</title><body>x</body></html>"), PASSING, ["(502: 502 Bad Gateway)"]),
    (response(302, "", {"location": "https://elsewhere.test/"}), FOR_ALL, ["elsewhere.test", "OPENAI_BASE_URL"]),
    (response(405, "no"), FOR_ALL, ["no requests are taken", "/v1"]),
    (
        response(200, PAGE, {"content-type": "text/html"}),
        PASSING,
        ["no chat completion", "'Sign in'", "OPENAI_BASE_URL"],
    ),
    (response(200, ""), PASSING, ["no chat completion", "an empty body"]),
    (response(200, '{"models": []}'), PASSING, ["no chat completion", "choices: Field required", "/v1"]),
    (response(200, '{"choices": []}'), (True, False), ["no chat completion", "choices"]),
    (response(200, '{"choices": [{"text": "old"}]}'), (True, False), ["choices.0.message"]),
    (response(200, "[" * 100_000), PASSING, ["no chat completion"]),
    (response(200, b"\xff\xfe\x00" + CANARY.encode()), PASSING, ["no chat completion"]),
    (refusal(200, "Provider returned error", code=502), PASSING, ["502: Provider returned error"]),
    (refusal(200, "no key", code=401), FOR_ALL, ["the key is refused"]),
    (b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{", PASSING, ["broke off", "is the server still running?"]),
    (b"", PASSING, ["broke off"]),
    (b"SSH-2.0-OpenSSH\r\n\r\n", PASSING, ["broke off"]),
]


@pytest.mark.parametrize(("answer", "kind", "says"), SAID, ids=range(len(SAID)))
def test_what_is_no_completion_is_one_line_with_its_remedy(
    answer: bytes, kind: tuple[bool, bool], says: list[str]
) -> None:
    with model_server(answer) as server:
        error = failure(server.url)
    assert (error.retryable, error.affects_all) == kind, error
    assert not [each for each in says if each not in str(error)], error
    assert f"127.0.0.1:{server.port}/v1" in str(error)
    assert len(server.asked) == 1


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def test_where_nobody_listens_or_no_host_is_the_address_is_in_question() -> None:
    refused = failure(f"http://127.0.0.1:{free_port()}/v1")
    assert (refused.retryable, refused.affects_all) == PASSING
    assert "cannot be reached (" in str(refused)
    assert "refused" in str(refused).lower()
    unknown = failure("http://no-such-host.invalid/v1")
    assert (unknown.retryable, unknown.affects_all) == PASSING
    assert "host name that is not found" in str(unknown)


def test_tls_to_a_plain_port_is_told_from_a_server_that_is_down() -> None:
    with model_server(response(200, completion("x"))) as server:
        error = failure(server.url.replace("http:", "https:"))
    assert (error.retryable, error.affects_all) == FOR_ALL
    assert "should OPENAI_BASE_URL begin with http://?" in str(error)


def test_a_proxy_that_refuses_is_told_from_the_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.getsockname()[1]}")
        monkeypatch.setenv("NO_PROXY", "")

        def refuse() -> None:
            with proxy.accept()[0] as visitor:
                visitor.recv(4096)
                visitor.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")

        thread = threading.Thread(target=refuse)
        thread.start()
        error = failure("https://models.invalid/v1")
        thread.join()
    assert "through the proxy (407 Proxy Authentication Required); mend HTTPS_PROXY" in str(error)


def test_a_reset_in_the_body_is_a_passing_failure() -> None:
    def reset(asked: Asked, connection: socket.socket) -> bytes:
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        return b""

    with model_server(reset) as server:
        error = failure(server.url)
    assert (error.retryable, error.affects_all) == PASSING
    assert "broke off" in str(error)


def test_a_hang_ends_at_the_time_out_before_the_head_and_in_the_body() -> None:
    def silent(asked: Asked, connection: socket.socket) -> bytes:
        server.ended.wait(20)
        return b""

    def dripping(asked: Asked, connection: socket.socket) -> bytes:
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")
        while not server.ended.wait(0.05):
            connection.sendall(b" ")
        return b""

    for answer in (silent, dripping):
        with model_server(answer) as server:
            started = time.monotonic()
            error = failure(server.url, timeout_s=0.4)
            assert time.monotonic() - started < 2
        assert (error.retryable, error.affects_all) == PASSING
        assert "did not answer within 0.4 s" in str(error)
        assert "--model-timeout" in str(error)


def test_a_body_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "REPLY_BYTES", 2**20)
    sent = []

    def flood(asked: Asked, connection: socket.socket) -> bytes:
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100000000000\r\n\r\n")
        while not server.ended.is_set():
            sent.append(connection.send(b" " * 2**16))
        return b""

    with model_server(flood) as server:
        error = failure(server.url)
    assert "sent more than 1 MiB" in str(error)
    assert (error.retryable, error.affects_all) == PASSING
    assert sum(sent) < 2**25


def test_a_small_body_that_unpacks_to_a_huge_one_is_not_unpacked() -> None:
    packed = gzip.compress(b" " * (COMPRESSED_BYTES * 1100), compresslevel=1)
    assert COMPRESSED_BYTES < len(packed) < 2**23
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n"
    with model_server(head + packed) as server:
        error = failure(server.url)
    assert "256 KiB compressed" in str(error)
    assert (error.retryable, error.affects_all) == PASSING


def test_a_compressed_reply_is_a_reply() -> None:
    packed = gzip.compress(completion(ACTION).encode())
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n"
    with model_server(head + packed) as server:
        assert ask(server.url).text == ACTION


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7), ("0.5", 0.5), ("-3", 0), ("nan", None), ("inf", None), ("soon", None), ("", None)],
)
def test_retry_after_is_read_in_seconds(value: str, seconds: float | None) -> None:
    with model_server(refusal(429, "slow", {"retry-after": value})) as server:
        assert failure(server.url).retry_after_s == seconds


def test_retry_after_is_read_as_a_date() -> None:
    now = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
    later = {"retry-after": format_datetime(now + timedelta(seconds=90), usegmt=True)}
    assert retry_after_s(later, now) == 90
    assert retry_after_s(later, now + timedelta(hours=1)) == 0
    skewed = {**later, "date": format_datetime(now + timedelta(seconds=30), usegmt=True)}
    assert retry_after_s(skewed) == 60


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("1e300", LONGEST_RETRY_S),
        ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST_RETRY_S),
        ("Fri, 31 Dec 99999999999999999999 23:59:59 GMT", None),
        ("inf", None),
        ("nan", None),
    ],
)
def test_no_retry_after_is_longer_than_a_timer_can_count(value: str, seconds: float | None) -> None:
    assert retry_after_s({"retry-after": value}) == seconds


def speaking(refused: dict[str, str]) -> Answer:
    """Return an answer that refuses requests which hold one of the words, with what it says of each."""

    def answer(asked: Asked, connection: socket.socket) -> bytes:
        said = next((text for word, text in refused.items() if word in str(asked.body)), None)
        return response(200, completion(ACTION)) if said is None else refusal(400, said)

    return answer


FORMS = [
    ({"json_schema": "unknown response_format type json_schema"}, "json", ["takes no reply mode schema"]),
    ({"response_format": "response_format is not supported"}, "text", ["mode schema", "mode json"]),
    (
        {"'max_tokens'": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."},
        "schema",
        ["takes no max_tokens; sending max_completion_tokens"],
    ),
]


@pytest.mark.parametrize(("refused", "mode", "told"), FORMS)
def test_a_form_that_the_endpoint_refuses_gets_plainer_once_and_the_user_is_told(
    refused: dict[str, str], mode: str, told: list[str]
) -> None:
    with model_server(speaking(refused)) as server:
        endpoint = Endpoint(EndpointSettings("m", server.url, CANARY, max_output_tokens=9))
        notices = endpoint.check()
        needed = len(server.asked)
        again = endpoint.complete(ASK, SCHEMA, "solve")
        endpoint.close()
    assert len(notices) == len(told) == needed - 1
    assert not [each for each, text in zip(told, notices, strict=True) if each not in text]
    assert again.notices == ()
    assert len(server.asked) == needed + 1
    last = server.asked[-1].body
    form = last.get("response_format", {}).get("type", "text")
    assert form.removeprefix("json_").removesuffix("_object") in (mode, "object" if mode == "json" else mode)
    assert ("max_completion_tokens" in last) == ("max_completion" in str(refused))


def test_a_refused_tool_names_the_option_that_helps() -> None:
    with model_server(refusal(400, "tools are not supported by this model")) as server:
        error = failure(server.url, mode=ReplyMode.TOOL)
    assert "--reply-mode" in str(error)


def test_no_secret_of_the_settings_is_ever_shown() -> None:
    def echo(asked: Asked, connection: socket.socket) -> bytes:
        return response(200, completion(f"your key is {asked.headers['authorization']}"))

    with model_server(echo) as server:
        address = f"http://user-{CANARY}:{CANARY}@127.0.0.1:{server.port}/v1"
        settings = EndpointSettings("m", address, CANARY)
        assert CANARY not in repr(settings) + settings.shown_url
        assert CANARY not in ask(server.url).text
        server.answer = lambda asked, connection: refusal(401, f"bad {CANARY}")
        assert f"http://127.0.0.1:{server.port}/v1" in str(failure(address))
