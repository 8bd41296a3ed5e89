"""Tests of the errors that a connection or a refusal becomes."""

import gzip
import socket
import threading
import time

import pytest

from agent.endpoint import endpoint as endpoint_module
from agent.endpoint.endpoint import REPLY_BYTES
from agent.endpoint.protocols import finish_reasons
from tests.support.byte_server import free_port
from tests.support.endpoints import PASSING, Asked, failure, model_server


def test_where_nobody_listens_or_no_host_is_the_address_is_in_question() -> None:
    refused = failure(f"http://127.0.0.1:{free_port()}/v1")
    assert (refused.retryable, refused.affects_all) == PASSING
    assert "cannot be reached (" in str(refused)
    assert "refused" in str(refused).lower()
    unknown = failure("http://no-such-host.invalid/v1")
    assert (unknown.retryable, unknown.affects_all) == PASSING
    assert "host name that is not found" in str(unknown)


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
    assert "through the proxy (407 Proxy Authentication Required); fix HTTPS_PROXY" in str(error)


def test_a_hang_ends_at_the_time_out_before_the_head_and_in_the_body() -> None:
    def silent(asked: Asked, connection: socket.socket) -> bytes:
        server.ended.wait(20)
        return b""

    def dripping(asked: Asked, connection: socket.socket) -> bytes:
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")
        while not server.ended.wait(0.05):
            connection.sendall(b" ")
        return b""

    def dripping_head(asked: Asked, connection: socket.socket) -> bytes:
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        while not server.ended.wait(0.05):
            connection.sendall(b"x-y: z\r\n")
        return b""

    for answer in (silent, dripping, dripping_head):
        with model_server(answer) as server:
            started = time.monotonic()
            error = failure(server.url, timeout_s=0.4)
            assert time.monotonic() - started < 20
        assert (error.retryable, error.affects_all) == PASSING
        assert "did not answer within 0.4 s" in str(error)
        assert "--model-timeout" in str(error)


def test_a_body_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint_module, "REPLY_BYTES", 2**20)
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
    packed = gzip.compress(b" " * (REPLY_BYTES + 1), compresslevel=1)
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n"
    with model_server(head + packed) as server:
        error = failure(server.url)
    assert f"sent more than {REPLY_BYTES // 2**20} MiB" in str(error)
    assert (error.retryable, error.affects_all) == PASSING


ENDS = [
    *(
        (word, "", "length")
        for word in ("length", "max_tokens", "MAX_TOKENS", "model_length", "FINISH_REASON_MAX_TOKENS")
    ),
    *((word, "", "content_filter") for word in ("content_filter", "SAFETY", "RECITATION", "refusal", "sensitive")),
    *((word, "", word) for word in ("stop", "tool_calls", "end_turn", "eos", "function_call", "STOP")),
    ("stop", "MAX_TOKENS", "length"),
    ("", "", "stop"),
]


@pytest.mark.parametrize(("said", "native", "reason"), ENDS)
def test_an_end_is_told_in_one_spelling_for_every_vendor(said: str, native: str, reason: str) -> None:
    found, own = finish_reasons(said, native)
    assert found == reason
    assert own == ("" if said in (reason, "") and not native else native or said)
