"""The wire server answers whatever it is sent with a reply or a Connect error, goes on, and ends in order."""

import contextlib
import gzip
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import tracemalloc

import httpx2
import pytest
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass

from benchmarks.bitgn.proto import SERVICES
from benchmarks.bitgn.server import ServerOptions, listening
from benchmarks.bitgn.server.served_runs import ServedRuns
from sandbox.interface import CallError
from tests.benchmarks.bitgn.recording_world import Shelf, ShelfBenchmark
from tests.benchmarks.bitgn.served_benchmark import ECOM, HARNESS
from tests.support.command import wait_until
from tests.support.running_server import running_server

JSON = {"content-type": "application/json"}
KEY = "a key"
LIMIT = 100_000


@pytest.fixture(scope="module")
def served():
    benchmark = ShelfBenchmark()
    with (
        running_server(benchmark, ServerOptions(api_key=KEY, body_bytes=LIMIT)) as server,
        httpx2.Client(base_url=server.url, timeout=20) as http,
    ):
        yield http


def call(http, method, message=None, **headers):
    return http.post(method, content=json.dumps(message or {}), headers={**JSON, **headers})


def new_trial(http):
    run = call(http, HARNESS + "StartRun", {"benchmarkId": "shelf", "name": "n", "apiKey": KEY}).json()
    trial = call(http, HARNESS + "StartTrial", {"trialId": run["trialIds"][0]}).json()
    return trial["harnessUrl"] + ECOM


ZIPPED = {**JSON, "content-encoding": "gzip"}
PROTO = {"content-type": "application/proto"}
EMPTY = gzip.compress(b"{}", mtime=0)
BAD_REQUESTS = [
    # method, path, headers, body, status, code (empty: a refusal of HTTP alone)
    ("POST", HARNESS + "Nothing", JSON, b"{}", 404, ""),
    ("POST", "/", JSON, b"{}", 404, ""),
    ("GET", HARNESS + "Status", {}, b"", 405, ""),
    ("POST", HARNESS + "Status", {}, b"{}", 415, ""),
    ("POST", HARNESS + "Status", {"content-type": "text/html"}, b"{}", 415, ""),
    ("POST", "/bitgn.vm.pcm.PcmRuntime/Read", JSON, b"{}", 404, ""),
    ("POST", "/trials/none" + ECOM + "Read", JSON, b'{"path": "/AGENTS.MD"}', 404, "not_found"),
    ("POST", HARNESS + "Status", JSON, b"no json", 400, "invalid_argument"),
    ("POST", HARNESS + "Status", JSON, b"\xff\xfe", 400, "invalid_argument"),
    ("POST", HARNESS + "Status", JSON, b"[]", 400, "invalid_argument"),
    ("POST", HARNESS + "Status", JSON, b'""', 400, "invalid_argument"),
    ("POST", HARNESS + "Status", JSON, b"[" * 50_000, 400, "invalid_argument"),
    ("POST", HARNESS + "StartRun", JSON, b'{"name": "\\ud800"}', 400, "invalid_argument"),
    ("POST", HARNESS + "GetRun", PROTO, b"\xff\xff", 400, "invalid_argument"),
    ("POST", HARNESS + "Status", {**JSON, "content-encoding": "br"}, b"{}", 501, "unimplemented"),
    ("POST", HARNESS + "Status", ZIPPED, b"{}", 400, "invalid_argument"),
    ("POST", HARNESS + "Status", ZIPPED, EMPTY[:-4], 400, "invalid_argument"),
    ("POST", HARNESS + "Status", JSON, b" " * (LIMIT + 1), 429, "resource_exhausted"),
    ("POST", HARNESS + "Status", ZIPPED, gzip.compress(b" " * 50_000_000, 1), 429, "resource_exhausted"),
    ("POST", HARNESS + "Status", {**JSON, "connect-timeout-ms": "soon"}, b"{}", 400, "invalid_argument"),
    ("POST", HARNESS + "GetRun", JSON, b'{"runId": "none"}', 404, "not_found"),
    ("POST", HARNESS + "GetRun", JSON, b'{"runId": 7}', 404, "not_found"),
    ("POST", HARNESS + "GetTrial", JSON, b'{"trialId": "none"}', 404, "not_found"),
    ("POST", HARNESS + "StartTrial", JSON, b"{}", 404, "not_found"),
    ("POST", HARNESS + "EndTrial", JSON, b"{}", 404, "not_found"),
    ("POST", HARNESS + "SubmitRun", JSON, b"{}", 404, "not_found"),
    ("POST", HARNESS + "GetBenchmark", JSON, b'{"benchmarkId": "none"}', 404, "not_found"),
    ("POST", HARNESS + "StartRun", JSON, b'{"benchmarkId": "shelf", "apiKey": "wrong"}', 401, "unauthenticated"),
    ("POST", HARNESS + "StartRun", JSON, b'{"benchmarkId": "shelf"}', 401, "unauthenticated"),
    ("POST", HARNESS + "StartPlayground", JSON, b"{}", 501, "unimplemented"),
]


