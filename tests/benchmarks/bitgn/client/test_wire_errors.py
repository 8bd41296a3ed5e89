"""The error of a failed call of the platform: may it be repeated, and may it have happened?

`transient`: another attempt may succeed. `in_doubt`: the call may have taken effect, because
nothing says the opposite. A busy server refuses a call: transient, and not in doubt. A
broken connection: transient and in doubt.
"""

import contextlib
import json
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from controlplane.benchmarks.bitgn.client.calls.call_policy import CallPolicy
from controlplane.benchmarks.bitgn.client.calls.platform_call import Call
from controlplane.benchmarks.bitgn.client.calls.platform_request import PlatformRequest
from controlplane.benchmarks.bitgn.client.connection.platform_client import (
    PlatformClient,
    Service,
)
from controlplane.benchmarks.bitgn.client.connection.wire_errors import WireError
from tests.benchmarks.bitgn.client.stub_platform import http_reply
from tests.support.byte_server import ByteServer


def error_of_call(url: str) -> WireError:
    """Return the error of a call that is made once."""
    with closing(PlatformClient(connections=2)) as client:
        request = PlatformRequest(Service(client, url, "a.Service"), "Do", {})
        policy = CallPolicy(deadline_s=5.0, retry_s=0.0)
        with pytest.raises(WireError) as caught:
            Call(request, policy, parse_reply=lambda reply: reply).finish()
    return caught.value


@dataclass(frozen=True)
class Reply:
    """A reply with a status that is not 200."""

    status: str
    """The number, and a phrase that does not matter: `500 X`."""
    body: bytes = b""
    headers: str = ""


def reply_with_code(
    status: str, code: str, message: str = "", headers: str = ""
) -> Reply:
    """Return a reply as the platform sends it: `{"code": "internal", "message": "x"}`."""
    body = json.dumps({"code": code, "message": message}).encode()
    return Reply(status, body, headers)


def error_after(reply: Reply) -> WireError:
    """Return the error of a call that gets this reply."""
    behaviour = http_reply(reply.body, status=reply.status, headers=reply.headers)
    with ByteServer(behaviour) as platform:
        error = error_of_call(platform.url)
    assert error.message
    return error


class TestRefusedCalls:
    """A call that was refused did not happen: the error is not in doubt.

    `error_after(Reply("400 X", b"bad request"))` is the error of a call that gets this reply. It is
    `transient` if another attempt may succeed, and `in_doubt` if the call may have taken effect.
    """

    @pytest.mark.parametrize(
        ("reply", "code"),
        [
            pytest.param(
                reply_with_code("404 Not Found", "not_found", "no such file"),
                "not_found",
                id="not found",
            ),
            pytest.param(
                reply_with_code("401 X", "unauthenticated"),
                "unauthenticated",
                id="no key",
            ),
            pytest.param(
                Reply("400 X", b"bad request"), "invalid_argument", id="bad request"
            ),
            pytest.param(
                Reply("413 X", b"<h1>Too large</h1>"),
                "invalid_argument",
                id="too large",
            ),
        ],
    )
    def test_wrong_request_is_final_and_did_not_happen(
        self, reply: Reply, code: str
    ) -> None:
        """Another attempt would be refused, too, so the call is not repeated."""
        error = error_after(reply)

        assert error.code == code
        assert not error.in_doubt
        assert not error.transient
        assert error.retry_after_s is None


class TestRefusalsForNow:
    """A call that was refused for now is made again, even if it must not happen twice.

    `error_after(reply)` is the error of a call that gets this reply. It is `transient`, since
    another attempt may succeed, and not `in_doubt`, since nothing has happened.
    """

    @pytest.mark.parametrize(
        ("reply", "code"),
        [
            pytest.param(
                reply_with_code("503 X", "unavailable"), "unavailable", id="unavailable"
            ),
            pytest.param(
                Reply("429 X", headers="Retry-After: soon\r\n"),
                "resource_exhausted",
                id="too many requests, and an unreadable pause",
            ),
            # The platform sends a code with these. So another site has answered, to which the
            # network leads for now: the page of a hotel's login, for example.
            pytest.param(Reply("401 X"), "unavailable", id="login of another site"),
            pytest.param(
                Reply("403 X", b"no"), "unavailable", id="ban of another site"
            ),
            pytest.param(
                Reply("404 X", b"<html>nothing here</html>"),
                "unavailable",
                id="page of another site",
            ),
        ],
    )
    def test_refusal_for_now_may_pass_and_did_not_happen(
        self, reply: Reply, code: str
    ) -> None:
        """The call is made again, even if it must not happen twice."""
        error = error_after(reply)

        assert error.code == code
        assert not error.in_doubt
        assert error.transient
        assert error.retry_after_s is None


