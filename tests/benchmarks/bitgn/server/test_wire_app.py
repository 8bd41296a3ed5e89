"""Single requests to the server that serves a benchmark as the platform (BitGN) does.

Requests are Connect calls: a POST to a path such as `/bitgn.harness.HarnessService/StartRun`
with a message as JSON or protobuf. The tests show that every wrong request gets an error
with a code such as `invalid_argument`, and that the server goes on.
"""

import contextlib
import gzip
import json
import socket
import struct
import threading
import tracemalloc
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass

from controlplane.benchmarks.bitgn.proto import SERVICES
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.sandbox.interface import CallError, Plain
from tests.benchmarks.bitgn.raw_client import ECOM, HARNESS
from tests.benchmarks.bitgn.shelf import Shelf
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.support.command import wait_until
from tests.support.running_server import running_server

API_KEY = "a key"
"""The key that a request for a run has to name, in its field `apiKey`."""
MAX_BODY_BYTES = 100_000
"""The most bytes that the body of a request may have."""
OPTIONS = ServerOptions(api_key=API_KEY, body_bytes=MAX_BODY_BYTES)

JSON_HEADERS = {"content-type": "application/json"}
GZIP_HEADERS = {**JSON_HEADERS, "content-encoding": "gzip"}
PROTOBUF_HEADERS = {"content-type": "application/proto"}
"""The headers of a message as JSON, as compressed JSON, and as protobuf, a binary form."""


@pytest.fixture(scope="module")
def http() -> Iterator[httpx2.Client]:
    """A client of a server whose runs need the key `API_KEY`."""
    with (
        running_server(ShelfBenchmark(), OPTIONS) as server,
        httpx2.Client(base_url=server.url, timeout=20) as client,
    ):
        yield client


@dataclass(frozen=True)
class Request:
    """An HTTP request to the server; without further fields, a call with an empty message."""

    path: str
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=lambda: JSON_HEADERS)
    verb: str = "POST"

    def send(self, http: httpx2.Client) -> httpx2.Response:
        return http.request(
            self.verb, self.path, headers=self.headers, content=self.body
        )


class TestRequestsThatAreNoCalls:
    """A request that is no call is refused by its path, verb or type alone.

    The reply has a status such as 404, and no message.

    A call is a POST to the path of a service and a method: `HARNESS + "Status"`, for example.
    """

    @pytest.mark.parametrize(
        ("wrong_request", "status"),
        [
            pytest.param(Request(HARNESS + "Nothing"), 404, id="unknown method"),
            pytest.param(Request("/"), 404, id="no service"),
            pytest.param(
                Request("/bitgn.vm.pcm.PcmRuntime/Read"), 404, id="another service"
            ),
            pytest.param(
                Request(HARNESS + "Status", b"", headers={}, verb="GET"), 405, id="GET"
            ),
            pytest.param(Request(HARNESS + "Status", headers={}), 415, id="no type"),
            pytest.param(
                Request(HARNESS + "Status", headers={"content-type": "text/html"}),
                415,
                id="wrong type",
            ),
        ],
    )
    def test_request_that_is_not_a_call_is_refused(
        self, http: httpx2.Client, wrong_request: Request, status: int
    ) -> None:
        """It is refused by its path, verb or type alone, and the reply has no message."""
        reply = wrong_request.send(http)

        assert reply.status_code == status
        assert API_KEY not in reply.text


def assert_is_error(reply: httpx2.Response, status: int, code: str) -> None:
    """Assert that a reply is an error: `{"code": "not_found", "message": "..."}`."""
    assert reply.status_code == status
    assert reply.headers["content-type"] == "application/json"
    assert reply.json()["code"] == code
    assert reply.json()["message"]
    assert API_KEY not in reply.text


GZIP_OF_50_MB = gzip.compress(b" " * 50_000_000, 1)
"""Compressed, it is far smaller than `MAX_BODY_BYTES`; unpacked, it is far larger."""


