"""Fixtures of the sandbox's tests.

A *fork server* is a process that has imported everything scripts need; it forks a child for each
sandbox, in which the scripts run. The tests of a session share one. A *host* answers the calls
that scripts make. A *worker* is a child that runs single functions, such as a search in files.
"""

import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from controlplane.sandbox import ForkServer, Sandbox, Worker
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.sandbox.attack_checks import SECRET
from tests.sandbox.opened_sandboxes import new_sandbox
from tests.sandbox.recording_host import RecordingHost
from tests.support.forks.shared_fork_servers import shared_fork_servers


@pytest.fixture(scope="session")
def server() -> Iterator[ForkServer]:
    """The fork server of all sandboxes."""
    with ForkServer() as server:
        yield server


@pytest.fixture(scope="module")
def commands_share_servers() -> Iterator[None]:
    """Let commands that a test runs in its own process share fork servers, which start slowly."""
    with shared_fork_servers(("controlplane.sandbox.ForkServer",)):
        yield


@pytest.fixture
def short_worker_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a worker kill a call after 0.4 s of CPU time instead of 2 s.

    The tests do not start the workers themselves, so the default of the class is changed.
    """
    worker_defaults = Worker.__init__.__kwdefaults__
    monkeypatch.setitem(worker_defaults, "limits", WorkerLimits(call_cpu_s=0.4))


@pytest.fixture
def host() -> RecordingHost:
    """The host of the test's sandboxes, which records their calls and answers."""
    return RecordingHost()


@pytest.fixture
def open_sandbox(
    server: ForkServer, host: RecordingHost
) -> Iterator[Callable[..., Sandbox]]:
    """A function that opens a sandbox: `open_sandbox(limits=Limits(step_calls=3))`.

    All its sandboxes are closed after the test.
    """
    sandboxes: list[Sandbox] = []

    def open_one(**options: Any) -> Sandbox:
        sandbox = new_sandbox(server, host, **options)
        sandboxes.append(sandbox)
        return sandbox

    yield open_one
    for sandbox in sandboxes:
        sandbox.close()


@pytest.fixture
def sandbox(open_sandbox: Callable[..., Sandbox]) -> Sandbox:
    """A sandbox with the limits and the isolation that users get by default."""
    return open_sandbox()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder on disk with a text, a table, an empty folder, and a file that is not text."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "empty").mkdir()
    (tmp_path / "docs/a.txt").write_text("alpha\nbeta\n")
    (tmp_path / "stock.csv").write_text(
        'sku,qty,price,code\nx,10,1.5,007\ny,3,,12\n"z,z",1,2e1,a\'b\n'
    )
    (tmp_path / "latin.bin").write_bytes(b"caf\xe9\x00\n")
    return tmp_path


def skip_without_kernel_layer(server: ForkServer) -> None:
    """Skip a test whose attacks might harm this machine, because its kernel cannot stop them."""
    broken_parts = {}
    for part, reason in server.kernel_report().items():
        if reason:
            broken_parts[part] = reason
    if broken_parts:
        pytest.skip(
            f"these attacks are for the whole kernel layer, which does not work here: {broken_parts}"
        )


@pytest.fixture
def canary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: ForkServer
) -> Iterator[str]:
    """A file, an open port and an environment variable that no script may reach.

    Gives the test three lines of Python, which it puts above an attack so that the attack knows
    where to look: `CANARY = "/tmp/.../canary.txt"`, `PORT = 40123`, and `SOCKET = 0`, the
    descriptor of the connection that a script's process has to its parent. After the test the
    file must be unchanged, and nobody may have connected to the port.
    """
    skip_without_kernel_layer(server)
    monkeypatch.setenv("SANDBOX_SECRET", SECRET)
    path = tmp_path / "canary.txt"
    path.write_text(SECRET)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        port = listener.getsockname()[1]
        yield f"CANARY = {str(path)!r}\nPORT = {port}\nSOCKET = 0\n"
        with pytest.raises(BlockingIOError):  # No attack has connected to the port.
            listener.accept()
    assert path.read_text() == SECRET
