"""The server of benchmarks answers every request, however odd, and goes on.

Unknown paths, ids and methods, and unreadable or too large bodies, are refused with a status.
JSON and protobuf get the same replies. Clients that stall, break off or set a deadline delay
nobody, and their calls are still made. Idle runs are ended, and a signal ends the server in order.
"""

import contextlib
import gzip
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator, Mapping
from typing import Any

import httpx2
import pytest
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass

from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.bitgn.server.harness import ServedRuns
from controlplane.benchmarks.bitgn.wire import SERVICES
from controlplane.sandbox.interface import CallError, Plain, bounds
from tests.benchmarks.bitgn.served_shop import ECOM, HARNESS, raw_client_of
from tests.benchmarks.bitgn.server.wire_calls import (
    GZIP_HEADERS,
    JSON_HEADERS,
    PROTOBUF_HEADERS,
    assert_is_error,
    call,
    start_trial,
)
from tests.benchmarks.bitgn.shelf import Shelf
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.support.command import wait_until
from tests.support.running_server import running_server

# Clients that send the beginning of a request to a server, and nothing more.
#
#     with stalled_clients(server.url, INCOMPLETE_BODY) as connections:
#         connections[0].recv(4096)     # what the server replies to the first of 50 clients
#
# The request is `POST .../Status HTTP/1.1`, with a body of 9 bytes.

INCOMPLETE_HEAD = (
    f"POST {HARNESS}Status HTTP/1.1\r\n"
    "Host: x\r\n"
    "Content-Type: application/json\r\n"
    "Content-Length: 9\r\n"
).encode()
"""A request that stops within its head. It announces a body of 9 bytes."""


INCOMPLETE_BODY = INCOMPLETE_HEAD + b"\r\n{"
"""The same request, which stops after the first byte of its body."""


@contextlib.contextmanager
def stalled_clients(url: str, beginning: bytes) -> Iterator[list[socket.socket]]:
    """Open 50 connections that send the beginning of a request, and nothing more."""
    address = ("127.0.0.1", httpx2.URL(url).port)
    with contextlib.ExitStack() as stack:
        connections: list[socket.socket] = []
        for _ in range(50):
            connection = socket.create_connection(address, timeout=10)
            stack.enter_context(connection)
            connection.sendall(beginning)
            connections.append(connection)
        yield connections


# Methods of the server that need its key, or that it does not have.
#
# The server offers tasks to agents over HTTP, in the protocol of the platform BitGN. Clients that start
# a run have to name its key, "a key".


@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"benchmarkId": "shelf", "apiKey": "wrong"}, id="wrong key"),
        pytest.param({"benchmarkId": "shelf"}, id="no key"),
    ],
)
def test_a_run_needs_the_key_of_the_server(
    http: httpx2.Client, message: dict[str, object]
) -> None:
    reply = call(http, HARNESS + "StartRun", message)

    assert_is_error(reply, 401, "unauthenticated")


def test_a_method_that_the_server_does_not_have_is_unimplemented(
    http: httpx2.Client,
) -> None:
    reply = call(http, HARNESS + "StartPlayground")

    assert_is_error(reply, 501, "unimplemented")


# Calls of the server that name what does not exist: a run, a trial or a benchmark.
#
#     POST /bitgn.harness.HarnessService/GetRun    {"runId": "none"}
#     404                                          {"code": "not_found", "message": "..."}
#
# The server offers tasks to agents over HTTP, in the protocol of the platform BitGN.


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("GetRun", {"runId": "none"}),
        ("GetRun", {"runId": 7}),
        ("GetTrial", {"trialId": "none"}),
        ("StartTrial", {}),
        ("EndTrial", {}),
        ("SubmitRun", {}),
        ("GetBenchmark", {"benchmarkId": "none"}),
    ],
)
def test_an_unknown_id_is_not_found(
    http: httpx2.Client, method: str, message: dict[str, object]
) -> None:
    assert_is_error(call(http, HARNESS + method, message), 404, "not_found")


def test_a_file_of_an_unknown_trial_is_not_found(http: httpx2.Client) -> None:
    reply = call(http, f"/trials/none{ECOM}Read", {"path": "/AGENTS.MD"})

    assert_is_error(reply, 404, "not_found")


