"""Signals to the process of the server: SIGTERM or SIGINT ends it in order.

The server offers a benchmark's tasks to agents over HTTP, in the protocol of the platform BitGN.
"""

import os
import re
import signal
import subprocess
import sys

import httpx2
import pytest

from tests.benchmarks.bitgn.raw_client import HARNESS

SERVER_PROGRAM = """
from controlplane.benchmarks.bitgn.server import ServerOptions, serve
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark

def print_url(url):
    print(url, flush=True)

serve(ShelfBenchmark(), ServerOptions(), on_listening=print_url)
print("ended", flush=True)
"""
"""Serves the small benchmark until a signal ends it, and prints its URL, and "ended" at the end."""


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_the_server_in_order(signal_number: signal.Signals) -> None:
    """The process goes on behind `serve`, and shows no error."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER_PROGRAM],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", url)
        reply = httpx2.post(url + HARNESS + "Status", json={})
        assert reply.json()["status"] == "ok"

        process.send_signal(signal_number)
        output, errors = process.communicate(timeout=20)

    assert process.returncode == 0
    assert output == "ended\n"
    assert errors == ""
