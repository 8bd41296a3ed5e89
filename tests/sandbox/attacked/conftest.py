"""A file, a port and a variable that no hostile script may reach."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.sandbox import ForkServer
from tests.sandbox.attack_checks import SECRET


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