EMPTY_GZIP = gzip.compress(b"{}", mtime=0)


class TestUnreadableMessages:
    """A message that cannot be read as JSON or protobuf gets an error with a code.

    The requests go to methods of the service `HARNESS`, for runs and trials. A message is sent as
    JSON, unless its headers say otherwise.
    """

    @pytest.mark.parametrize(
        ("wrong_request", "status", "code"),
        [
            pytest.param(
                Request(HARNESS + "Status", b"no json"),
                400,
                "invalid_argument",
                id="not JSON",
            ),
            pytest.param(
                Request(HARNESS + "Status", b"\xff\xfe"),
                400,
                "invalid_argument",
                id="not text",
            ),
            pytest.param(
                Request(HARNESS + "Status", b"[]"), 400, "invalid_argument", id="list"
            ),
            pytest.param(
                Request(HARNESS + "Status", b'""'), 400, "invalid_argument", id="text"
            ),
            pytest.param(
                Request(HARNESS + "Status", b"[" * 50_000),
                400,
                "invalid_argument",
                id="deep JSON",
            ),
            pytest.param(
                Request(HARNESS + "StartRun", b'{"name": "\\ud800"}'),
                400,
                "invalid_argument",
                id="character that is not text",
            ),
            pytest.param(
                Request(HARNESS + "GetRun", b"\xff\xff", headers=PROTOBUF_HEADERS),
                400,
                "invalid_argument",
                id="invalid protobuf",
            ),
        ],
    )
    def test_wrong_call_gets_an_error_with_its_code(
        self, http: httpx2.Client, wrong_request: Request, status: int, code: str
    ) -> None:
        assert_is_error(wrong_request.send(http), status, code)


class TestCompressionAndSize:
    """A body that cannot be unpacked, or is too large when it is, gets an error with a code.

    At most 100 kB are allowed (`MAX_BODY_BYTES`). `GZIP_OF_50_MB` is smaller than that, and far
    larger when it is unpacked.
    """

    @pytest.mark.parametrize(
        ("wrong_request", "status", "code"),
        [
            pytest.param(
                Request(
                    HARNESS + "Status",
                    headers={**JSON_HEADERS, "content-encoding": "br"},
                ),
                501,
                "unimplemented",
                id="unknown compression",
            ),
            pytest.param(
                Request(HARNESS + "Status", headers=GZIP_HEADERS),
                400,
                "invalid_argument",
                id="not compressed",
            ),
            pytest.param(
                Request(HARNESS + "Status", EMPTY_GZIP[:-4], headers=GZIP_HEADERS),
                400,
                "invalid_argument",
                id="incomplete compressed data",
            ),
            pytest.param(
                Request(HARNESS + "Status", b" " * (MAX_BODY_BYTES + 1)),
                429,
                "resource_exhausted",
                id="too large",
            ),
            pytest.param(
                Request(HARNESS + "Status", GZIP_OF_50_MB, headers=GZIP_HEADERS),
                429,
                "resource_exhausted",
                id="too large, compressed",
            ),
            pytest.param(
                Request(
                    HARNESS + "Status",
                    headers={**JSON_HEADERS, "connect-timeout-ms": "soon"},
                ),
                400,
                "invalid_argument",
                id="word as a timeout",
            ),
        ],
    )
    def test_wrong_call_gets_an_error_with_its_code(
        self, http: httpx2.Client, wrong_request: Request, status: int, code: str
    ) -> None:
        assert_is_error(wrong_request.send(http), status, code)


