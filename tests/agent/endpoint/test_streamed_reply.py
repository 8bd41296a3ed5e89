"""Replies that are streamed: their text as it comes, and the whole as one reply."""

import json
import socket
import time

import pytest

from agent.endpoint import Endpoint, EndpointSettings
from agent.model import BadReply, Message, Reply
from tests.support.endpoints import Asked, completion, model_server, refusal, response

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
QUESTION = [Message(role="user", content="?")]


def chunks(*deltas: dict[str, object], usage: dict[str, int] | None = None) -> list[bytes]:
    parts = [{"id": "x", "model": "m", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    parts += [{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}]
    parts += [{"choices": [], "usage": usage or {"prompt_tokens": 5, "completion_tokens": 3}}]
    return [b"data: " + json.dumps(part).encode() + b"\n\n" for part in parts] + [b"data: [DONE]\n\n"]


def asked_of(url: str, heard: list[tuple[float, str]] | None) -> Reply:
    endpoint = Endpoint(EndpointSettings(model="m", base_url=url, timeout_s=10.0))
    if heard is not None:
        endpoint.on_text = lambda text: heard.append((time.monotonic(), text))
    return endpoint.complete(QUESTION, "solve")


def test_the_text_of_a_stream_is_heard_as_it_comes_and_the_reply_is_whole() -> None:
    call = {"index": 0, "id": "c1", "function": {"name": "execute_script", "arguments": '{"code": '}}
    deltas = [{"content": "first "}, {"content": "Gr\u00fc\u2028n"}, {"reasoning": "so"}, {"tool_calls": [call]}]
    deltas.append({"tool_calls": [{"index": 0, "function": {"arguments": '"1"}'}}]})

    def answer(asked: Asked, connection: socket.socket) -> bytes:
        first, *others = chunks(*deltas)
        connection.sendall(HEAD + b": a comment\n\n" + first)
        time.sleep(0.5)
        rest = b"".join(others)
        connection.sendall(rest[:37])  # in the middle of a chunk
        return rest[37:]

    heard: list[tuple[float, str]] = []
    with model_server(answer) as server:
        reply = asked_of(server.url, heard)
    assert [text for _, text in heard] == ["first ", "Gr\u00fc\u2028n"]
    assert heard[1][0] - heard[0][0] > 0.3
    assert (reply.text, reply.reasoning, reply.usage.completion_tokens) == ("first Gr\u00fc\u2028n", "so", 3)
    assert [(one.name, one.arguments) for one in reply.tool_calls] == [("execute_script", '{"code": "1"}')]
    assert server.asked[0].body["stream"] is True


def test_an_endpoint_that_cannot_stream_is_asked_without() -> None:
    def answer(asked: Asked, connection: socket.socket) -> bytes:
        if asked.body.get("stream"):
            return refusal(400, "stream_options is not supported")
        return response(200, completion("plain"))

    with model_server(answer) as server:
        reply = asked_of(server.url, [])
        assert (reply.text, len(server.asked)) == ("plain", 2)
    with model_server(response(200, completion("whole"))) as server:
        assert asked_of(server.url, []).text == "whole"
        assert asked_of(server.url, None).text == "whole"
        assert "stream" not in server.asked[-1].body


def test_a_stream_that_ends_early_is_no_reply_and_an_error_in_it_is_one() -> None:
    with model_server(HEAD + chunks({"content": "half"})[0]) as server, pytest.raises(BadReply, match="was cut off"):
        asked_of(server.url, [])
    error = b'data: {"error": {"message": "overloaded", "code": 503}}\n\n'
    with model_server(HEAD + error) as server, pytest.raises(Exception, match="overloaded"):
        asked_of(server.url, [])
