"""A model server and a platform on this machine, each in a process of its own, for benches.

    with model_server(canned_replies()) as port, platform_server(12) as url:
        ...  # a run of 12 trials, whose model and whose benchmark are these servers

All trials are alike: `file_benchmark.py` has the task, and the scripts by which the model plays it.
A reply may be a text, or a message with calls of tools.
"""

# The module imports little, so that it does not change the memory of a bench.

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.bench.canned_tool_replies import Reply

ROOT = Path(__file__).parents[2]


@contextmanager
def model_server(replies: Sequence[Reply], median_s: float = 0.0) -> Iterator[int]:
    """Yield the port of `model_server.py` with these replies, which runs during the block.

    It waits before each reply, in the median `median_s`.
    """
    server = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("model_server.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdin
    assert server.stdout
    options = {"replies": list(replies), "median_s": median_s}
    server.stdin.write(json.dumps(options) + "\n")
    server.stdin.flush()
    with server:
        try:
            yield int(server.stdout.readline())
        finally:
            server.terminate()


@contextmanager
def platform_server(trials: int) -> Iterator[str]:
    """Yield the URL of a server of the benchmark with this many trials, for the block."""
    command = [
        sys.executable,
        "-m",
        "controlplane",
        "serve",
        "--benchmark",
        f"tests.bench.file_benchmark:{trials}",
    ]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout
        try:
            first_line = server.stdout.readline()
            yield first_line.split()[-1]
        finally:
            server.terminate()