@pytest.mark.parametrize(
    ("verb", "path", "headers", "body", "status", "code"), BAD_REQUESTS, ids=map(str, range(len(BAD_REQUESTS)))
)
def test_a_bad_request_is_answered_with_a_connect_error(served, verb, path, headers, body, status, code):
    reply = served.request(verb, path, headers=headers, content=body)
    assert reply.status_code == status
    assert KEY not in reply.text
    if code:
        assert reply.headers["content-type"] == "application/json"
        assert reply.json()["code"] == code
        assert reply.json()["message"]


def test_a_body_that_unpacks_too_long_is_not_unpacked(served):
    packed = gzip.compress(b" " * 50_000_000, 1)
    tracemalloc.start()
    try:
        assert served.post(HARNESS + "Status", content=packed, headers=ZIPPED).status_code == 429
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_an_unannounced_body_that_grows_too_long_is_refused(served):
    chunks = (b" " * 10_000 for _ in range(1_000))
    with contextlib.suppress(httpx2.WriteError):
        assert served.post(HARNESS + "Status", content=chunks, headers=JSON).status_code == 429
    assert call(served, HARNESS + "Status").json()["status"] == "ok"


@pytest.mark.parametrize(
    "request_text",
    [
        b"",
        b"GARBAGE\r\n\r\n",
        b"POST / HTTP/1.1\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 99\r\n\r\n{",
        b"\x16\x03\x01\x02",
    ],
)
def test_a_client_that_vanishes_or_talks_nonsense_is_survived(served, request_text):
    with socket.create_connection((served.base_url.host, served.base_url.port)) as client:
        client.sendall(request_text)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert call(served, HARNESS + "Status").json()["status"] == "ok"


