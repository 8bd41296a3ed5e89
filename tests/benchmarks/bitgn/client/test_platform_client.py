"""A call of the platform: how it fails, in one error
for every way, and how often its policy repeats it."""

import contextlib
import json
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from unittest.mock import patch

import pytest

from controlplane.benchmarks.bitgn.client.call_policy import CallPolicy
from controlplane.benchmarks.bitgn.client.platform_call import Call
from controlplane.benchmarks.bitgn.client.platform_client import (
    PlatformClient,
    Service,
)
from controlplane.benchmarks.bitgn.client.platform_request import PlatformRequest
from controlplane.benchmarks.bitgn.client.wire_errors import WireError
from controlplane.sandbox.interface import bounds
from tests.support.byte_server import Behaviour, ByteServer


def reply(
    body: bytes,
    *,
    status: str = "200 OK",
    kind: str = "application/json",
    headers: str = "",
) -> Behaviour:
    """Send one whole reply."""

    def behave(client: socket.socket, _: bytes) -> None:
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
        client.sendall(head.encode() + body)

    return behave


@contextmanager
def stub(behave: Behaviour) -> Iterator[tuple[str, list[bytes]]]:
    """Listen for as long as the block lasts; yield the base URL and the requests that came in."""
    with ByteServer(behave) as server:
        yield server.url, server.requests


SECRET = "canary-key-77aa"


def to_call(url, client, message=None, *, look=None, **policy) -> Call:
    """Return one call; what the policy does not say is that nothing is made again."""
    settled = CallPolicy(**({"deadline_s": 5.0, "retry_s": 0.0} | policy))
    request = PlatformRequest(Service(client, url, "a.Service"), "Do", message or {})
    return Call(request, settled, lambda reply: reply, look)


def make(url, client, message=None, **more):
    return to_call(url, client, message, **more).finish()


def call(url, message=None, *, secrets=(SECRET,), **policy):
    with closing(PlatformClient(2, secrets=secrets)) as client:
        return make(url, client, message, **policy)


def failure(behave, *, message=None, **policy) -> WireError:
    with stub(behave) as (url, _), pytest.raises(WireError) as raised:
        call(url, message, **policy)
    return raised.value


DONE = reply(b'{"done": true}')
REFUSED = reply(b'{"code": "unavailable", "message": "later"}', status="503 X")
CANCELED = reply(b'{"code": "canceled", "message": "the server stops"}', status="499 X")
INTERNAL = reply(b'{"code": "internal", "message": "a fault"}', status="500 X")
BARE = reply(b"<h1>Down</h1>", status="503 X", kind="text/html")
MISSING = reply(b'{"code": "not_found", "message": "none"}', status="404 X")
ALREADY = reply(
    b'{"code": "already_exists", "message": "already answered"}', status="409 X"
)
BUSY = reply(
    b'{"code": "resource_exhausted", "message": "slow"}',
    status="429 X",
    headers="Retry-After: 0.3\r\n",
)


def lose(client: socket.socket, _: bytes) -> None:
    client.shutdown(socket.SHUT_RDWR)


class Script:
    """Answers the first calls with these, and every later one with the last."""

    def __init__(self, *behaviours: Behaviour) -> None:
        self.behaviours = list(behaviours)
        self.calls = 0

    def __call__(self, client: socket.socket, request: bytes) -> None:
        behave = self.behaviours[min(self.calls, len(self.behaviours) - 1)]
        self.calls += 1
        behave(client, request)


def call_by(script: Script, look=None, **policy):
    with stub(script) as (url, _):
        return call(url, look=look, **({"deadline_s": 2.0, "retry_s": 5.0} | policy))


@pytest.mark.parametrize(
    ("script", "policy", "calls", "code", "in_doubt"),
    [
        (Script(MISSING), {}, 1, "not_found", False),
        (Script(lose), {"max_repeats_in_doubt": 0}, 1, "unavailable", True),
        (Script(lose), {"max_repeats_in_doubt": 1}, 2, "unavailable", True),
        (Script(BARE), {"max_repeats_in_doubt": 1}, 2, "unavailable", True),
        (
            Script(REFUSED, lose, DONE),
            {"max_repeats_in_doubt": 0},
            2,
            "unavailable",
            True,
        ),
        (Script(INTERNAL), {}, 3, "internal", True),
        (Script(CANCELED), {}, 3, "canceled", True),
        (Script(CANCELED), {"max_repeats_in_doubt": 0}, 1, "canceled", True),
        (Script(ALREADY), {"accepts_already_done": True}, 1, "already_exists", False),
        # It was refused in the end, but the attempt before may have happened all the same.
        (Script(lose, MISSING), {}, 2, "not_found", True),
    ],
)
def test_a_failure_that_is_final_or_must_not_be_repeated_is_raised(
    script, policy, calls, code, in_doubt
):
    with pytest.raises(WireError) as raised:
        call_by(script, **policy)
    assert (script.calls, raised.value.code, raised.value.in_doubt) == (
        calls,
        code,
        in_doubt,
    )