# Requests to the server that are refused by their path, verb or type alone, without a message.
#
# The server offers tasks to agents over HTTP, in the protocol of the platform BitGN: a call is a
# POST to the path of a service and a method, such as `/bitgn.harness.HarnessService/GetRun`.
# `HARNESS` is the path of this service.


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(HARNESS + "Nothing", id="unknown method"),
        pytest.param("/", id="no service"),
        pytest.param("/bitgn.vm.pcm.PcmRuntime/Read", id="another service"),
    ],
)
def test_an_unknown_path_is_not_found(http: httpx2.Client, path: str) -> None:
    assert call(http, path).status_code == 404


def test_another_verb_than_post_is_not_allowed(http: httpx2.Client) -> None:
    assert http.get(HARNESS + "Status").status_code == 405


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({}, id="no type"),
        pytest.param({"content-type": "text/html"}, id="wrong type"),
    ],
)
def test_a_message_of_another_type_is_not_supported(
    http: httpx2.Client, headers: dict[str, str]
) -> None:
    reply = http.post(HARNESS + "Status", content=b"{}", headers=headers)

    assert reply.status_code == 415


# Calls of the server whose message cannot be read: the reply is 400 `invalid_argument`.
#
# The server offers tasks to agents over HTTP, in the protocol of the platform BitGN: the body of a
# call is a message as JSON, such as `{"runId": "r"}`, or as protobuf, a binary form.


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"no json", id="not JSON"),
        pytest.param(b"\xff\xfe", id="not text"),
        pytest.param(b"[]", id="list"),
        pytest.param(b'""', id="text"),
        pytest.param(b"[" * 50_000, id="deep JSON"),
    ],
)
def test_a_body_that_is_no_object_in_json_is_invalid(
    http: httpx2.Client, body: bytes
) -> None:
    reply = http.post(HARNESS + "Status", content=body, headers=JSON_HEADERS)

    assert_is_error(reply, 400, "invalid_argument")


def test_a_character_that_is_not_text_is_invalid(http: httpx2.Client) -> None:
    body = b'{"name": "\\ud800"}'

    reply = http.post(HARNESS + "StartRun", content=body, headers=JSON_HEADERS)

    assert_is_error(reply, 400, "invalid_argument")


def test_a_body_that_is_no_protobuf_is_invalid(http: httpx2.Client) -> None:
    reply = http.post(HARNESS + "GetRun", content=b"\xff\xff", headers=PROTOBUF_HEADERS)

    assert_is_error(reply, 400, "invalid_argument")


def test_a_timeout_that_is_no_number_is_invalid(http: httpx2.Client) -> None:
    reply = call(http, HARNESS + "Status", **{"connect-timeout-ms": "soon"})

    assert_is_error(reply, 400, "invalid_argument")


# Bodies of requests to the server may have at most 100 kB when they are unpacked.
#
# A larger one is refused before it fills the memory: 429 `resource_exhausted`.


def test_a_body_that_is_too_large_is_refused(http: httpx2.Client) -> None:
    body = b" " * 100_001

    reply = http.post(HARNESS + "Status", content=body, headers=JSON_HEADERS)

    assert_is_error(reply, 429, "resource_exhausted")


def test_a_body_that_is_too_large_when_unpacked_does_not_fill_the_memory(
    http: httpx2.Client,
) -> None:
    """The body has about 50 kB, and 50 MB when it is unpacked.

    The server runs in this process, so its memory can be measured here.
    """
    body = gzip.compress(b" " * 50_000_000, 1)
    tracemalloc.start()
    try:
        reply = http.post(HARNESS + "Status", content=body, headers=GZIP_HEADERS)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert_is_error(reply, 429, "resource_exhausted")
    assert peak_bytes < 5_000_000


def test_a_body_of_unknown_length_is_refused_once_it_is_too_large(
    http: httpx2.Client,
) -> None:
    """The body has 10 MB in chunks, and no header that says its length."""
    chunks = (b" " * 10_000 for _ in range(1_000))

    # The server may close the connection before all chunks are sent: then there is no reply.
    with contextlib.suppress(httpx2.WriteError):
        reply = http.post(HARNESS + "Status", content=chunks, headers=JSON_HEADERS)
        assert reply.status_code == 429

    assert call(http, HARNESS + "Status").json()["status"] == "ok"