class TestUnknownIds:
    """A call that names what does not exist gets the code `not_found`: a run, a trial, a benchmark.

    `HARNESS` is the path of the service for runs and trials, `ECOM` that for the
    files and tools of a trial.
    """

    @pytest.mark.parametrize(
        ("wrong_request", "status", "code"),
        [
            pytest.param(
                Request("/trials/none" + ECOM + "Read", b'{"path": "/AGENTS.MD"}'),
                404,
                "not_found",
                id="file of an unknown trial",
            ),
            pytest.param(
                Request(HARNESS + "GetRun", b'{"runId": "none"}'),
                404,
                "not_found",
                id="unknown run",
            ),
            pytest.param(
                Request(HARNESS + "GetRun", b'{"runId": 7}'),
                404,
                "not_found",
                id="number as the id of a run",
            ),
            pytest.param(
                Request(HARNESS + "GetTrial", b'{"trialId": "none"}'),
                404,
                "not_found",
                id="unknown trial",
            ),
            pytest.param(
                Request(HARNESS + "StartTrial"), 404, "not_found", id="start no trial"
            ),
            pytest.param(
                Request(HARNESS + "EndTrial"), 404, "not_found", id="end no trial"
            ),
            pytest.param(
                Request(HARNESS + "SubmitRun"), 404, "not_found", id="submit no run"
            ),
            pytest.param(
                Request(HARNESS + "GetBenchmark", b'{"benchmarkId": "none"}'),
                404,
                "not_found",
                id="unknown benchmark",
            ),
        ],
    )
    def test_wrong_call_gets_an_error_with_its_code(
        self, http: httpx2.Client, wrong_request: Request, status: int, code: str
    ) -> None:
        assert_is_error(wrong_request.send(http), status, code)


class TestRefusedMethods:
    """A run needs the key of the server, and some methods of the protocol are not served at all.

    The path `HARNESS` is that of the service for runs and trials. The code of a missing or wrong
    key is `unauthenticated`.
    """

    @pytest.mark.parametrize(
        ("wrong_request", "status", "code"),
        [
            pytest.param(
                Request(
                    HARNESS + "StartRun", b'{"benchmarkId": "shelf", "apiKey": "wrong"}'
                ),
                401,
                "unauthenticated",
                id="wrong key",
            ),
            pytest.param(
                Request(HARNESS + "StartRun", b'{"benchmarkId": "shelf"}'),
                401,
                "unauthenticated",
                id="no key",
            ),
            pytest.param(
                Request(HARNESS + "StartPlayground"),
                501,
                "unimplemented",
                id="method that the server does not have",
            ),
        ],
    )
    def test_wrong_call_gets_an_error_with_its_code(
        self, http: httpx2.Client, wrong_request: Request, status: int, code: str
    ) -> None:
        assert_is_error(wrong_request.send(http), status, code)


class TestLargeBodies:
    """A body of more than 100 kB is refused before it fills the memory.

    The server does not know the size beforehand if the body is compressed, or comes in chunks.

    The requests are calls of the method `Status` of the service `HARNESS`.
    """

    def test_body_that_is_too_large_when_unpacked_does_not_fill_the_memory(
        self, http: httpx2.Client
    ) -> None:
        """The server runs in this process, so its memory can be measured here."""
        tracemalloc.start()
        try:
            reply = http.post(
                HARNESS + "Status", content=GZIP_OF_50_MB, headers=GZIP_HEADERS
            )
            _, peak_bytes = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

        assert reply.status_code == 429
        assert peak_bytes < 5_000_000

    def test_body_of_unknown_length_is_refused_once_it_is_too_large(
        self, http: httpx2.Client
    ) -> None:
        """The body has 10 MB in chunks, and no header that says its length. 100 kB are allowed."""
        chunks = (b" " * 10_000 for _ in range(1_000))

        # The server may close the connection before all chunks are sent: then there is no reply.
        with contextlib.suppress(httpx2.WriteError):
            reply = http.post(HARNESS + "Status", content=chunks, headers=JSON_HEADERS)
            assert reply.status_code == 429

        assert_server_answers(http)


def call(
    http: httpx2.Client,
    url: str,
    message: Mapping[str, Any] | None = None,
    **headers: str,
) -> httpx2.Response:
    """Call a method with a message as JSON."""
    return http.post(
        url, content=json.dumps(message or {}), headers={**JSON_HEADERS, **headers}
    )