def test_already_counts_as_done_only_after_a_lost_reply():
    script = Script(lose, ALREADY)
    assert call_by(script, accepts_already_done=True) == {}
    assert script.calls == 2


def test_a_call_that_may_have_happened_is_looked_at_before_it_is_repeated():
    seen = []

    def look():
        seen.append("looked")
        return {"found": True}

    script = Script(lose, DONE)

    assert call_by(script, look) == {"found": True}
    assert (script.calls, seen) == (1, ["looked"])


def test_a_call_that_waits_for_a_turn_gets_the_turn_of_a_call_that_its_thread_has_sent():
    with stub(DONE) as (url, requests), closing(PlatformClient(1)) as client:
        make(url, client)  # leaves an idle connection
        sent, waiting = (to_call(url, client, retry_s=5.0).begin() for _ in range(2))
        assert [waiting.finish(), sent.finish()] == [{"done": True}] * 2

    assert len(requests) == 3


def test_no_call_leaves_once_its_trial_has_ended():
    arrived = []

    def hang(client: socket.socket, request: bytes) -> None:
        arrived.append(request)
        time.sleep(1)

    with stub(hang) as (url, _), closing(PlatformClient(2)) as client:
        call = to_call(url, client, deadline_s=0.2, retry_s=5.0)
        begun = call.begin()
        time.sleep(0.1)
        call.request.service.is_closed = True
        with pytest.raises(WireError, match="its trial has ended") as raised:
            begun.finish()
        assert (raised.value.code, raised.value.in_doubt, len(arrived)) == (
            "canceled",
            True,
            1,
        )


def test_no_more_calls_are_in_flight_than_there_may_be_connections():
    in_flight, seen = [], []

    def behave(client: socket.socket, request: bytes) -> None:
        in_flight.append(1)
        seen.append(len(in_flight))
        time.sleep(0.05)
        in_flight.pop()
        DONE(client, request)

    with (
        stub(behave) as (url, _),
        closing(PlatformClient(2)) as client,
        ThreadPoolExecutor(6) as pool,
    ):
        list(pool.map(lambda _: make(url, client), range(12)))

    assert max(seen) == 2
    assert len(seen) == 12


def test_a_wait_that_the_server_names_holds_its_own_call_and_is_told():
    came, notices = [], []

    def behave(client: socket.socket, request: bytes) -> None:
        came.append((time.monotonic(), b"first" in request))
        (BUSY if len(came) == 1 else DONE)(client, request)

    with stub(behave) as (url, _), patch.object(bounds, "NOTICE_AFTER_S", 0.2):
        client = PlatformClient(2, notify=notices.append)
        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(make, url, client, {"name": "first"}, retry_s=5.0)
            while not notices:
                time.sleep(0.01)
            make(url, client, {"name": "second"})
            assert first.result(5) == {"done": True}
        client.close()

    assert [is_first for _, is_first in came] == [True, False, True]
    assert came[2][0] - came[0][0] >= 0.3
    assert notices == ["the platform asks to wait 0 s with Do"]


@pytest.mark.parametrize(
    ("url", "code", "transient"),
    [
        ("http://127.0.0.1:1", "unavailable", True),
        ("http://no-such-host.invalid", "unavailable", True),
        ("ftp://127.0.0.1", "invalid_argument", False),
        ("http://127.0.0.1:port", "invalid_argument", False),
    ],
)
def test_a_host_that_cannot_be_reached_did_nothing_and_is_named(url, code, transient):
    with pytest.raises(WireError) as raised:
        call(url)
    error = raised.value

    assert (error.code, error.in_doubt, error.transient) == (code, False, transient)
    assert url in error.message


@pytest.fixture
def certificate(tmp_path):
    """A certificate of another name, its key behind it,
    and in `authority.crt` that of the authority that signed it."""
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    signed = (
        "-CA",
        "authority.crt",
        "-CAkey",
        "authority.pem",
        "-CAcreateserial",
        "-in",
        "own.csr",
    )
    (tmp_path / "names").write_text("subjectAltName=DNS:elsewhere.example")
    for command in (
        (
            "req",
            "-x509",
            *key,
            "-keyout",
            "authority.pem",
            "-out",
            "authority.crt",
            "-subj",
            "/CN=authority",
        ),
        (
            "req",
            *key,
            "-keyout",
            "own.pem",
            "-out",
            "own.csr",
            "-subj",
            "/CN=elsewhere.example",
        ),
        ("x509", "-req", *signed, "-extfile", "names", "-out", "own.crt"),
    ):
        if subprocess.run(
            ["openssl", *command], cwd=tmp_path, capture_output=True, check=False
        ).returncode:
            pytest.skip("no certificate can be made here")
    return tmp_path / "own.crt"


