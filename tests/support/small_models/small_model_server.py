"""The process that serves a small language model by llama.cpp, with an API like OpenAI's.

    python -m tests.support.small_models.small_model_server MODEL.gguf 8192 1

The numbers are the longest conversation, in tokens, and how many requests are answered side by side.
It prints `address http://127.0.0.1:41235`, and ends when its standard input does.
"""

import sys
from pathlib import Path

ADDRESS_LINE = "address"
"""How the line begins in which the process says its address."""


def serve(path: Path, context: int, at_a_time: int) -> None:
    """Serve the model in this process, until its standard input ends."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = context * at_a_time
    params.n_parallel = at_a_time
    # One thread: several wait for each other in spinning loops, which on a busy machine
    # costs a hundredfold.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    print(f"\n{ADDRESS_LINE} {server.listening_address}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