class TestRequestedPauses:
    """The header `Retry-After` asks to make the call again after some seconds.

    Usually the platform refuses a call with it, so that nothing has happened. Only a gateway may
    send it after the call was passed on: then the call is `in_doubt`.
    """

    @pytest.mark.parametrize(
        ("reply", "code", "pause_s"),
        [
            pytest.param(
                reply_with_code(
                    "429 X", "resource_exhausted", headers="Retry-After: 7\r\n"
                ),
                "resource_exhausted",
                7.0,
                id="too many requests",
            ),
            pytest.param(
                Reply("429 X", b"slow down", "Retry-After: 0.5\r\n"),
                "resource_exhausted",
                0.5,
                id="too many requests, without a code",
            ),
            pytest.param(
                Reply("503 X", b"<h1>Down</h1>", "Retry-After: 3\r\n"),
                "unavailable",
                3.0,
                id="page of a proxy",
            ),
        ],
    )
    def test_requested_pause_means_that_the_call_did_not_happen(
        self, reply: Reply, code: str, pause_s: float
    ) -> None:
        error = error_after(reply)

        assert error.code == code
        assert error.retry_after_s == pause_s
        assert not error.in_doubt
        assert error.transient

    def test_pause_requested_by_a_gateway_that_failed_leaves_the_call_in_doubt(
        self,
    ) -> None:
        """502 means that the gateway has passed the call on, and got no reply from the platform."""
        reply = reply_with_code("502 X", "", "x", headers="Retry-After: 3\r\n")

        error = error_after(reply)

        assert error.code == "unavailable"
        assert error.retry_after_s == 3.0
        assert error.in_doubt
        assert error.transient


def assert_may_have_happened_and_may_be_repeated(error: WireError) -> None:
    """Assert that a call is in doubt: it is made again only if it may happen twice."""
    assert error.in_doubt
    assert error.transient
    assert error.retry_after_s is None


class TestFailures:
    """A failure leaves the call in doubt: it may have taken effect before something failed.

    It is made again only if it may happen twice.
    """

    @pytest.mark.parametrize(
        ("reply", "code"),
        [
            pytest.param(
                reply_with_code("500 X", "internal", "x"), "internal", id="fault"
            ),
            pytest.param(Reply("500 X"), "internal", id="fault without a code"),
            pytest.param(
                Reply("500 X", b"[" * 200_000), "internal", id="fault as broken JSON"
            ),
            pytest.param(
                reply_with_code("499 X", "canceled"), "canceled", id="given up"
            ),
            pytest.param(
                reply_with_code("504 X", "deadline_exceeded"),
                "deadline_exceeded",
                id="deadline",
            ),
        ],
    )
    def test_failure_of_the_platform_leaves_the_call_in_doubt(
        self, reply: Reply, code: str
    ) -> None:
        """The platform failed while it made the call, perhaps after the call had its effect."""
        error = error_after(reply)

        assert error.code == code
        assert_may_have_happened_and_may_be_repeated(error)