@contextlib.contextmanager
def behind(certificate):
    """Shake hands once; yield the base URL."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_suffix(".pem"))

    def shake_hands(listener: socket.socket) -> None:
        client, _ = listener.accept()
        with client, contextlib.suppress(OSError):
            context.wrap_socket(client, server_side=True)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=shake_hands, args=(listener,))
        thread.start()
        yield f"https://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


def test_a_certificate_that_is_not_trusted_is_told_with_its_remedy(certificate):
    with behind(certificate) as url, pytest.raises(WireError) as raised:
        call(url)
    error = raised.value

    assert (error.code, error.in_doubt, error.transient) == (
        "unavailable",
        False,
        False,
    )
    assert "SSL_CERT_FILE" in error.message


def test_a_secret_that_the_server_repeats_is_cut_out():
    said = json.dumps(
        {"code": "unauthenticated", "message": f"the key {SECRET} is wrong"}
    ).encode()
    error = failure(reply(said, status="401 X"), message={"apiKey": SECRET})

    assert SECRET not in str(error)
    assert "[secret]" in error.message
    page = failure(reply(f"<html>{SECRET}</html>".encode(), kind="text/html"))
    assert SECRET not in str(page)
    moved = failure(
        reply(b"", status="302 X", headers=f"Location: http://h/?key={SECRET}\r\n")
    )
    assert SECRET not in str(moved)
    with stub(reply(f'{{"a": "{SECRET}"}}'.encode())) as (url, _):
        assert call(url) == {"a": "[secret]"}


REFUSALS = [
    # status, body, headers -> code, may have happened, transient, retry after
    (
        "404 Not Found",
        b'{"code": "not_found", "message": "no such file"}',
        "",
        ("not_found", False, False, None),
    ),
    ("503 X", b'{"code": "unavailable"}', "", ("unavailable", False, True, None)),
    (
        "429 X",
        b'{"code": "resource_exhausted"}',
        "Retry-After: 7\r\n",
        ("resource_exhausted", False, True, 7.0),
    ),
    (
        "429 X",
        b"slow down",
        "Retry-After: 0.5\r\n",
        ("resource_exhausted", False, True, 0.5),
    ),
    ("429 X", b"", "Retry-After: soon\r\n", ("resource_exhausted", False, True, None)),
    ("503 X", b"<h1>Down</h1>", "", ("unavailable", True, True, None)),
    (
        "503 X",
        b"<h1>Down</h1>",
        "Retry-After: 3\r\n",
        ("unavailable", False, True, 3.0),
    ),
    ("502 X", b"", "", ("unavailable", True, True, None)),
    ("504 X", b"", "", ("unavailable", True, True, None)),
    ("500 X", b"", "", ("internal", True, True, None)),
    (
        "500 X",
        b'{"code": "internal", "message": "x"}',
        "",
        ("internal", True, True, None),
    ),
    (
        "500 X",
        b'{"code": "unknown", "message": "x"}',
        "",
        ("unknown", True, False, None),
    ),
    ("499 X", b'{"code": "canceled"}', "", ("canceled", True, True, None)),
    ("500 X", b'{"code": "data_loss"}', "", ("data_loss", True, False, None)),
    (
        "504 X",
        b'{"code": "deadline_exceeded"}',
        "",
        ("deadline_exceeded", True, True, None),
    ),
    ("500 X", b"[" * 200_000, "", ("internal", True, True, None)),
    (
        "401 X",
        b'{"code": "unauthenticated"}',
        "",
        ("unauthenticated", False, False, None),
    ),
    ("400 X", b"bad request", "", ("invalid_argument", False, False, None)),
    ("413 X", b"<h1>Too large</h1>", "", ("invalid_argument", False, False, None)),
    # What follows is not what the platform says.
    ("401 X", b"", "", ("unavailable", False, True, None)),
    ("403 X", b"no", "", ("unavailable", False, True, None)),
    ("404 X", b"<html>nothing here</html>", "", ("unavailable", False, True, None)),
    (
        "301 X",
        b"",
        "Location: http://127.0.0.1:1/\r\n",
        ("unavailable", True, True, None),
    ),
    ("418 X", b'["code"]', "", ("unavailable", True, True, None)),
    (
        "503 X",
        b'{"code": "ServiceUnavailable", "message": "x"}',
        "",
        ("unavailable", True, True, None),
    ),
    (
        "504 X",
        b'{"code": "504", "message": "upstream timeout"}',
        "",
        ("unavailable", True, True, None),
    ),
    (
        "502 X",
        b'{"code": "", "message": "x"}',
        "Retry-After: 3\r\n",
        ("unavailable", True, True, 3.0),
    ),
]


@pytest.mark.parametrize(("status", "body", "headers", "expected"), REFUSALS)
def test_a_refusal_says_its_code_and_whether_the_call_may_have_happened(
    status, body, headers, expected
):
    error = failure(reply(body, status=status, headers=headers))
    assert (
        error.code,
        error.in_doubt,
        error.transient,
        error.retry_after_s,
    ) == expected
    assert error.message
