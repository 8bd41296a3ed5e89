"""Ports at which the processes of a run listen, and how many of them are protected by a certificate."""

import socket
import ssl
import subprocess
from contextlib import suppress
from dataclasses import dataclass

import psutil


@dataclass(frozen=True)
class Listener:
    """A port at which a process of a run listens."""

    host: str
    port: int

    def answer(self, certificate: ssl.SSLContext | None = None) -> bytes:
        """Send an HTTP request, encrypted if there is a certificate; return the first line of
        the answer.

        Empty if the connection is closed without an answer.
        """
        with socket.create_connection((self.host, self.port), timeout=20) as peer:
            try:
                if certificate is not None:
                    peer = certificate.wrap_socket(peer)
                peer.sendall(b"GET /health HTTP/1.1\r\nHost: here\r\n\r\n")
                return peer.recv(1000).partition(b"\r\n")[0]
            except (ssl.SSLError, ConnectionError):
                return b""
            finally:
                peer.close()


def listeners_of(run: subprocess.Popen[str]) -> set[Listener]:
    """Return where a run and its child processes listen."""
    process = psutil.Process(run.pid)
    listeners: set[Listener] = set()
    for any_process in (process, *process.children(recursive=True)):
        # Children that run scripts may have ended meanwhile, and listen nowhere then.
        with suppress(psutil.NoSuchProcess):
            for connection in any_process.net_connections("tcp"):
                if connection.status == psutil.CONN_LISTEN:
                    listeners.add(Listener(*connection.laddr))
    return listeners
