"""Every way in which a call can fail is one error: its code, whether it may have happened, how long to wait."""

import contextlib
import json
import socket
import ssl
import subprocess
import threading

import pytest

from benchmarks.bitgn.client.platform_client import WireError
from tests.benchmarks.bitgn.byte_server import SECRET, call, failure, reply, stub


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
    """A certificate of another name, its key behind it, and in `authority.crt` that of the authority that signed it."""
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    signed = ("-CA", "authority.crt", "-CAkey", "authority.pem", "-CAcreateserial", "-in", "own.csr")
    (tmp_path / "names").write_text("subjectAltName=DNS:elsewhere.example")
    for command in (
        ("req", "-x509", *key, "-keyout", "authority.pem", "-out", "authority.crt", "-subj", "/CN=authority"),
        ("req", *key, "-keyout", "own.pem", "-out", "own.csr", "-subj", "/CN=elsewhere.example"),
        ("x509", "-req", *signed, "-extfile", "names", "-out", "own.crt"),
    ):
        if subprocess.run(["openssl", *command], cwd=tmp_path, capture_output=True, check=False).returncode:
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
    assert (error.code, error.in_doubt, error.transient) == ("unavailable", False, False)
    assert "SSL_CERT_FILE" in error.message


def test_a_secret_that_the_server_repeats_is_cut_out():
    said = json.dumps({"code": "unauthenticated", "message": f"the key {SECRET} is wrong"}).encode()
    error = failure(reply(said, status="401 X"), message={"apiKey": SECRET})
    assert SECRET not in str(error)
    assert "[secret]" in error.message
    page = failure(reply(f"<html>{SECRET}</html>".encode(), kind="text/html"))
    assert SECRET not in str(page)
    moved = failure(reply(b"", status="302 X", headers=f"Location: http://h/?key={SECRET}\r\n"))
    assert SECRET not in str(moved)
    with stub(reply(f'{{"a": "{SECRET}"}}'.encode())) as (url, _):
        assert call(url) == {"a": "[secret]"}


REFUSALS = [
    # status, body, headers -> code, may have happened, transient, retry after
    ("404 Not Found", b'{"code": "not_found", "message": "no such file"}', "", ("not_found", False, False, None)),
    ("503 X", b'{"code": "unavailable"}', "", ("unavailable", False, True, None)),
    ("429 X", b'{"code": "resource_exhausted"}', "Retry-After: 7\r\n", ("resource_exhausted", False, True, 7.0)),
    ("429 X", b"slow down", "Retry-After: 0.5\r\n", ("resource_exhausted", False, True, 0.5)),
    ("429 X", b"", "Retry-After: soon\r\n", ("resource_exhausted", False, True, None)),
    ("503 X", b"<h1>Down</h1>", "", ("unavailable", True, True, None)),
    ("503 X", b"<h1>Down</h1>", "Retry-After: 3\r\n", ("unavailable", False, True, 3.0)),
    ("502 X", b"", "", ("unavailable", True, True, None)),
    ("504 X", b"", "", ("unavailable", True, True, None)),
    ("500 X", b"", "", ("internal", True, True, None)),
    ("500 X", b'{"code": "internal", "message": "x"}', "", ("internal", True, True, None)),
    ("500 X", b'{"code": "unknown", "message": "x"}', "", ("unknown", True, False, None)),
    ("499 X", b'{"code": "canceled"}', "", ("canceled", True, True, None)),
    ("500 X", b'{"code": "data_loss"}', "", ("data_loss", True, False, None)),
    ("504 X", b'{"code": "deadline_exceeded"}', "", ("deadline_exceeded", True, True, None)),
    ("500 X", b"[" * 200_000, "", ("internal", True, True, None)),
    ("401 X", b'{"code": "unauthenticated"}', "", ("unauthenticated", False, False, None)),
    ("400 X", b"bad request", "", ("invalid_argument", False, False, None)),
    ("413 X", b"<h1>Too large</h1>", "", ("invalid_argument", False, False, None)),
    # What follows is not what the platform says.
    ("401 X", b"", "", ("unavailable", False, True, None)),
    ("403 X", b"no", "", ("unavailable", False, True, None)),
    ("404 X", b"<html>nothing here</html>", "", ("unavailable", False, True, None)),
    ("301 X", b"", "Location: http://127.0.0.1:1/\r\n", ("unavailable", True, True, None)),
    ("418 X", b'["code"]', "", ("unavailable", True, True, None)),
    ("503 X", b'{"code": "ServiceUnavailable", "message": "x"}', "", ("unavailable", True, True, None)),
    ("504 X", b'{"code": "504", "message": "upstream timeout"}', "", ("unavailable", True, True, None)),
    ("502 X", b'{"code": "", "message": "x"}', "Retry-After: 3\r\n", ("unavailable", True, True, 3.0)),
]


@pytest.mark.parametrize(("status", "body", "headers", "expected"), REFUSALS)
def test_a_refusal_says_its_code_and_whether_the_call_may_have_happened(status, body, headers, expected):
    error = failure(reply(body, status=status, headers=headers))
    assert (error.code, error.in_doubt, error.transient, error.retry_after_s) == expected
    assert error.message