# Bodies of requests to the server may be compressed, as the header `content-encoding` says.
#
# The server offers tasks to agents over HTTP, in the protocol of the platform BitGN. The method
# `Status`, whose message is `{}`, says that the server is "ok".


def test_a_compressed_body_is_unpacked(http: httpx2.Client) -> None:
    body = gzip.compress(b"{}")

    reply = http.post(HARNESS + "Status", content=body, headers=GZIP_HEADERS)

    assert reply.json()["status"] == "ok"


def test_an_unknown_compression_is_unimplemented(http: httpx2.Client) -> None:
    headers = {**JSON_HEADERS, "content-encoding": "br"}

    reply = http.post(HARNESS + "Status", content=b"{}", headers=headers)

    assert_is_error(reply, 501, "unimplemented")


def test_a_body_that_is_not_compressed_as_announced_is_invalid(
    http: httpx2.Client,
) -> None:
    reply = http.post(HARNESS + "Status", content=b"{}", headers=GZIP_HEADERS)

    assert_is_error(reply, 400, "invalid_argument")


def test_incomplete_compressed_data_are_invalid(http: httpx2.Client) -> None:
    all_but_the_end = gzip.compress(b"{}")[:-4]

    reply = http.post(HARNESS + "Status", content=all_but_the_end, headers=GZIP_HEADERS)

    assert_is_error(reply, 400, "invalid_argument")


# Trees of folders that are too large for a reply of the server are cut to one level.


