"""A server of Inspect that shows the log of the run of the repository, runs/sample.jsonl."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import CommandRunner, clean_environment, wait_until
from tests.support.product_files import ROOT


def free_port() -> int:
    """Return a port at which no server listens at the moment."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


@pytest.fixture
def address_of_inspect_view(
    run_command_here: CommandRunner, tmp_path: Path
) -> Iterator[str]:
    """The address of `inspect view`, a server of Inspect that shows the log of the sample."""
    pytest.importorskip("inspect_ai")
    assert (
        run_command_here(
            "export", str(ROOT / "runs/sample.jsonl"), "--to", "logs/run.eval"
        ).code
        == 0
    )

    port = free_port()
    inspect = Path(sys.executable).with_name("inspect")
    output = tmp_path / "output"
    with output.open("wb") as output_file:
        server = subprocess.Popen(
            [inspect, "view", "--log-dir", "logs", "--port", str(port)],
            cwd=tmp_path,
            env=clean_environment(),
            stdout=output_file,
            stderr=output_file,
        )
        try:
            wait_until(lambda: b"Running on" in output.read_bytes())
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(20)