class TestFailuresOfProxies:
    """A proxy may have passed the call on before it failed, so the call is in doubt.

    The replies have no code, or one that is not the platform's. The error is `transient`:
    another attempt may succeed.
    """

    @pytest.mark.parametrize(
        "reply",
        [
            pytest.param(Reply("503 X", b"<h1>Down</h1>"), id="page"),
            pytest.param(Reply("502 X"), id="bad gateway"),
            pytest.param(Reply("504 X"), id="timeout of a gateway"),
            pytest.param(
                reply_with_code("503 X", "ServiceUnavailable", "x"),
                id="code that is not the platform's",
            ),
            pytest.param(
                reply_with_code("504 X", "504", "upstream timeout"),
                id="number as a code",
            ),
            pytest.param(
                Reply("301 X", headers="Location: http://127.0.0.1:1/\r\n"),
                id="redirect",
            ),
            pytest.param(Reply("418 X", b'["code"]'), id="unknown status"),
        ],
    )
    def test_failure_of_a_proxy_leaves_the_call_in_doubt(self, reply: Reply) -> None:
        """The proxy between may have passed the call on before it failed."""
        error = error_after(reply)

        assert error.code == "unavailable"
        assert_may_have_happened_and_may_be_repeated(error)

    @pytest.mark.parametrize("code", ["unknown", "data_loss"])
    def test_unknown_failure_is_final_and_the_call_may_have_happened(
        self, code: str
    ) -> None:
        """The server does not know what happened, and would fail in the same way again."""
        error = error_after(reply_with_code("500 X", code, "x"))

        assert error.code == code
        assert error.in_doubt
        assert not error.transient
        assert error.retry_after_s is None


class TestAddressesWithoutServer:
    """No connection was made, so the call did not happen."""

    @pytest.mark.parametrize(
        ("url", "code", "transient"),
        [
            pytest.param("http://127.0.0.1:1", "unavailable", True, id="closed port"),
            pytest.param(
                "http://no-such-host.invalid", "unavailable", True, id="unknown host"
            ),
            pytest.param("ftp://127.0.0.1", "invalid_argument", False, id="protocol"),
            pytest.param("http://127.0.0.1:port", "invalid_argument", False, id="port"),
        ],
    )
    def test_call_to_an_address_without_a_server_did_not_happen(
        self, url: str, code: str, transient: bool
    ) -> None:
        """No connection was made. The error names the address, which may be misspelt."""
        error = error_of_call(url)

        assert error.code == code
        assert error.transient == transient
        assert not error.in_doubt
        assert url in error.message


# Three commands of openssl: they make an authority, the request of a server for a certificate, and
# the certificate, which the authority signs.
NEW_KEY = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
MAKE_AUTHORITY = (
    f"req -x509 {NEW_KEY} -keyout authority.pem -out authority.crt -subj /CN=authority"
)
REQUEST_CERTIFICATE = (
    f"req {NEW_KEY} -keyout server.pem -out server.csr -subj /CN=elsewhere.example"
)
SIGN_CERTIFICATE = (
    "x509 -req -CA authority.crt -CAkey authority.pem -CAcreateserial "
    "-in server.csr -extfile names -out server.crt"
)


@pytest.fixture
def untrusted_certificate(tmp_path: Path) -> Path:
    """The certificate of a server, signed by an authority that nobody trusts.

    Its key is in a file beside it, which ends with `.pem`.
    """
    (tmp_path / "names").write_text("subjectAltName=DNS:elsewhere.example")
    for arguments in (MAKE_AUTHORITY, REQUEST_CERTIFICATE, SIGN_CERTIFICATE):
        finished = subprocess.run(
            ["openssl", *arguments.split()],
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )
        if finished.returncode != 0:
            pytest.skip("openssl cannot make a certificate here")
    return tmp_path / "server.crt"


@contextmanager
def https_server(certificate: Path) -> Iterator[str]:
    """Accept one connection with this certificate. Yield the URL."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_suffix(".pem"))

    def accept_one_connection(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection, contextlib.suppress(OSError):
            context.wrap_socket(connection, server_side=True)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=accept_one_connection, args=(listener,))
        thread.start()
        yield f"https://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


class TestUntrustedCertificates:
    """The server may have a certificate by an authority that the user does not trust."""

    def test_untrusted_certificate_is_refused_with_a_remedy(
        self, untrusted_certificate: Path
    ) -> None:
        """The variable SSL_CERT_FILE names a file of authorities that the user trusts."""
        with https_server(untrusted_certificate) as url:
            error = error_of_call(url)

        assert error.code == "unavailable"
        assert not error.in_doubt
        assert not error.transient
        assert "SSL_CERT_FILE" in error.message