def test_tree_that_is_too_large_is_cut_to_one_level(
    http: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment refuses every tree of more than one level as too large."""
    real_call = Shelf.call

    def refuse_large_trees(
        shelf: Shelf, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        if operation == "tree" and arguments["level"] != 1:
            raise CallError("resource_exhausted", "the result of tree holds too much")
        return real_call(shelf, operation, arguments)

    monkeypatch.setattr(Shelf, "call", refuse_large_trees)
    runtime_url = start_trial(http)

    one_level = call(http, runtime_url + "Tree", {"root": "/", "level": 1}).json()
    all_levels = call(http, runtime_url + "Tree", {"root": "/", "level": 0}).json()

    assert "truncated" not in one_level
    assert all_levels == {**one_level, "truncated": True}


# Calls of a trial on the server whose client waits only so long, as it announces.
#
# The header `connect-timeout-ms: 100` announces a deadline of 0.1 s. `Shelf` is the environment of a
# trial: a few books as files.


def test_call_that_exceeds_its_deadline_is_answered_at_the_deadline(
    http: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call goes on behind its deadline, and may end then.

    The next call waits for it, because a trial's environment must never get two calls at once:
    `Shelf` would refuse the second.
    """
    may_end = threading.Event()
    real_result_of = Shelf.result_of

    def wait_for_result(
        shelf: Shelf, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        may_end.wait(20)
        return real_result_of(shelf, operation, arguments)

    monkeypatch.setattr(Shelf, "result_of", wait_for_result)
    read_url = start_trial(http) + "Read"
    rules = {"path": "/AGENTS.MD"}

    late_reply = call(http, read_url, rules, **{"connect-timeout-ms": "100"})
    may_end.set()
    next_reply = call(http, read_url, rules)

    assert late_reply.status_code == 504
    assert late_reply.json()["code"] == "deadline_exceeded"
    assert next_reply.status_code == 200


# Calls of a trial on the server get the same reply as JSON and as protobuf, a binary form.
#
# The server offers tasks to agents over HTTP, in the protocol of the platform BitGN: `Read` with the
# message `{"path": "/books/emma.json"}` gets the text of a file.

# A message for each method of a trial's runtime.
MESSAGES: dict[str, dict[str, Any]] = {
    "Tree": {"root": "/", "level": 2},
    "Find": {"root": "/", "name": "*", "limit": 5},
    "Search": {"root": "/", "pattern": "Emma", "limit": 5},
    "Read": {"path": "/books/emma.json"},
    "Write": {"path": "/books/new.json", "content": "{}"},
    "Delete": {"path": "/books/été.json"},
    "Answer": {"message": "Emma", "outcome": "OUTCOME_OK"},
    "List": {"path": "/"},
    "Stat": {"path": "/books/emma.json"},
    "Exec": {"path": "/bin/date"},
}


def test_every_method_replies_alike_in_json_and_protobuf(http: httpx2.Client) -> None:
    """Two trials get the same calls: one in JSON, the other one in protobuf."""
    methods = SERVICES[ECOM.strip("/")].methods_by_name
    url_for_json = start_trial(http)
    url_for_protobuf = start_trial(http)

    assert set(methods) == set(MESSAGES)
    for name, fields in MESSAGES.items():
        request_class = GetMessageClass(methods[name].input_type)
        reply_class = GetMessageClass(methods[name].output_type)

        json_reply = call(http, url_for_json + name, fields)
        protobuf_reply = http.post(
            url_for_protobuf + name,
            content=ParseDict(fields, request_class()).SerializeToString(),
            headers=PROTOBUF_HEADERS,
        )

        assert json_reply.status_code == 200, json_reply.text
        assert protobuf_reply.status_code == 200, protobuf_reply.text
        message_from_json = ParseDict(json_reply.json(), reply_class())
        message_from_protobuf = reply_class.FromString(protobuf_reply.content)
        assert MessageToDict(message_from_protobuf) == MessageToDict(message_from_json)


# A client that asks for the served benchmark gets its tasks, each with a preview.
#
# A preview is an example of the task's instruction, made with the seed with which the server plays.
# The server offers tasks to agents over HTTP, in the protocol of the platform BitGN.


def test_previews_of_the_tasks_are_made_with_the_seed_of_the_server() -> None:
    with raw_client_of(ShelfBenchmark(trials=2), ServerOptions(seed=7)) as client:
        reply = client.harness("GetBenchmark", benchmarkId="shelf")

    preview, hint = "Which title? (seed 7)", "look in /books"
    assert reply["tasks"] == [
        {"taskId": "t00", "preview": preview, "hint": hint},
        {"taskId": "t01", "preview": preview, "hint": hint},
    ]


# A server of runs works on while it fails to end the idle ones: those that get no calls.
#
# Every second, the server calls `ServedRuns.end_idle` in a thread. The tests replace this method by
# one that hangs or fails, and call the server meanwhile.


def test_server_works_while_the_ending_of_idle_runs_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hangs = threading.Event()
    may_return = threading.Event()

    def hang(runs: ServedRuns, idle_s: float) -> None:
        hangs.set()
        may_return.wait(20)

    monkeypatch.setattr(ServedRuns, "end_idle", hang)
    with running_server(ShelfBenchmark(), ServerOptions()) as server:
        try:
            assert hangs.wait(20)
            reply = httpx2.post(server.url + HARNESS + "Status", json={})
            assert reply.status_code == 200
        finally:
            may_return.set()  # The server waits for the thread when it is closed.


def test_server_works_and_tries_again_if_the_ending_of_idle_runs_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The benchmark grades a run that ends, and may have a fault."""
    attempts: list[float] = []

    def fail(runs: ServedRuns, idle_s: float) -> None:
        attempts.append(idle_s)
        raise RuntimeError("the benchmark broke")

    monkeypatch.setattr(ServedRuns, "end_idle", fail)
    with running_server(ShelfBenchmark(), ServerOptions()) as server:
        wait_until(lambda: len(attempts) >= 2)

        reply = httpx2.post(server.url + HARNESS + "Status", json={})
        assert reply.status_code == 200


# Signals to the process of the server: SIGTERM or SIGINT ends it in order.
#
# The server offers a benchmark's tasks to agents over HTTP, in the protocol of the platform BitGN.

SERVER_PROGRAM = """
from controlplane.benchmarks.bitgn.server import ServerOptions, serve
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark

def print_url(url):
    print(url, flush=True)

serve(ShelfBenchmark(), ServerOptions(), on_listening=print_url)
print("ended", flush=True)
"""
"""Serves the small benchmark until a signal ends it, and prints its URL, and "ended" at the end."""


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_the_server_in_order(signal_number: signal.Signals) -> None:
    """The process goes on behind `serve`, and shows no error."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER_PROGRAM],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", url)
        reply = httpx2.post(url + HARNESS + "Status", json={})
        assert reply.json()["status"] == "ok"

        process.send_signal(signal_number)
        output, errors = process.communicate(timeout=20)

    assert process.returncode == 0
    assert output == "ended\n"
    assert errors == ""


# Clients of the server that send the beginning of a request, and then nothing more.
#
# The server offers a benchmark's tasks to agents over HTTP, in the protocol of the platform BitGN.
# 50 of them stall in the head of a request, or after the first byte of its body. The server must not
# wait for them.


def is_silent(connection: socket.socket) -> bool:
    """Return True if the server has neither sent anything nor closed the connection."""
    connection.setblocking(False)
    try:
        connection.recv(1)
    except BlockingIOError:
        return True
    return False


@pytest.mark.parametrize(
    "beginning",
    [
        pytest.param(INCOMPLETE_HEAD, id="in the head"),
        pytest.param(INCOMPLETE_BODY, id="in the body"),
    ],
)
def test_stalled_clients_do_not_delay_others(beginning: bytes) -> None:
    """The server answers another client while 50 clients still stall."""
    with (
        running_server(ShelfBenchmark(), ServerOptions()) as server,
        stalled_clients(server.url, beginning) as connections,
    ):
        reply = httpx2.post(server.url + HARNESS + "Status", json={})
        is_each_stalled = [is_silent(connection) for connection in connections]

    assert reply.status_code == 200
    assert all(is_each_stalled)


def test_client_that_stalls_within_a_body_is_refused_at_a_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The deadline for a body is lowered to half a second. All 50 clients get a reply."""
    monkeypatch.setattr(bounds, "LONGEST_BODY_S", 0.5)
    with (
        running_server(ShelfBenchmark(), ServerOptions()) as server,
        stalled_clients(server.url, INCOMPLETE_BODY) as connections,
    ):
        for connection in connections:
            reply = b""
            while b"deadline_exceeded" not in reply:
                received = connection.recv(4096)
                assert received, "the connection was closed without a reply"
                reply += received


# A client may break off a request, or leave without waiting for the reply.
#
# The server goes on in any case, and makes a call that has arrived.


def connection_to(http: httpx2.Client) -> socket.socket:
    """Return a connection to the server, to send bytes of any kind."""
    return socket.create_connection((http.base_url.host, http.base_url.port))


@pytest.mark.parametrize(
    "request_bytes",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"GARBAGE\r\n\r\n", id="garbage"),
        pytest.param(b"POST / HTTP/1.1\r\n", id="incomplete head"),
        pytest.param(
            b"POST / HTTP/1.1\r\nContent-Length: 99\r\n\r\n{", id="incomplete body"
        ),
        pytest.param(b"\x16\x03\x01\x02", id="TLS"),
    ],
)
def test_the_server_goes_on_after_a_client_that_breaks_off(
    http: httpx2.Client, request_bytes: bytes
) -> None:
    with connection_to(http) as connection:
        connection.sendall(request_bytes)
        # With this option, closing the connection resets it.
        linger_for_no_time = struct.pack("ii", 1, 0)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_for_no_time)

    assert call(http, HARNESS + "Status").json()["status"] == "ok"


def test_the_call_of_a_client_that_has_left_is_still_made(http: httpx2.Client) -> None:
    """A client sends a write and leaves at once. Some time later, the file is there."""
    runtime_url = start_trial(http)
    path = runtime_url.removeprefix(str(http.base_url).rstrip("/"))
    body = b'{"path":"/new.txt","content":"x"}'
    head = (
        f"POST {path}Write HTTP/1.1\r\n"
        "Host: x\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )

    with connection_to(http) as connection:
        connection.sendall(head.encode() + body)

    def read_file() -> httpx2.Response:
        return call(http, runtime_url + "Read", {"path": "/new.txt"})

    wait_until(lambda: read_file().status_code == 200)
    assert read_file().json()["content"] == "x"
