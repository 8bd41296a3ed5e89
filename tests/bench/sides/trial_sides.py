"""Plays trials by one of the sides that `trial_cost.py` compares, in this process.

    python tests/bench/sides/trial_sides.py --side ours --trials 12 --port 8000

The side "ours" is the product, the control plane. The sides "floor" and "untyped floor" are bare scripts
that only do what no program for such trials can leave out. The model server is at the port.
"""

import argparse
import io
import os
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.bench.sides.compared_sides import CONCURRENT_TRIALS, FLOORS, play_floor


def play_ours(trials: int, port: int, *, platform: str, agent: str) -> None:
    """Run the trials by the product's command line, in this process.

    A server at the URL `platform` has the benchmark, and decides how many trials it has. If
    `platform` is "", the benchmark is in this process.
    """
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(
            OPENAI_BASE_URL=f"http://127.0.0.1:{port}/v1",
            OPENAI_API_KEY="none",
            PYTHONWARNINGS="",  # The shell may have set filters, which cost time.
        )
        if platform:
            os.environ.update(BITGN_HOST=platform, BITGN_API_KEY="any")
            flags = ["--benchmark", "bitgn:shelf", "--rule-sets", "none"]
        else:
            flags = ["--benchmark", f"tests.bench.file_benchmark:{trials}"]
        flags += ["--model", "canned", "--concurrency", str(CONCURRENT_TRIALS)]
        flags += ["--agent", agent, "--runs-dir", folder]
        run_in_this_process(flags)


def run_in_this_process(flags: list[str]) -> None:
    """Run `controlplane run` with these flags, without its output. Exits if the run fails."""
    # The floors run in this module, too, and must not pay for the import of the product.
    from controlplane.__main__ import main

    sys.argv = ["controlplane", "run", *flags, "--json"]
    with redirect_stdout(io.StringIO()):
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", choices=[*FLOORS, "ours"])
    parser.add_argument("--trials", type=int)
    parser.add_argument("--port", type=int)
    parser.add_argument("--agent", default="cited")
    parser.add_argument("--platform", default="")
    options = parser.parse_args()
    if options.side == "ours":
        play_ours(
            options.trials, options.port, platform=options.platform, agent=options.agent
        )
    else:
        play_floor(options.trials, options.port, is_typed=options.side == "floor")


if __name__ == "__main__":
    main()
