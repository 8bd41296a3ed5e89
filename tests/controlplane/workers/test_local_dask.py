"""Workers that a run starts on its own machine: `controlplane run --workers dask:local:2`.

The run starts a Dask scheduler and two workers, processes that listen at ports of 127.0.0.1. Other
users of the machine can connect to these ports. So the processes of a run talk only to holders of
a certificate that the run has made for itself.
"""

import socket
import ssl
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.command import start_controlplane, wait_for_exit, wait_until
from tests.support.journals.compared_lines import lines_without_times

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)
import psutil

pytestmark = pytest.mark.second_tier

OK = 0
A_TRIAL_FAILED = 1
"""The exit code of a run if a trial has no answer."""

START_S = 120
"""How long three processes may take to import all that a run needs, on a busy machine."""

REQUEST = b"GET /health HTTP/1.1\r\nHost: here\r\n\r\n"
WEB_PAGES_ARE_OFF = b"HTTP/1.1 404 Not Found"
"""The answer of a port at which Dask would serve web pages. They are switched off."""


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
                peer.sendall(REQUEST)
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
        if answer == WEB_PAGES_ARE_OFF:
            continue
        assert answer == b""
        assert listener.answer(certificate) == b""
        protected_ports += 1
    return protected_ports


def a_trial_has_started(folder: Path) -> bool:
    """Return whether the journal of the run in a folder has the start of a trial."""
    for journal in (folder / "runs").glob("*.jsonl"):
        if b'"type":"trial_started"' in journal.read_bytes():
            return True
    return False


def play_three_trials(folder: Path, *, workers: str) -> int:
    """Run three trials; return how many protected ports the run had while it played them."""
    folder.mkdir()
    run = start_controlplane(
        "run",
        "--limit",
        "3",
        "--concurrency",
        "2",
        "--set",
        "profile=hard",
        "--json",
        "--workers",
        workers,
        cwd=folder,
    )
    try:
        wait_until(lambda: a_trial_has_started(folder), within_s=START_S)
        protected_ports = count_protected_ports(run)
        result = wait_for_exit(run, within_s=400)
    finally:
        run.kill()
    assert result.err == ""
    assert result.code in (OK, A_TRIAL_FAILED)
    return protected_ports


def test_workers_on_this_machine_write_the_journal_of_threads_and_obey_nobody_else(
    tmp_path: Path,
) -> None:
    """The journals are equal but for times. A run on threads does not listen at any port."""
    ports_of_threads = play_three_trials(tmp_path / "threads", workers="threads")
    ports_of_dask = play_three_trials(tmp_path / "dask", workers="dask:local:1")

    assert ports_of_threads == 0
    assert ports_of_dask >= 3  # of the run, of its scheduler and of the worker
    lines_of_threads = lines_without_times(tmp_path / "threads")
    assert lines_without_times(tmp_path / "dask") == lines_of_threads
