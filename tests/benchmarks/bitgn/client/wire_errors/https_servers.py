"""A server for HTTPS with a certificate that nobody trusts.

    with https_server(new_certificate(tmp_path)) as url:
        ...   # a client calls "https://127.0.0.1:41235"

The client refuses the certificate, as it does not know the authority that has signed it.
"""

import contextlib
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

NEW_KEY = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"


def new_certificate(folder: Path) -> Path:
    """Return the path of the certificate: `server.crt`. Its key is beside it, in `server.pem`.

    It is signed by an authority that is made for it. The test is skipped without openssl.
    """
    (folder / "names").write_text("subjectAltName=DNS:elsewhere.example")
    make_authority = f"req -x509 {NEW_KEY} -keyout authority.pem -out authority.crt -subj /CN=authority"
    request_certificate = (
        f"req {NEW_KEY} -keyout server.pem -out server.csr -subj /CN=elsewhere.example"
    )
    sign_certificate = (
        "x509 -req -CA authority.crt -CAkey authority.pem -CAcreateserial "
        "-in server.csr -extfile names -out server.crt"
    )
    for arguments in (make_authority, request_certificate, sign_certificate):
        command = ["openssl", *arguments.split()]
        finished = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        if finished.returncode != 0:
            pytest.skip("openssl cannot make a certificate here")
    return folder / "server.crt"


@contextlib.contextmanager
def https_server(certificate: Path) -> Iterator[str]:
    """Accept one connection with this certificate. Yield the URL."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_suffix(".pem"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(
            target=_accept_one_connection, args=(listener, context)
        )
        thread.start()
        yield f"https://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


def _accept_one_connection(listener: socket.socket, context: ssl.SSLContext) -> None:
    connection, _ = listener.accept()
    with connection, contextlib.suppress(OSError):
        context.wrap_socket(connection, server_side=True)
