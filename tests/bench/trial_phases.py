"""Prints where the CPU time of a trial goes, and what takes the room in its journal.

    python -m tests.bench.trial_phases                  the embedded shop, played by its rules
    python -m tests.bench.trial_phases --over-the-wire  five steps with a model, on a remote platform
    python -m tests.bench.trial_phases --trials 32 --concurrency 8

A *trial* is one attempt at a task: the agent runs scripts step by step, and each event is a line
of the run's *journal*. The trials are played twice in this process: first to import everything,
then with a stopwatch around the methods in `PHASES`.
"""

import argparse
import os
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests.bench.canned_tool_replies import canned_replies
from tests.bench.local_servers import model_server, platform_server
from tests.bench.sides.trial_sides import run_in_this_process
from tests.bench.timing.phase_table import (
    Stopwatch,
    cpu_seconds,
    print_journal,
    print_phases,
    time_phases,
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=16)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--over-the-wire", action="store_true")
    options = parser.parse_args()

    with ExitStack() as stack:
        flags = ["--benchmark", "ecom", "--limit", str(options.trials)]
        if options.over_the_wire:
            start_servers(stack, options.trials)
            flags = ["--benchmark", "bitgn:shelf", "--rule-sets", "none"]
            flags += ["--model", "canned"]
        flags += ["--concurrency", str(options.concurrency)]
        runs_dir = stack.enter_context(tempfile.TemporaryDirectory())

        # imports everything
        run_in_this_process([*flags, "--runs-dir", f"{runs_dir}/first"])
        stopwatch = Stopwatch()
        time_phases(stopwatch)
        cpu_before = cpu_seconds()
        run_in_this_process([*flags, "--runs-dir", f"{runs_dir}/timed"])
        cpu_after = cpu_seconds()

        print_phases(
            stopwatch,
            own_s=cpu_after.own - cpu_before.own,
            children_s=cpu_after.children - cpu_before.children,
            trials=options.trials,
        )
        (journal,) = Path(runs_dir, "timed").glob("*.jsonl")
        print_journal(journal, options.trials)


def start_servers(stack: ExitStack, trials: int) -> None:
    """Start a model server and a platform, which the environment then names to the run."""
    port = stack.enter_context(model_server(canned_replies()))
    platform = stack.enter_context(platform_server(trials))
    os.environ["OPENAI_BASE_URL"] = f"http://127.0.0.1:{port}/v1"
    os.environ["OPENAI_API_KEY"] = "none"
    os.environ["BITGN_HOST"] = platform
    os.environ["BITGN_API_KEY"] = "any"


if __name__ == "__main__":
    main()