def assert_server_answers(http: httpx2.Client) -> None:
    """Assert that the server still works after a wrong request."""
    assert call(http, HARNESS + "Status").json()["status"] == "ok"


def connection_to(http: httpx2.Client) -> socket.socket:
    """Return a connection to the server, to send bytes of any kind."""
    return socket.create_connection((http.base_url.host, http.base_url.port))


class TestClientsThatLeave:
    """A client may break off a request, or leave without waiting for the reply.

    The server must go on in any case, and make a call that has arrived.
    """

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
    def test_server_goes_on_after_a_client_that_breaks_off(
        self, http: httpx2.Client, request_bytes: bytes
    ) -> None:
        """A client sends half a request, or bytes of another protocol, and breaks off."""
        # With this option, closing the connection resets it.
        linger_for_no_time = struct.pack("ii", 1, 0)
        with connection_to(http) as connection:
            connection.sendall(request_bytes)
            connection.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, linger_for_no_time
            )

        assert_server_answers(http)

    def test_call_of_a_client_that_has_left_is_still_made(
        self, http: httpx2.Client
    ) -> None:
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


def start_trial(http: httpx2.Client) -> str:
    """Start a run and its first trial. Return the URL of the trial's runtime."""
    run_request = {"benchmarkId": "shelf", "name": "n", "apiKey": API_KEY}
    run = call(http, HARNESS + "StartRun", run_request).json()
    trial_request = {"trialId": run["trialIds"][0]}
    trial = call(http, HARNESS + "StartTrial", trial_request).json()
    return str(trial["harnessUrl"]) + ECOM


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


class TestReplies:
    """A trial's calls have the results of its environment, in JSON or in protobuf.

    `start_trial` starts a run of the small benchmark `shelf`, whose environment has a few files
    about books, and returns the URL to which the calls of its first trial go.
    """

    def test_every_method_replies_alike_in_json_and_protobuf(
        self, http: httpx2.Client
    ) -> None:
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
            assert MessageToDict(message_from_protobuf) == MessageToDict(
                message_from_json
            )

    def test_tree_that_is_too_large_is_cut_to_one_level(
        self, http: httpx2.Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The environment refuses every tree of more than one level as too large."""
        real_call = Shelf.call

        def refuse_large_trees(
            shelf: Shelf, operation: str, arguments: Mapping[str, Plain]
        ) -> dict[str, Plain]:
            if operation == "tree" and arguments["level"] != 1:
                raise CallError(
                    "resource_exhausted", "the result of tree holds too much"
                )
            return real_call(shelf, operation, arguments)

        monkeypatch.setattr(Shelf, "call", refuse_large_trees)
        runtime_url = start_trial(http)

        one_level = call(http, runtime_url + "Tree", {"root": "/", "level": 1}).json()
        all_levels = call(http, runtime_url + "Tree", {"root": "/", "level": 0}).json()

        assert "truncated" not in one_level
        assert all_levels == {**one_level, "truncated": True}


class TestDeadlines:
    """A client may announce how long it waits for a reply."""

    def test_call_that_exceeds_its_deadline_is_answered_at_the_deadline(self) -> None:
        """The environment keeps all calls waiting until the first one was answered.

        1. A client calls, and announces that it waits for 0.1 s. It gets its reply at that time.
        2. The call goes on, and may end now. The next call waits for it, because a trial's
           environment must never get two calls at once: `Shelf` would refuse the second.
        """
        may_end = threading.Event()
        with (
            running_server(ShelfBenchmark(calls_may_end=may_end), OPTIONS) as server,
            httpx2.Client(base_url=server.url) as http,
        ):
            read_url = start_trial(http) + "Read"
            rules = {"path": "/AGENTS.MD"}
            short_deadline = {"connect-timeout-ms": "100"}

            late_reply = call(http, read_url, rules, **short_deadline)
            may_end.set()
            next_reply = call(http, read_url, rules)

        assert late_reply.status_code == 504
        assert late_reply.json()["code"] == "deadline_exceeded"
        assert next_reply.status_code == 200