def test_a_request_of_a_vanished_client_is_carried_out_and_the_trial_goes_on(served):
    runtime = new_trial(served)
    path = runtime.removeprefix(str(served.base_url).rstrip("/"))
    body = b'{"path":"/left.txt","content":"x"}'
    head = (
        f"POST {path}Write HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection((served.base_url.host, served.base_url.port)) as client:
        client.sendall(head.encode() + body)
    ends_at = time.monotonic() + 5
    while (reply := call(served, runtime + "Read", {"path": "/left.txt"})).status_code != 200:
        assert time.monotonic() < ends_at
    assert reply.json()["content"] == "x"


def test_a_tree_that_is_too_large_comes_with_fewer_levels(served, monkeypatch):
    known = Shelf.call

    def bounded(shelf, operation, arguments):
        if operation == "tree" and arguments["level"] != 1:
            raise CallError("resource_exhausted", "the result of tree holds too much")
        return known(shelf, operation, arguments)

    monkeypatch.setattr(Shelf, "call", bounded)
    runtime = new_trial(served)
    whole, cut = (call(served, runtime + "Tree", {"root": "/", "level": level}).json() for level in (1, 0))
    assert "truncated" not in whole
    assert cut == {**whole, "truncated": True}


REQUESTS = {
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


def test_every_method_replies_with_its_message_in_both_encodings(served):
    methods = SERVICES[ECOM.strip("/")].methods_by_name
    in_json, in_protobuf = new_trial(served), new_trial(served)
    assert set(methods) == set(REQUESTS)
    for name, fields in REQUESTS.items():
        request, reply = (GetMessageClass(getattr(methods[name], kind))() for kind in ("input_type", "output_type"))
        told = call(served, in_json + name, fields)
        assert told.status_code == 200, (name, told.text)
        sent = served.post(
            in_protobuf + name,
            content=ParseDict(fields, request).SerializeToString(),
            headers={"content-type": "application/proto"},
        )
        assert sent.status_code == 200, (name, sent.text)
        reply.ParseFromString(sent.content)
        assert MessageToDict(reply) == MessageToDict(ParseDict(told.json(), GetMessageClass(reply.DESCRIPTOR)())), name


def test_a_call_that_outlasts_the_announced_deadline_is_answered_at_the_deadline():
    with (
        running_server(ShelfBenchmark(call_s=0.6), ServerOptions(api_key=KEY)) as server,
        httpx2.Client(base_url=server.url) as http,
    ):
        runtime = new_trial(http)
        began = time.monotonic()
        reply = call(http, runtime + "Read", {"path": "/AGENTS.MD"}, **{"connect-timeout-ms": "100"})
        assert (reply.status_code, reply.json()["code"]) == (504, "deadline_exceeded")
        assert time.monotonic() - began < 0.5
        # The next call waits for the one that goes on, so that a trial's world is never used by two at once.
        assert call(http, runtime + "Read", {"path": "/AGENTS.MD"}).status_code == 200


SERVE = """
from benchmarks.bitgn.server import ServerOptions, serve
from tests.benchmarks.bitgn.recording_world import ShelfBenchmark
serve(ShelfBenchmark(call_s=0.3), ServerOptions(), on_listening=lambda url: print(url, flush=True))
print("ended", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_in_order(number):
    with subprocess.Popen(
        [sys.executable, "-c", SERVE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    ) as process:
        url = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", url)
        with httpx2.Client(base_url=url) as http:
            assert http.post(HARNESS + "Status", json={}).json()["status"] == "ok"
            process.send_signal(number)
            out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "ended\n", "")


@pytest.mark.parametrize("fault", ["hangs", "breaks"])
def test_the_server_serves_and_ends_while_the_ending_of_idle_runs(fault, monkeypatch):
    released, tries = threading.Event(), []

    def end_idle(runs, longest_s):
        tries.append(longest_s)
        if fault == "hangs":
            released.wait(20)
        raise RuntimeError("the benchmark broke")

    monkeypatch.setattr(ServedRuns, "end_idle", end_idle)
    with running_server(ShelfBenchmark(), ServerOptions()) as server:
        try:
            wait_until(lambda: len(tries) >= (1 if fault == "hangs" else 2))
            assert httpx2.post(server.url + HARNESS + "Status", json={}).status_code == 200
        finally:
            released.set()


@pytest.mark.parametrize("body", [b"", b"{"], ids=["head", "body"])
def test_a_client_that_stalls_costs_only_itself(body, monkeypatch):
    monkeypatch.setattr(listening, "BODY_S", 0.5)
    head = f"POST {HARNESS}Status HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n"
    with running_server(ShelfBenchmark(), ServerOptions()) as server, contextlib.ExitStack() as stack:
        place = ("127.0.0.1", httpx2.URL(server.url).port)
        clients = [stack.enter_context(socket.create_connection(place, timeout=10)) for _ in range(50)]
        for client in clients:
            client.sendall(head.encode() + (b"\r\n" + body if body else b""))
        began = time.monotonic()
        assert httpx2.post(server.url + HARNESS + "Status", json={}).status_code == 200
        assert time.monotonic() - began < 5
        if body:
            for client in clients:
                said = b""
                while b"deadline_exceeded" not in said:
                    said += client.recv(4096)
                    assert said
