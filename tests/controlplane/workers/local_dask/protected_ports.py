"""Ports of a run that answer nobody without the certificate that the run has made for itself."""

import ssl
import subprocess

from tests.controlplane.workers.local_dask.run_listeners import listeners_of


def certificate_of_another_run() -> ssl.SSLContext:
    """Return a certificate as every run makes one for itself.

    Whoever uses it accepts any certificate of the other side.
    """
    from distributed.security import Security

    arguments = Security.temporary().get_connection_args("worker")
    certificate: ssl.SSLContext = arguments["ssl_context"]
    certificate.verify_mode = ssl.CERT_NONE
    return certificate


def count_protected_ports(run: subprocess.Popen[str]) -> int:
    """Return at how many ports a run listens, without those of the web pages.

    Asserts that none can be reached from another machine, and that none answers us: neither
    without a certificate nor with that of another run.
    """
    certificate = certificate_of_another_run()
    protected_ports = 0
    for listener in listeners_of(run):
        assert listener.host == "127.0.0.1"
        answer = listener.answer()
        # Here Dask would serve web pages, which are switched off.
        if answer == b"HTTP/1.1 404 Not Found":
            continue
        assert answer == b""
        assert listener.answer(certificate) == b""
        protected_ports += 1
    return protected_ports
